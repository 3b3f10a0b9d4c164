"""The tables as people read them: taken from the Markdown that `zarpipe.report.tables` writes.

A table's CSV is there to compute with. Its Markdown holds the title, the headings, the rounded numbers, the
best ones in bold, and the note; the page shows exactly these.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from zarpipe.errors import ZarpipeError

# Headings of the paper's columns, and of differences from them.
_PAPER_COLUMN = re.compile(r"(?P<heading>.+?)(?: \(paper\)| published)")
_DIFFERENCE_COLUMN = re.compile(r"(?P<heading>.+?) difference")
_ENTITIES = {"&lt;": "<", "&gt;": ">"}


@dataclass(frozen=True)
class ShownCell:
    """A cell.

    Attributes:
        text: as shown.
        best: whether it is among the best of its column.
        paper: the paper's number for the same thing; empty if there is none.
        paper_best: whether that is among the best of the paper.
    """

    text: str
    best: bool = False
    paper: str = ""
    paper_best: bool = False


@dataclass(frozen=True)
class ShownTable:
    """A table.

    Attributes:
        title: the line above it.
        headings: of its columns.
        rows: its cells.
        note: what a reader must know, below it.
    """

    title: str
    headings: list[str]
    rows: list[list[ShownCell]]
    note: str

    @property
    def numeric(self) -> list[bool]:
        """Whether each column holds numbers only."""
        return [_is_numeric([cell.text for cell in column]) for column in zip(*self.rows, strict=True)]

    @property
    def has_paper(self) -> bool:
        """Whether any cell has the paper's number beside it."""
        return any(cell.paper for row in self.rows for cell in row)


def read_shown_table(path: Path) -> ShownTable:
    """Read a table from its Markdown, the paper's numbers in the cells of ours.

    Raises:
        ZarpipeError: the file is missing, or is not the Markdown of a table.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ZarpipeError(f"{path}: cannot read this file ({error.strerror})") from error
    try:
        title, _, headings, _, *rest = lines
        end = rest.index("")
        cells = [_cells(line) for line in rest[:end]]
        if not title.startswith("# ") or any(len(row) != len(_cells(headings)) for row in cells):
            raise ValueError
    except ValueError:
        raise ZarpipeError(
            f"{path}: not the Markdown of a table; make it again with `zarpipe report`"
        ) from None
    names = [cell.text for cell in _cells(headings)]
    note = "\n".join(rest[end + 1 :])
    return _with_paper_beside(ShownTable(title.removeprefix("# "), names, cells, note))


def _cells(line: str) -> list[ShownCell]:
    """Split a row at its bars; a bar inside a cell has a backslash before it."""
    return [_cell(text) for text in line.removeprefix("| ").removesuffix(" |").split(" | ")]


def _cell(text: str) -> ShownCell:
    best = text.startswith("**") and text.endswith("**") and len(text) > 4
    text = re.sub(r"\\([|*])", r"\1", text[2:-2] if best else text)
    for entity, character in _ENTITIES.items():
        text = text.replace(entity, character)
    return ShownCell(text, best)


def _with_paper_beside(table: ShownTable) -> ShownTable:
    """Move the paper's columns into the cells of ours; differences that a reader sees by then go."""
    paper: dict[str, int] = {}
    kept: list[int] = []
    for place, heading in enumerate(table.headings):
        if match := _PAPER_COLUMN.fullmatch(heading):
            paper[match["heading"]] = place
        elif not _is_difference(heading, table.headings):
            kept.append(place)
    rows = [
        [_beside(row[place], row[paper[name]]) if (name := table.headings[place]) in paper else row[place]
         for place in kept]
        for row in table.rows
    ]  # fmt: skip
    return ShownTable(table.title, [table.headings[place] for place in kept], rows, table.note)


def _is_difference(heading: str, headings: list[str]) -> bool:
    match = _DIFFERENCE_COLUMN.fullmatch(heading)
    return match is not None and f"{match['heading']} published" in headings


def _beside(ours: ShownCell, paper: ShownCell) -> ShownCell:
    return replace(ours, paper=paper.text, paper_best=paper.best)


def _is_numeric(texts: list[str]) -> bool:
    filled = [text for text in texts if text]
    return bool(filled) and all(re.fullmatch(r"[-+]?\d+(\.\d+)?", text) for text in filled)
