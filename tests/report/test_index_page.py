"""What the page says, apart from how a browser shows it."""

import re
from html import unescape

import pytest

from zarpipe.cli import main
from zarpipe.report.index_page import in_words


@pytest.fixture
def write(study, tmp_path):
    """Write the page of a results folder and return its HTML."""
    (tmp_path / "mine.yaml").write_text(
        "corpus: {path: /data/<b>NTC}\ntraining: {seeds: [1, 2]}", encoding="utf-8"
    )

    def page(folder=study.folder):
        output = tmp_path / "index.html"
        arguments = ["--results", str(folder.path), "--configfile", str(tmp_path / "mine.yaml")]
        assert main(["report", "index", *arguments, "--output", str(output)]) == 0
        return output.read_text(encoding="utf-8")

    return page


def words(html):
    """The text of a page without its tags."""
    return re.sub(
        r"\s+", " ", unescape(re.sub(r"<(script|style).*?</\1>|<[^>]*>", "", html, flags=re.DOTALL))
    )


def test_every_table_of_the_study_is_there_with_its_note(write, whole_study):
    text = words(write(whole_study))
    for number in range(1, 8):
        assert f"Table {number}:" in text
        note = (whole_study.path / f"table{number}.md").read_text(encoding="utf-8").strip().splitlines()[-1]
        assert note in text


def test_the_papers_numbers_stand_beside_ours(write, whole_study):
    text = words(write(whole_study))
    assert "paper 64.89" in text  # masking, ZAR F1, Table 4
    assert "55.55" in text  # Matsubayashi and Inui (2018), Table 6


def test_nothing_is_loaded_from_elsewhere(write, whole_study):
    html = write(whole_study)
    assert not re.findall(r"<(?:link|img|script|iframe)[^>]+(?:src|href)=\"(?!data:)", html)
    assert "@import" not in html
    assert "url(" not in html


def test_a_folder_with_one_table_gives_a_page_with_one_table(write, study, whole_study):
    study.folder.path.mkdir()
    for name in ("table4.csv", "table4.md"):
        (study.folder.path / name).write_bytes((whole_study.path / name).read_bytes())
    html = write()
    assert words(html).count("Table 4:") == 2  # heading, and the caption for screen readers
    assert "Table 5:" not in words(html)
    assert 'id="figure3-chart"' not in html
    assert 'href="#table5"' not in html


def test_the_configuration_is_shown_as_text(write, study):
    study.folder.path.mkdir()
    html = write()
    assert "<b>NTC" not in html
    assert "/data/<b>NTC" in words(html)


def test_links_lead_to_files_that_are_there(write, whole_study):
    links = re.findall(r'href="([^"#:]+)"', write(whole_study))
    assert "table5_runs.csv" in links
    assert "figure3.pdf" in links
    assert all((whole_study.path / link).is_file() for link in links)


@pytest.mark.parametrize(
    ("p_value", "difference", "verdict", "points"),
    [
        ("0.0421", "1.25", "Significant: masking-all-0.5 is better.", "+1.25"),
        ("0.0421", "-1.25", "Significant: baseline is better.", "−1.25"),
        ("0.05", "1.25", "Not significant: this could well be chance.", "+1.25"),
        ("0.9", "-0.001", "Not significant: this could well be chance.", "±0.00"),
    ],
)
def test_significance_in_words(p_value, difference, verdict, points):
    row = {"setting": "single", "category": "ZAR", "recipe": "masking-all-0.5", "other_recipe": "baseline"}
    row |= {"f1": "61.25", "other_f1": "60.0", "difference": difference, "p_value": p_value}
    row |= {"ci_low": "-0.5", "ci_high": "2.0"}
    said = in_words(row)
    assert said["verdict"] == verdict
    assert f"a difference of {points} points (95 % confidence interval −0.50 to +2.00" in said["text"]
