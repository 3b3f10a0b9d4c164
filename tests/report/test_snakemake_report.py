"""Snakemake's own report of the whole study in a real browser: every entry of every category shows something."""

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect
from report.conftest import WHOLE
from workflow_copy import Workflow

from zarpipe.cli import main
from zarpipe.report.figures import figure3, learning_curves
from zarpipe.report.pages import examples, index
from zarpipe.report.tables import TABLES, wanted_tables
from zarpipe.study.stages import name_of

# What stands in a page, in any language of the browser.
WORDS = {index.SHOWS: "Table 4", examples.SHOWS: "masking"}

# Playwright gives an expectation five seconds; a page of several megabytes on a busy machine may need more.
PATIENCE_MS = 20_000
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def report(pages, whole_study, tmp_path_factory):
    """The report of the whole study."""
    workflow = Workflow.make(tmp_path_factory.mktemp("report"))
    shutil.copytree(pages, workflow.folder / "results")
    (workflow.folder / "whole.yaml").write_text(json.dumps(WHOLE), encoding="utf-8")
    for recipe in map(name_of, whole_study.study.test_recipes):
        curves = workflow.folder / f"results/learning_curves/{recipe}.svg"
        curves.parent.mkdir(exist_ok=True)
        options = ["--results", str(whole_study.folder), "--recipe", recipe, "--output", str(curves)]
        assert main(["report", "learning-curves", *options]) == 0
    workflow.run("--report", "report.html", "all", "--configfile", "whole.yaml")
    return workflow.folder / "report.html"


@pytest.fixture(scope="module")
def opened(report, browser):
    """The report in a browser without network, and what it complains about."""
    complaints = []
    context = browser.new_context(viewport={"width": 1400, "height": 900}, offline=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(report.as_uri())
    yield page, complaints
    context.close()


def entries(page, category):
    """Open a category from wherever the report is; return its rows."""
    if page.get_by_text("Results", exact=True).first.get_attribute("href"):
        page.get_by_text("Results", exact=True).first.click()
    page.get_by_text(category, exact=True).first.click()
    expect(page.locator("tbody tr").first).to_be_visible()
    return page.locator("tbody tr").all()


def label(row):
    return row.locator("td").first.inner_text()


def test_each_category_has_its_entries(opened, whole_study):
    page, complaints = opened
    curves = [
        learning_curves.SHOWS.format(recipe=name_of(recipe)) for recipe in whole_study.study.test_recipes
    ]
    expected = {"Figures": curves, "Pages": [index.SHOWS, examples.SHOWS], "Tables": []}
    for module in wanted_tables(whole_study.study).values():
        expected["Figures" if module is figure3 else "Tables"].append(module.SHOWS)
    found = {category: sorted(map(label, entries(page, category))) for category in expected}
    assert found == {category: sorted(labels) for category, labels in expected.items()}
    assert complaints == []


def test_each_table_gives_its_csv(opened, report, whole_study):
    page, complaints = opened
    names = [name for name, module in wanted_tables(whole_study.study).items() if module is not figure3]
    given = set()
    for row in entries(page, "Tables"):
        with page.expect_download() as download:
            row.locator("a").first.click()
        given.add(Path(download.value.path()).read_bytes())
    assert given == {(report.parent / f"results/{name}.csv").read_bytes() for name in names}
    assert complaints == []


def test_each_figure_is_drawn_and_each_page_stands_in_its_frame(opened):
    page, complaints = opened
    for row in entries(page, "Figures"):
        row.locator("a").first.click()
        picture = page.locator("img[src^='data:image/svg']").last
        expect(picture).to_be_visible()
        size = "async image => (await image.decode(), [image.naturalWidth, image.naturalHeight])"
        assert min(picture.evaluate(size)) > 150
    for row in entries(page, "Pages"):
        row.locator("a").first.click()
        body = page.frame_locator("iframe").locator("body")
        expect(body).to_contain_text(WORDS[label(row)])
        assert body.evaluate("body => body.scrollHeight") > 900
    assert complaints == []


def test_a_caption_can_be_read(opened):
    page, _ = opened
    for category, module in (("Tables", TABLES.load("table4")), ("Pages", index)):
        (row,) = [row for row in entries(page, category) if label(row) == module.SHOWS]
        row.locator("a").last.click()
        # Only its first words: markup such as *so* is gone.
        expect(page.locator("nav").first).to_contain_text(module.CAPTION[:25])
