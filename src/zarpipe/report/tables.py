"""Writes any table as CSV (to compute with), Markdown (to read) and LaTeX (to print, booktabs)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from zarpipe.files import write_text

# A number is shown with the column's decimals; text is shown as it is (a number as printed elsewhere).
Cell = str | int | float | None
CellRow = Mapping[str, Cell]

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
_NUMBER = re.compile(r"^(Table|Figure) \d+: ")
# A printed table with more columns names those that say the same in every row in its caption instead.
_PRINTED_COLUMNS = 8
# Longer texts get a column with line breaks.
_LONG_TEXT = 40
# A blank line or a line that begins like a block would end the table or break its row.
_MARKDOWN = {"|": r"\|", "\n": " ", "*": r"\*", "<": "&lt;", ">": "&gt;"}


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: key in the rows, and name in the CSV.
        title: heading for people.
        decimals: how a fractional number is shown; None for text and whole numbers.
        best: the highest number of the column (within each group) is set in bold.
    """

    name: str
    title: str
    decimals: int | None = None
    best: bool = False


@dataclass(frozen=True)
class Table:
    """A table, without any notion of a file format.

    Attributes:
        name: short name, such as ``table5``; the LaTeX label.
        title: one line above the table.
        columns: in order.
        rows: cells by column name.
        note: what a reader must know, below the table.
        groups: columns that divide the rows into groups, each with best numbers of its own.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[CellRow]
    note: str
    groups: tuple[str, ...] = ()


def write_table(table: Table, output: Path, full_precision: bool = True) -> None:
    """Write ``output`` (CSV) and, beside it, the same table as ``.md`` and ``.tex``.

    Args:
        table: the table.
        output: path of the CSV.
        full_precision: numbers in full precision, each beside a ``*_display`` column as people read it;
            otherwise the CSV holds only what people read.
    """
    write_text(output.with_suffix(".md"), markdown(table))
    write_text(output.with_suffix(".tex"), latex(table))
    if full_precision:
        write_text(output, csv_text(_full_rows(table)))
    else:
        write_text(output, csv_text([_displayed(table, row) for row in table.rows]))


def csv_text(rows: Sequence[CellRow]) -> str:
    """Write rows as CSV; the first row gives the columns, None is an empty cell."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def markdown(table: Table) -> str:
    """Write a table in Markdown, the best numbers in bold."""
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


def _printed_columns(table: Table) -> tuple[list[Column], list[str]]:
    """Return the columns of the printed table, and a sentence about each of the others."""
    if len(table.columns) <= _PRINTED_COLUMNS or len(table.rows) < 2:
        return list(table.columns), []
    printed, constant = [], []
    for column in table.columns:
        texts = {display(row[column.name], column) for row in table.rows}
        if len(texts) == 1 and column.decimals is None and column.name not in table.groups:
            constant.append(f"{column.title}: {texts.pop()}.")
        else:
            printed.append(column)
    return printed, constant


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


def _displayed(table: Table, row: CellRow) -> dict[str, Cell]:
    return {column.name: display(row[column.name], column) for column in table.columns}


def _full_rows(table: Table) -> list[dict[str, Cell]]:
    shown = [column for column in table.columns if column.decimals is not None]
    return [
        {column.name: row[column.name] for column in table.columns}
        | {f"{column.name}_display": display(row[column.name], column) for column in shown}
        for row in table.rows
    ]


def _shown(table: Table) -> list[list[tuple[str, bool]]]:
    """Return every cell as text, and whether it is among the best of its column and group."""
    best = _best(table)
    return [
        [
            (
                text := display(row[column.name], column),
                text != "" and text in best.get(_slot(table, row, column), ()),
            )
            for column in table.columns
        ]
        for row in table.rows
    ]


def _best(table: Table) -> dict[tuple[Cell, ...], set[str]]:
    """Return, by column and group, how the highest number is shown (equal as shown is equally good)."""
    highest: dict[tuple[Cell, ...], set[str]] = {}
    for column in (column for column in table.columns if column.best):
        for row in table.rows:
            text = display(row[column.name], column)
            if not text:
                continue
            found = highest.setdefault(_slot(table, row, column), {text})
            number, so_far = float(text), float(next(iter(found)))
            if number > so_far:
                highest[_slot(table, row, column)] = {text}
            elif number == so_far:
                found.add(text)
    return highest


def _slot(table: Table, row: CellRow, column: Column) -> tuple[Cell, ...]:
    return column.name, *(row[name] for name in table.groups)


def _group_starts(table: Table) -> list[int]:
    groups = [[row[name] for name in table.groups] for row in table.rows]
    return [place for place in range(1, len(groups)) if groups[place] != groups[place - 1]]


def _pipes(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _escaped(text: str, replacements: Mapping[str, str]) -> str:
    return "".join(replacements.get(character, character) for character in text)
