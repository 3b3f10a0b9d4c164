"""Every table in three formats."""

import csv
import dataclasses
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarpipe.report.tables import Column, Table, csv_text, latex, markdown, write_table

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
    assert rows[1]["f1"] == "64.119"
    assert rows[1]["f1_display"] == "64.12"
    assert rows[1]["sd"] == rows[1]["sd_display"] == ""
    assert (tmp_path / "t.md").is_file()
    assert (tmp_path / "t.tex").is_file()


def test_csv_without_full_precision_has_the_named_columns_only(table, tmp_path, read_csv):
    write_table(table, tmp_path / "t.csv", full_precision=False)
    assert read_csv(tmp_path / "t.csv")[0] == {
        "setting": "single",
        "pos_set": "all",
        "f1": "64.12",
        "sd": "0.10",
    }


@given(st.text(max_size=20), st.floats(allow_nan=False, allow_infinity=False))
def test_any_text_and_number_survives_csv_and_stays_in_its_cell(text, number):
    text = text.replace("\r", "")
    (row,) = csv.DictReader(io.StringIO(csv_text([{"name": text, "number": number}]), newline=""))
    assert row["name"] == text
    assert float(row["number"]) == number
    table = Table("t", "t", (Column("name", "Name"),), [{"name": text}], "")
    line = markdown(table).split("\n")[4]
    assert line.replace("\\|", "").count("|") == 2
    assert "<" not in line
