"""Tables read back from their Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarpipe.errors import ZarpipeError
from zarpipe.report.shown_tables import ShownCell, read_shown_table
from zarpipe.report.tables import Column, Table, markdown

TEXTS = (
    st.text(st.sampled_from("ab日本 |*<>_-.0"), min_size=1)
    .map(str.strip)
    .filter(lambda text: text[:2] != "**")
)


def read(tmp_path, table):
    path = tmp_path / "table.md"
    path.write_text(markdown(table), encoding="utf-8")
    return read_shown_table(path)


def columns(*titles, best=()):
    return [Column(title, title, 2, best=title in best) for title in titles]


@given(cells=st.lists(st.lists(TEXTS, min_size=2, max_size=2), min_size=1, max_size=3))
def test_every_text_comes_back(cells, tmp_path_factory):
    rows = [dict(zip("xy", row, strict=True)) for row in cells]
    shown = read(tmp_path_factory.mktemp("t"), Table("t", "A title", columns("x", "y"), rows, "A note."))
    assert (shown.title, shown.headings, shown.note) == ("A title", ["x", "y"], "A note.")
    assert [[cell.text for cell in row] for row in shown.rows] == cells


def test_numbers_that_are_bold_and_columns_of_numbers_are_known(tmp_path):
    rows = [{"who": "a", "f1": 1.0, "sd": None}, {"who": "b", "f1": 2.5, "sd": 0.25}]
    shown = read(tmp_path, Table("t", "T", columns("who", "f1", "sd", best=("f1",)), rows, ""))
    assert shown.numeric == [False, True, True]
    assert shown.rows == [
        [ShownCell("a"), ShownCell("1.00"), ShownCell("")],
        [ShownCell("b"), ShownCell("2.50", best=True), ShownCell("0.25")],
    ]
    assert not shown.has_paper


def test_the_papers_numbers_stand_in_the_cells_of_ours(tmp_path):
    titles = ("F1", "F1 (paper)", "nom", "nom published", "nom difference", "mean difference")
    rows = [
        dict(zip(titles, values, strict=True))
        for values in ((1.0, 2.0, 3, 4, -1, 9), (0.5, 1.0, 3, 5, -2, 9))
    ]
    best = ("F1", "F1 (paper)")
    shown = read(tmp_path, Table("t", "T", columns(*titles, best=best), rows, ""))
    assert shown.headings == ["F1", "nom", "mean difference"]
    assert shown.rows[0][:2] == [
        ShownCell("1.00", best=True, paper="2.00", paper_best=True),
        ShownCell("3", paper="4"),
    ]
    assert shown.has_paper


@pytest.mark.parametrize("text", ["", "no table\n", "# T\n\n| a |\n|---|\n| 1 | 2 |\n\nnote\n"])
def test_other_files_are_refused_by_name(tmp_path, text):
    path = tmp_path / "table9.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ZarpipeError, match=r"table9\.md: not the Markdown of a table"):
        read_shown_table(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ZarpipeError, match=r"table9\.md: cannot read"):
        read_shown_table(tmp_path / "table9.md")
