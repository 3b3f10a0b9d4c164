"""The page of `zarpipe analyse` in a real browser."""

import pytest
from made_bundle import make_bundle
from report.test_pages_in_browser import CLIPPED, FAINT_TEXT, NARROW, WIDE

from zarpipe.cli import main

TEXT = "男は訴えられたが、無罪になった。\n<b>女</b>は帰った。" + "\n" + "長" * 300


@pytest.fixture(scope="module")
def page(tiny_mlm, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    mlm = tiny_mlm("bert-ja")
    bundle = make_bundle(folder / "bundle", mlm)
    options = ["--bundle", str(bundle), "--mlm", str(mlm), "--format", "html"]
    assert main(["analyse", TEXT, *options, "--output", str(folder / "page.html")]) == 0
    return folder / "page.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_predicate_is_chosen_and_nothing_is_clipped_or_faint(browser, page, width, scheme):
    complaints = []
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    opened = context.new_page()
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(page.as_uri())
    article = opened.locator("article").first
    words = article.locator("button.word")
    assert words.count() > 1
    for number in (1, 0):
        word = words.nth(number)
        word.press("Enter")
        assert article.locator("[aria-pressed=true]").count() == 1
        assert word.get_attribute("aria-pressed") == "true"
        chosen = article.locator("li.chosen")
        assert chosen.get_attribute("data-of") == word.get_attribute("data-token")
        marked = {one.get_attribute("data-token") for one in article.locator("[data-cases]").all()}
        assert marked == {one.get_attribute("data-argument") for one in chosen.locator(".argument").all()}
    assert opened.evaluate(CLIPPED) == []
    assert opened.evaluate(FAINT_TEXT) == []
    assert complaints == []
    context.close()
