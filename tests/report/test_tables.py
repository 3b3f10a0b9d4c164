"""Every table in its forms."""

import csv
import dataclasses
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarpipe.errors import ZarpipeError
from zarpipe.report import tables
from zarpipe.report.pages import antecedents_sheet
from zarpipe.report.table import (
    Column,
    ShownCell,
    Table,
    csv_text,
    json_text,
    latex,
    markdown,
    read_table,
    shown_rows,
    write_table,
)

COLUMNS = (
    Column("setting", "Setting"),
    Column("pos_set", "POS α"),
    Column("f1", "F1", 2, best=True),
    Column("sd", "SD", 2),
)


@pytest.fixture
def table():
    rows = [
        {"setting": "single", "pos_set": "all", "f1": 64.124, "sd": 0.1},
        {"setting": "single", "pos_set": "all_but_verb", "f1": 64.119, "sd": None},
        {"setting": "single", "pos_set": "noun", "f1": 9.5, "sd": 0.0},
        {"setting": "ensemble", "pos_set": "M & I", "f1": "23", "sd": None},
    ]
    return Table("tableX", "A title", COLUMNS, rows, "50 % of it.", groups=("setting",))


def test_markdown_shows_what_people_read_with_the_best_of_each_group_in_bold(table):
    assert markdown(table) == (
        "# A title\n\n"
        "| Setting | POS α | F1 | SD |\n"
        "|---|---|---:|---:|\n"
        "| single | all | **64.12** | 0.10 |\n"
        "| single | all_but_verb | **64.12** |  |\n"
        "| single | noun | 9.50 | 0.00 |\n"
        "| ensemble | M & I | **23** |  |\n"
        "\n50 % of it.\n"
    )


def test_the_best_of_several_columns_is_bold_once_a_group():
    columns = [Column("category", "Category"), *(Column(name, name, 2, best="f1") for name in ("a", "b"))]
    rows = [{"category": category, "a": 1.0 + add, "b": 2.0} for category, add in (("ALL", 0.5), ("ZAR", 2))]
    shown = shown_rows(Table("t", "t", columns, rows, "", groups=("category",)))
    assert [[name for name, cell in row.items() if cell.best] for row in shown] == [["b"], ["a"]]


def test_latex_uses_booktabs_and_escapes(table):
    assert latex(table) == (
        "% needs \\usepackage{booktabs,graphicx}\n"
        "\\begin{table}[t]\n"
        "\\centering\n"
        "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
        "\\begin{tabular}{llrr}\n"
        "\\toprule\n"
        "Setting & POS $\\alpha$ & F1 & SD \\\\\n"
        "\\midrule\n"
        "single & all & \\textbf{64.12} & 0.10 \\\\\n"
        "single & all\\_but\\_verb & \\textbf{64.12} &  \\\\\n"
        "single & noun & 9.50 & 0.00 \\\\\n"
        "\\midrule\n"
        "ensemble & M \\& I & \\textbf{23} &  \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}}\n"
        "\\caption{A title. 50 \\% of it.}\n"
        "\\label{tab:tableX}\n"
        "\\end{table}\n"
    )


@pytest.mark.parametrize("title", ["Table 5: masking by part of speech", "masking by part of speech"])
def test_latex_leaves_the_number_to_latex(table, title):
    printed = latex(dataclasses.replace(table, title=title))
    assert "\\caption{masking by part of speech. 50 \\% of it.}" in printed
    assert markdown(dataclasses.replace(table, title=title)).startswith(f"# {title}\n")


def test_a_wide_printed_table_names_constant_columns_in_its_caption():
    columns = [Column(f"c{number}", f"C{number}") for number in range(8)] + [Column("f1", "F1", 2)]
    rows = [{f"c{number}": number for number in range(8)} | {"c1": row, "f1": 0.5} for row in (1, 2)]
    printed = latex(Table("t", "Title", columns, rows, "Note.", groups=("c3",)))
    # c1 varies, c3 divides the rows, F1 is a number.
    assert "C1 & C3 & F1" in printed
    assert "Note. C0: 0. C2: 2. C4: 4. C5: 5. C6: 6. C7: 7." in printed
    narrow = latex(Table("t", "Title", columns[1:], rows, "Note."))
    assert "C1 & C2 & C3" in narrow


def test_long_texts_of_a_printed_table_are_broken_into_lines():
    columns = (Column("key", "Key"), Column("value", "Value"))
    printed = latex(Table("t", "Title", columns, [{"key": "a", "value": "word " * 20}], ""))
    assert r"\begin{tabular}{lp{0.35\linewidth}}" in printed


def test_csv_has_full_precision_and_display_columns(table, tmp_path, read_csv):
    write_table(table, tmp_path / "t.csv")
    rows = read_csv(tmp_path / "t.csv")
    assert list(rows[0]) == ["setting", "pos_set", "f1", "sd", "f1_display", "sd_display"]
    assert list(rows[1].values()) == ["single", "all_but_verb", "64.119", "", "64.12", ""]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv", "t.json", "t.md", "t.tex"]


def test_a_csv_of_what_is_shown_or_of_all_cells(table, tmp_path, read_csv):
    write_table(dataclasses.replace(table, csv="shown"), tmp_path / "t.csv")
    shown = {"setting": "single", "pos_set": "all", "f1": "64.12", "sd": "0.10"}
    assert read_csv(tmp_path / "t.csv")[0] == shown
    table = Table("t", "T", (Column("f1", "F1", 2),), [{"f1": 0.125, "text": "0.13 ±1"}], "", csv="cells")
    write_table(table, tmp_path / "t.csv")
    assert read_csv(tmp_path / "t.csv") == [{"f1": "0.125", "text": "0.13 ±1"}]


def test_only_the_wanted_forms_are_written(table, tmp_path, read_csv):
    table = dataclasses.replace(table, runs=[{"seed": 1}])
    write_table(table, tmp_path / "t.csv", (".md", "_runs.csv", ".svg"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.md", "t_runs.csv"]
    assert read_csv(tmp_path / "t_runs.csv") == [{"seed": "1"}]


def test_the_papers_columns_are_known_by_type():
    columns = (
        Column("f1", "F1", 2, best=True),
        Column("f1_paper", "any title", 2, best=True, paper_for="f1"),
        Column("f1_off", "another", 2, difference_for="f1"),
        Column("mean difference", "mean difference", numeric=True),
    )
    rows = [
        {"f1": 1.0, "f1_paper": 2.0, "f1_off": -1.0, "mean difference": 9},
        {"f1": 0.5, "f1_paper": None, "f1_off": None, "mean difference": 9},
    ]
    table = Table("t", "T", columns, rows, "")
    assert [column.name for column in table.own_columns] == ["f1", "mean difference"]
    assert table.paper_columns["f1"].name == "f1_paper"
    first, second = shown_rows(table)
    assert (first["f1"], first["f1_paper"]) == (ShownCell("1.00", True), ShownCell("2.00", True))
    assert (second["f1"], second["f1_paper"]) == (ShownCell("0.50", False), ShownCell("", False))
    assert [column.has_numbers for column in columns] == [True] * 4


CELLS = st.none() | st.text(max_size=9) | st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@given(rows=st.lists(st.fixed_dictionaries({"a": CELLS, "b": CELLS, "no column": CELLS}), max_size=3))
def test_any_table_comes_back_from_json(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("t") / "t.json"
    columns = [Column("a", "A", 2, best=True), Column("b", "B", paper_for="a")]
    table = Table("t", "T", columns, rows, "Note.", ["a"], "cells", [{"seed": 1}], "remark")
    path.write_text(json_text(table), encoding="utf-8")
    assert read_table(path) == table


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '{"columns": 1}',
        '{"columns": [{"nonsense": 1}]}',
        '{"name": "t", "title": "T", "columns": [{"name": "a", "title": "A"}], "rows": [{}], "note": ""}',
        '{"name": "t", "title": "T", "columns": [], "rows": [], "note": "", "more": 1}',
    ],
)
def test_other_files_are_refused_by_name(tmp_path, text):
    path = tmp_path / "table9.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ZarpipeError, match=r"table9\.json: not a table; make it again"):
        read_table(path)
    path.unlink()
    with pytest.raises(ZarpipeError, match=r"table9\.json: cannot read"):
        read_table(path)


@given(st.text(max_size=20), st.floats(allow_nan=False, allow_infinity=False))
def test_any_text_and_number_survives_csv_and_stays_in_its_cell(text, number):
    text = text.replace("\r", "")
    (row,) = csv.DictReader(io.StringIO(csv_text([{"name": text, "number": number}]), newline=""))
    assert row["name"] in (text, f"'{text}")
    assert row["name"][:1] not in ("=", "@")
    assert float(row["number"]) == number
    table = Table("t", "t", (Column("name", "Name"),), [{"name": text}], "")
    line = markdown(table).split("\n")[4]
    assert line.replace("\\|", "").count("|") == 2
    assert "<" not in line


OTHERS = [module for module in (*tables.all_tables(), antecedents_sheet) if tables.switch(module)]


@pytest.mark.parametrize("module", OTHERS, ids=lambda module: module.NAME)
def test_a_table_that_a_study_does_not_have_is_refused_with_its_key(made, capsys, module):
    assert module.NAME not in tables.wanted_tables(made.study)
    made.report(module.NAME, status=1)
    assert f"{module.NAME}: the study in {made.folder} does not have it" in capsys.readouterr().err
    if module is not antecedents_sheet:
        file, key = made.study.shown(tables.files(module)[0]), tables.switch(module)
        with pytest.raises(ZarpipeError, match=f"{file}: .* no such table; expected `{key}`"):
            tables.refuse_others(made.study, ["--cores", "1", file])
    tables.refuse_others(made.study, ["results/table4.csv", "results/other.csv"])
