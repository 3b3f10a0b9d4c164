"""A table as an object, and its forms: CSV to compute with, Markdown and LaTeX to read, JSON to read back."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from zarpipe import job_folders
from zarpipe.characters import plain_cell
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json, write_text

# A number is shown with the column's decimals; text is shown as it is (a number as printed elsewhere).
Cell = str | int | float | None
CellRow = Mapping[str, Cell]
Row = dict[str, Cell]
# What stands in a CSV. full: numbers in full precision, and behind them a `*_display` column for each as
# people read it. shown: only what people read. cells: all cells of the rows, those without a column too.
CsvForm = Literal["full", "shown", "cells"]
TABLE_ENDINGS: tuple[str, ...] = (".csv", ".md", ".tex", ".json")
RUNS_ENDING = "_runs.csv"
FULL_ENDING = "_full.csv"

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "ε": r"$\epsilon$",
    "±": r"$\pm$",
    "−": "$-$",
    "×": r"$\times$",
}
_WHOLE_NUMBER = re.compile(r"\d{4,}")
_NUMBER = re.compile(r"^(Table|Figure) \d+: ")
# A printed table with more columns names those that say the same in every row in its caption instead.
_PRINTED_COLUMNS = 8
# Longer texts get a column with line breaks.
_LONG_TEXT = 40
# A blank line or a line that begins like a block would end the table or break its row.
_MARKDOWN = {"|": r"\|", "\n": " ", "*": r"\*", "<": "&lt;", ">": "&gt;"}


class ShownCell(NamedTuple):
    """A cell as people read it, and whether it is among the best of its column and group."""

    text: str
    best: bool


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: key in the rows, and name in the CSV.
        title: heading for people.
        decimals: how a fractional number is shown; None for text and whole numbers.
        best: the highest number of the column (within each group) is set in bold; of columns with the same
            name here, the highest of them all.
        numeric: it has numbers that are shown as they are, such as α or a count of seeds.
        paper_for: the paper's numbers for the column of this name.
        difference_for: the difference between the column of this name and the paper.
        detail_for: what more is known of the number in the column of this name; pages show it below that
            number.
        detail: its label there, such as ``SD``.
        printed: it stands in Markdown and LaTeX.
    """

    name: str
    title: str
    decimals: int | None = None
    best: bool | str = False
    numeric: bool = False
    paper_for: str = ""
    difference_for: str = ""
    detail_for: str = ""
    detail: str = ""
    printed: bool = True

    @property
    def has_numbers(self) -> bool:
        """Whether its cells are sorted and aligned as numbers."""
        return self.numeric or self.decimals is not None


@dataclass(frozen=True)
class Table:
    """A table, without any notion of a file format.

    Attributes:
        name: short name, such as ``table5``; the LaTeX label.
        title: one line above the table.
        columns: in order.
        rows: cells by column name; a row may have cells without a column, for those who read the JSON.
        note: what a reader must know, below the table.
        groups: columns that divide the rows into groups, each with best numbers of its own.
        csv: what stands in the CSV.
        csv_columns: names of the columns in a CSV of what people read, if not all of them.
        runs: every single run behind the table, for ``_runs.csv``.
        remark: a line for who makes the table, not part of it.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[CellRow]
    note: str
    groups: Sequence[str] = ()
    csv: CsvForm = "full"
    csv_columns: Sequence[str] = ()
    runs: Sequence[CellRow] = ()
    remark: str = ""

    @property
    def own_columns(self) -> list[Column]:
        """The columns without the paper's numbers, what follows from these, and details."""
        others = ("paper_for", "difference_for", "detail_for")
        return [column for column in self.columns if not any(getattr(column, name) for name in others)]

    @property
    def paper_columns(self) -> dict[str, Column]:
        """The columns of the paper's numbers, by the name of the column that they belong to."""
        return {column.paper_for: column for column in self.columns if column.paper_for}

    @property
    def details(self) -> dict[str, list[Column]]:
        """The columns of details, by the name of the column that they belong to."""
        found: dict[str, list[Column]] = {}
        for column in self.columns:
            if column.detail_for:
                found.setdefault(column.detail_for, []).append(column)
        return found


def write_table(table: Table, output: Path, endings: Sequence[str] = TABLE_ENDINGS) -> None:
    """Write a table in several forms."""
    for ending in endings:
        if ending in _FORMS:
            write_text(with_ending(output, ending), _FORMS[ending](table))


def number_of(cell: Cell) -> float:
    """Return the number in a cell; 0 for an empty one."""
    return float(cell or 0)


def with_ending(output: Path, ending: str) -> Path:
    """Return the path of the same table with another ending: ``table4.csv``, ``table4_runs.csv``."""
    return output if output.suffix == ending else output.with_name(output.stem + ending)


def json_text(table: Table) -> str:
    """Write a table as JSON, to be read by `read_table`."""
    return json.dumps(asdict(table), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def read_table(path: Path) -> Table:
    """Read a table from its JSON. Raises ZarpipeError when the file is missing or something else."""
    job_folders.check(path)
    try:
        values = read_json(path)
        table = Table(**values | {"columns": [Column(**column) for column in values["columns"]]})
        if not all(column.name in row for row in table.rows for column in table.columns):
            raise KeyError("a cell is missing")
    except (KeyError, TypeError) as error:
        raise ZarpipeError(f"{path}: not a table; make it again with `zarpipe report`") from error
    return table


def csv_text(rows: Sequence[CellRow]) -> str:
    """Write one row or more as CSV; the first row gives the columns, None is an empty cell."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: plain_cell(value) for name, value in row.items()} for row in rows)
    return stream.getvalue()


def markdown(table: Table) -> str:
    """Write a table in Markdown, the best numbers in bold."""
    table = _printed(table)
    rows = [
        [f"**{_escaped(text, _MARKDOWN)}**" if bold else _escaped(text, _MARKDOWN) for text, bold in row]
        for row in _shown(table)
    ]
    titles = [_escaped(column.title, _MARKDOWN) for column in table.columns]
    rules = ["---" if column.decimals is None else "---:" for column in table.columns]
    lines = [f"# {table.title}", "", _pipes(titles), "|" + "|".join(rules) + "|", *map(_pipes, rows)]
    return "\n".join([*lines, "", table.note]) + "\n"


def latex(table: Table) -> str:
    """Write a table in LaTeX (booktabs, graphicx), no wider than a line.

    The best numbers are bold, a rule divides the groups. Of more columns than print well, those that say the
    same in every row move to the caption.
    """
    table = _printed(table)
    printed, constant = _printed_columns(table)
    shown = [
        [cell for cell, column in zip(row, table.columns, strict=True) if column in printed]
        for row in _shown(table)
    ]
    rows = [_latex_row(row) for row in shown]
    for place in reversed(_group_starts(table)):
        rows.insert(place, r"\midrule")
    # LaTeX numbers its tables itself.
    title = _NUMBER.sub("", table.title)
    caption = " ".join([f"{title}. {table.note}", *constant])
    lines = [
        r"% needs \usepackage{booktabs,graphicx}",
        r"\begin{table}[t]",
        r"\centering",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{_latex_alignment(printed, shown)}}}",
        r"\toprule",
        _latex_row([(column.title, False) for column in printed]),
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}}",
        rf"\caption{{{_escaped(caption, _LATEX)}}}",
        rf"\label{{tab:{table.name}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _printed(table: Table) -> Table:
    """Return the table without the columns that are too much for print."""
    return replace(table, columns=[column for column in table.columns if column.printed])


def _printed_columns(table: Table) -> tuple[list[Column], list[str]]:
    """Return the columns of the printed table, and a sentence about each of the others."""
    if len(table.columns) <= _PRINTED_COLUMNS:
        return list(table.columns), []
    constant = constant_columns(table)
    return [column for column in table.columns if column not in constant], constant_sentences(table, constant)


def constant_columns(table: Table) -> list[Column]:
    """Return the columns that say the same in every row, but for measured numbers and what names groups."""
    if len(table.rows) < 2:
        return []
    texts = {column: {display(row[column.name], column) for row in table.rows} for column in table.columns}
    return [
        column
        for column, found in texts.items()
        if found == {""} or (len(found) == 1 and column.decimals is None and column.name not in table.groups)
    ]


def constant_sentences(table: Table, columns: Sequence[Column]) -> list[str]:
    """Say what stands in every row of these columns, as in ``Seeds: 3.`` of a table of three seeds."""
    texts = {column.title: display(table.rows[0][column.name], column) for column in columns}
    return [f"{title}: {with_separators(text)}." for title, text in texts.items() if text]


def with_separators(text: str) -> str:
    """Write a whole number of more than three digits as people do: ``3,915``."""
    return f"{int(text):,}" if _WHOLE_NUMBER.fullmatch(text) else text


def counted(number: int, word: str) -> str:
    """Say how many there are: ``1 seed``, ``1,200 documents``."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def two_digits(number: float) -> str:
    """Write an estimated number of things with two digits, more of which it does not carry: ``2,800``."""
    return f"{round(number if number < 100 else float(f'{number:.2g}')):,}"


def _latex_row(cells: Sequence[tuple[str, bool]]) -> str:
    texts = [(_escaped(text, _LATEX), bold) for text, bold in cells]
    return " & ".join(rf"\textbf{{{text}}}" if bold else text for text, bold in texts) + r" \\"


def _latex_alignment(columns: Sequence[Column], rows: Sequence[Sequence[tuple[str, bool]]]) -> str:
    longest = [max((len(row[place][0]) for row in rows), default=0) for place in range(len(columns))]
    return "".join(
        "r" if column.decimals is not None else r"p{0.35\linewidth}" if length > _LONG_TEXT else "l"
        for column, length in zip(columns, longest, strict=True)
    )


def display(value: Cell, column: Column) -> str:
    """Write a cell for people: a fractional number with the column's decimals, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float) and column.decimals is not None:
        return f"{value:.{column.decimals}f}"
    return str(value)


def _csv(table: Table) -> str:
    if table.csv != "shown":
        return full_csv(table)
    columns = {column.name: column for column in table.columns}
    names = table.csv_columns or columns
    return csv_text([{name: display(row[name], columns[name]) for name in names} for row in table.rows])


def full_csv(table: Table) -> str:
    """Write all that is known as CSV, numbers in full precision."""
    return csv_text(table.rows) if table.csv == "cells" else csv_text(_full_rows(table))


def _full_rows(table: Table) -> list[Row]:
    # What was there before details were known keeps its place.
    columns = sorted(table.columns, key=lambda column: bool(column.detail_for) and not column.printed)
    shown = [column for column in columns if column.decimals is not None]
    return [
        {column.name: row[column.name] for column in columns}
        | {f"{column.name}_display": display(row[column.name], column) for column in shown}
        for row in table.rows
    ]


def shown_rows(table: Table) -> list[dict[str, ShownCell]]:
    """Return the cells as people read them, by column name; equal as shown is equally good."""
    texts = [
        {column.name: display(row[column.name], column) for column in table.columns} for row in table.rows
    ]
    groups = [tuple(row[name] for name in table.groups) for row in table.rows]
    compared = {
        column.name: column.name if column.best is True else column.best
        for column in table.columns
        if column.best
    }
    highest: dict[tuple[Cell, ...], float] = {}
    for group, cells in zip(groups, texts, strict=True):
        for name in (name for name in compared if cells[name]):
            slot = (compared[name], *group)
            highest[slot] = max(float(cells[name]), highest.get(slot, -math.inf))

    def is_best(name: str, text: str, group: tuple[Cell, ...]) -> bool:
        return text != "" and name in compared and float(text) == highest[compared[name], *group]

    return [
        {name: ShownCell(text, is_best(name, text, group)) for name, text in cells.items()}
        for group, cells in zip(groups, texts, strict=True)
    ]


def _shown(table: Table) -> list[list[ShownCell]]:
    return [list(cells.values()) for cells in shown_rows(table)]


def _group_starts(table: Table) -> list[int]:
    groups = [[row[name] for name in table.groups] for row in table.rows]
    return [place for place in range(1, len(groups)) if groups[place] != groups[place - 1]]


def _pipes(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _escaped(text: str, replacements: Mapping[str, str]) -> str:
    return "".join(replacements.get(character, character) for character in text)


_FORMS: dict[str, Callable[[Table], str]] = {
    ".csv": _csv,
    ".md": markdown,
    ".tex": latex,
    ".json": json_text,
    RUNS_ENDING: lambda table: csv_text(table.runs),
    FULL_ENDING: full_csv,
}
