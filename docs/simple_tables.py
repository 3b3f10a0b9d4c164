"""Shows the tables of the modules' texts on the site: reStructuredText's simple tables become Markdown's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import griffe

_RULE = re.compile(r"=+(?: +=+)+")


class SimpleTables(griffe.Extension):
    """Rewrites the text of each module before it is shown."""

    def on_module(self, *, mod: griffe.Module, **_: Any) -> None:
        """Rewrite one module's text."""
        if mod.docstring:
            mod.docstring.value = with_markdown_tables(mod.docstring.value)


def with_markdown_tables(text: str) -> str:
    """Return a text with its tables (rules of `=` above, below the heading and below all) in Markdown."""
    shown: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        shown += _table(line, lines) if _RULE.fullmatch(line) else [line]
    return "\n".join(shown)


def _table(rule: str, lines: Iterator[str]) -> list[str]:
    """Read a table to its last rule; return its lines in Markdown."""
    starts = [match.start() for match in re.finditer("=+", rule)]
    rows: list[list[str]] = []
    rules = 1
    while rules < 3:
        line = next(lines)
        if _RULE.fullmatch(line):
            rules += 1
            continue
        ends = [*starts[1:], len(line)]
        cells = [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
        if cells[0]:
            rows.append(cells)
        else:  # the row before goes on
            rows[-1] = [f"{before} {more}".strip() for before, more in zip(rows[-1], cells, strict=True)]
    rows.insert(1, ["---"] * len(starts))
    return ["| " + " | ".join(_escaped(cell) for cell in row) + " |" for row in rows]


def _escaped(cell: str) -> str:
    return cell.replace("|", r"\|").replace("<", "&lt;")
