"""What the tables of counts share: Table 1 and Table 2."""

from __future__ import annotations

from collections.abc import Sequence

from zarpipe.report.table import Cell, Column, Row


def count_column(name: str, paper_for: str = "", difference_for: str = "") -> Column:
    """Return a column of whole numbers whose title is its name."""
    title = name.replace("_", " ")
    return Column(name, title, decimals=0, paper_for=paper_for, difference_for=difference_for)


def add_published(rows: Sequence[Row], name: str, printed: Sequence[str | None]) -> None:
    """Add to rows the paper's counts of a column, and the differences; None where the paper has none."""
    for row, text in zip(rows, printed, strict=True):
        paper = None if text is None else int(text)
        row[f"{name}_published"] = paper
        row[f"{name}_difference"] = None if paper is None else int(str(row[name])) - paper


def verdict(table: str, differences: Sequence[Cell]) -> str:
    """Say whether the corpus matches the paper; None stands for what the paper does not print."""
    printed = [difference for difference in differences if difference is not None]
    different = sum(difference != 0 for difference in printed)
    if not different:
        return f"{table}: the corpus matches the paper (all {len(printed)} numbers are equal)"
    return f"{table}: the corpus differs from the paper in {different} of {len(printed)} numbers"
