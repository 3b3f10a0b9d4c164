"""What the tables of counts share: Table 1 and Table 2."""

from __future__ import annotations

from collections.abc import Sequence

from zarpipe.report.table import Cell, Column


def count_column(name: str, paper_for: str = "", difference_for: str = "") -> Column:
    """Return a column of whole numbers whose title is its name."""
    title = name.replace("_", " ")
    return Column(name, title, decimals=0, paper_for=paper_for, difference_for=difference_for)


def verdict(table: str, differences: Sequence[Cell]) -> str:
    """Say whether the corpus matches the paper; None stands for what the paper does not print."""
    printed = [difference for difference in differences if difference is not None]
    different = sum(difference != 0 for difference in printed)
    if not different:
        return f"{table}: the corpus matches the paper (all {len(printed)} numbers are equal)"
    return f"{table}: the corpus differs from the paper in {different} of {len(printed)} numbers"
