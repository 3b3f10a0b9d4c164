"""What the page says, apart from how a browser shows it."""

import re
from html import unescape

import pytest

from zarpipe.report.pages import index
from zarpipe.report.pages.words import shown_p, shown_test, told_apart, verdict
from zarpipe.report.table import read_table
from zarpipe.report.tables import TABLES, job, wanted_tables
from zarpipe.study.study import Study


def page(made):
    """Write the page of a results folder and return its HTML."""
    return made.report("index", "index.html").read_text(encoding="utf-8")


def words(html):
    """The text of a page without its tags."""
    return re.sub(
        r"\s+", " ", unescape(re.sub(r"<(script|style).*?</\1>|<[^>]*>", "", html, flags=re.DOTALL))
    )


def test_every_table_of_the_study_is_there_with_its_note(whole_study):
    text = words(page(whole_study))
    for name in wanted_tables(whole_study.study).keys() - {"figure3", "significance"}:
        table = read_table(whole_study.output(f"{name}.json"))
        assert table.title in text
        assert table.note in text
        assert " ".join(TABLES.load(name).GUIDE.split()) in text
    assert "paper 64.89" in text  # masking, ZAR F1, Table 4
    assert "55.55" in text  # Matsubayashi and Inui (2018), Table 6


def test_a_folder_with_one_table_gives_a_page_with_one_table(made, whole_study):
    made.output("table4.json").write_bytes(whole_study.output("table4.json").read_bytes())
    html = page(made)
    assert words(html).count("Table 4:") == 2  # heading, and the caption for screen readers
    assert "Table 5:" not in words(html)
    assert 'id="figure3-chart"' not in html
    assert 'href="#table5"' not in html


def test_the_contents_lead_to_the_sections_in_the_order_of_the_tables(whole_study):
    html = page(whole_study)
    contents = re.findall(r'<a href="#([a-z0-9]+)">', html.split("</nav>")[0])
    assert contents == [*wanted_tables(whole_study.study), "learning", "settings"]
    sections = re.findall(r'<section id="([a-z0-9]+)"', html)
    assert [name for name in sections if name in contents] == contents


def test_learning_curves_are_those_of_the_recipes_in_the_tables(whole_study):
    shown = re.findall(r"<figcaption>(.*?)</figcaption>", page(whole_study))
    recipes = [caption.replace("<wbr>", "") for caption in shown]
    tables = [read_table(whole_study.output(f"{name}.json")) for name in wanted_tables(whole_study.study)]
    in_tables = {row.get("recipe") for table in tables for row in table.rows}
    assert recipes
    assert set(recipes) == in_tables & {recipe.name for recipe in whole_study.study.grid.recipes()}


def test_the_configuration_is_shown_as_text(made):
    made.configure(corpus={"path": "/data/<b>NTC"})
    html = page(made)
    assert "<b>NTC" not in html
    assert "/data/<b>NTC" in words(html)


def test_a_damaged_table_is_named(made, capsys):
    made.output("table4.json").write_text("{}", encoding="utf-8")
    made.report("index", "index.html", status=1)
    assert "table4.json: not a table" in capsys.readouterr().err


def test_words_of_a_table_make_the_page_stale_and_not_the_table(made, monkeypatch):
    table4 = TABLES.load("table4")

    def key(module):
        return job(module, Study(made.study.config, "results")).key

    before, table = key(index), key(table4)
    assert job(table4, made.study).id in {read.id for read in job(index, made.study).reads}
    monkeypatch.setattr(table4, "GUIDE", "Read it another way.")
    assert key(index) != before
    assert key(table4) == table


def test_links_lead_to_files_that_are_there(whole_study):
    links = re.findall(r'href="([^"#:]+)"', page(whole_study))
    assert "table5_runs.csv" in links
    assert "figure3.pdf" in links
    assert all(whole_study.output(link).is_file() for link in links)


TEST = {"setting": "single", "category": "ZAR", "recipe": "masking-all-0.5", "other_recipe": "baseline2x"}
TEST |= {"f1": 61.25, "other_f1": 60.0, "difference": 1.25, "ci_low": -0.5, "ci_high": 2.0}
NONE = {"ci_low": None, "ci_high": None}
TEST |= {"p_value": 0.01, "p_holm": 0.04, "permutations": 9999, "documents": 50}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({}, "masking-all-0.5 is better than baseline2x: −0.50 to +2.00."),
        ({"difference": -1.25}, "baseline2x is better than masking-all-0.5: −0.50 to +2.00."),
        ({"p_holm": 0.0501}, "Not told apart from baseline2x: −0.50 to +2.00."),
        (NONE | {"documents": 5}, "Too few documents for a test: 5, at least 6 are needed."),
        (NONE, "The documents do not differ, so there is no interval."),
    ],
)
def test_the_verdict_says_no_more_than_the_test(found, said):
    assert verdict(TEST | found) == said


def test_a_test_is_a_line_of_the_table_and_one_sentence_counts_them():
    shown = shown_test(TEST | {"difference": -0.001})
    assert shown["cells"][3:] == ["single", "±0.00", "−0.50 to +2.00", "0.0400"]
    assert shown_p(TEST | {"p_value": 1 / 201, "p_holm": 0.09, "permutations": 200}, "p_holm") == "≤ 0.0900"
    assert [
        shown_test(TEST | change)["verdict"] for change in ({}, {"p_holm": 0.06}, NONE | {"documents": 1})
    ] == [
        "told apart",
        "not told apart",
        "Too few documents for a test: 1, at least 6 are needed.",
    ]
    assert (
        told_apart([TEST | {"p_holm": 1.0}] * 18)
        == "None of 18 comparisons with as many updates is told apart."
    )


def test_the_page_leads_with_the_fair_comparison(whole_study):
    html = page(whole_study)
    tests = re.search(r'<table class="tests">.*?<tbody>(.*?)</tbody>', html, re.DOTALL)[1]
    assert tests.count("<tr>") == tests.count("<td>baseline2x</td>") == 2 * 2 * 3
    assert "`" not in words(html)
    assert "against baseline2x" in words(html)
    assert "against the baseline" not in words(html).split("Contents")[0]
