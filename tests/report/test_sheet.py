"""The sheet of refilled sentences."""

import csv
import io

import pytest
from antecedents_files import ACQUITTED, BECAME, BOOK, DOCUMENTS, MAN, NONE, Files
from playwright.sync_api import expect

from zarpipe.report.sheet import choose_items, shared_out


@pytest.fixture(scope="session")
def sheet(make_study):
    """A sheet of ten items: of sixteen arguments the man is lost in three documents."""
    written = Files(make_study("sheet"), antecedents={"sheet_items": 10})
    before = [[MAN, NONE, ACQUITTED]] * DOCUMENTS
    after = [[NONE, NONE, ACQUITTED]] * 3 + before[3:]
    for seed in (1, 2):
        written.decide("train", seed, before)
        written.decide(written.refilled, seed, after)
    written.variant({MAN: "<b>女</b>", BOOK: "本"})
    written.made.report("antecedents-sheet", "antecedents-sheet.html")
    return written


def rows_of(sheet, ending):
    text = sheet.made.output(f"antecedents-sheet{ending}").read_text(encoding="utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_items_are_shared_out():
    assert shared_out(10, [2, 9, 9]) == [2, 4, 4]
    assert shared_out(100, [3, 0, 5]) == [3, 0, 5]
    assert shared_out(0, [3]) == [0]


def test_items_of_both_answers_stand_for_all_arguments(sheet):
    items = choose_items(sheet.study)
    changed = [item for item in items if item.changed]
    same = [item for item in items if not item.changed]
    # Three changed (all there are), thirteen others of which seven are drawn.
    assert (len(changed), len(same)) == (3, 7)
    assert {item.stands_for for item in changed} == {1}
    assert sum(item.stands_for for item in same) == pytest.approx(13)
    assert all((item.case, item.argument, item.relation) == ("NOM", MAN, "ZAR") for item in changed)
    assert all(item.predicate == BECAME and item.refilled[MAN] == "<b>女</b>" for item in items)
    assert len({(item.sent_id, item.case) for item in items}) == 10
    assert items == choose_items(sheet.study)
    assert [item.changed for item in items] != sorted((item.changed for item in items), reverse=True)


def test_the_sheet_is_blind_and_its_key_is_not(sheet):
    sheet_rows, key = rows_of(sheet, ".csv"), rows_of(sheet, "-key.csv")
    assert [row["item"] for row in sheet_rows] == [row["item"] for row in key]
    assert set(sheet_rows[0]) == {"item", "case", "predicate", "argument", "original", "refilled", "answer"}
    assert {row["answer"] for row in sheet_rows} == {""}
    assert {row["changed"] for row in key} == {"changed", "same"}
    page = sheet.made.output("antecedents-sheet.html").read_text(encoding="utf-8")
    for told in ("noun", "0.5", "stands_for", "seed"):
        assert told not in page.split('<main id="content">')[1].split("</main>")[0]
    (lost,) = {row["refilled"] for row in sheet_rows if row["argument"] == "男"}
    assert lost == "≪<b>女</b>≫は本を訴え無罪に【なっ】"


# --- in the browser


@pytest.fixture
def page(browser, sheet):
    context = browser.new_context(viewport={"width": 390, "height": 800}, offline=True, accept_downloads=True)
    opened = context.new_page()
    complaints = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("dialog", lambda dialog: complaints.append(dialog.message))
    opened.goto(sheet.made.output("antecedents-sheet.html").as_uri())
    yield opened
    context.close()
    assert complaints == []


def test_answers_are_kept_and_downloaded_as_a_filled_sheet(page, sheet, tmp_path):
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator("#progress")).to_have_text("0 of 10 judged")
    for article in page.locator("article").all():
        article.get_by_label("the same: the word").check()
    page.locator("article").nth(1).get_by_label("changed: it is").check()
    page.locator("article").nth(2).get_by_label("cannot be told").check()
    expect(page.locator("#progress")).to_have_text("10 of 10 judged")
    page.reload()
    expect(page.locator("#progress")).to_have_text("10 of 10 judged")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download answers").click()
    download.value.save_as(tmp_path / "filled.csv")
    answers = list(csv.DictReader((tmp_path / "filled.csv").open()))
    assert [row["answer"] for row in answers] == ["same", "changed", "unclear", *["same"] * 7]
    assert [row["item"] for row in answers] == [row["item"] for row in rows_of(sheet, "-key.csv")]


def test_the_next_open_item_is_found(page):
    page.locator("article").first.get_by_label("the same: the word").check()
    page.get_by_role("button", name="Next open item").click()
    second = page.locator("article").nth(1)
    assert second.evaluate("item => item.contains(document.activeElement)")
    page.keyboard.press("Space")
    expect(page.locator("#progress")).to_have_text("2 of 10 judged")
