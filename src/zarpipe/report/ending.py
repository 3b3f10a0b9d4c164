"""What a run of the workflow says at its end: Table 4, and what to look at next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from zarpipe.report.table import FULL_ENDING, CellRow, Table, read_table
from zarpipe.report.tables import table4
from zarpipe.study.study import Study

_HEADINGS = ("", "alpha", "ZAR F1", "SD", "nested", "DEP F1", "ALL F1", "SD")
_NUMBERS = ("zar_f1", "zar_f1_sd", "nested_zar_f1", "dep_f1", "all_f1", "all_f1_sd")


def ending(study: Study, since: float) -> str:
    """Return what to print when a run is over; empty if it has not made Table 4."""
    path = Path(study.shown(f"{table4.NAME}.json"))
    if not path.is_file() or path.stat().st_mtime < since:
        return ""
    table = read_table(path)
    lines = [f"{table.title} ({len(study.seeds)} seeds)", *_text_table(table), "", *_next(study, table)]
    return "\n".join(["", *lines])


def _text_table(table: Table) -> list[str]:
    """Return the table in columns of equal width."""
    rows = [list(_HEADINGS), *(_cells(row) for row in table.rows)]
    if not _has_nested(table):
        nested = _HEADINGS.index("nested")
        rows = [[*row[:nested], *row[nested + 1 :]] for row in rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  ".join(_padded(row, widths)).rstrip() for row in rows]


def _cells(row: CellRow) -> list[str]:
    numbers = [row.get(name) for name in _NUMBERS]
    shown = ["" if value is None else f"{float(value):.2f}" for value in numbers]
    return [str(row["method"]), str(row["alpha"]), *shown]


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    first, *others = row
    return [
        first.ljust(widths[0]),
        *(text.rjust(width) for text, width in zip(others, widths[1:], strict=True)),
    ]


def _has_nested(table: Table) -> bool:
    return any(row.get("nested_zar_f1") is not None for row in table.rows)


def _next(study: Study, table: Table) -> list[str]:
    """Say what there is to look at, and what is not made yet."""
    nested = "nested: alpha chosen on one half of the dev documents, scored on the other."
    lines = [nested] if _has_nested(table) else []
    lines += [
        "Compare cda and masking with baseline2x, which has as many updates; differences much smaller",
        "than SD mean little.",
        "Next:",
    ]
    if Path(study.shown("index.html")).is_file():
        lines.append(f"  {study.shown('index.html')}  the whole study on one page, for the browser")
    else:
        lines.append(
            "  snakemake --cores N all  (with the same options): the test set, significance, one page"
        )
    full, latex = (study.shown(f"{table4.NAME}{of}") for of in (FULL_ENDING, ".tex"))
    lines.append(f"  {full}  all numbers; {latex} to print")
    if Path(study.shown("variance.json")).is_file():
        lines.append(
            f"  zarpipe plan --detect 0.5 --results {study.results}  what it takes to find half a point"
        )
    return lines
