"""How often other words change the antecedent: the figure, and each policy in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zarpipe.report.figures.antecedents import RELATIONS, main_rows
from zarpipe.report.table import CellRow, Table, number_of

if TYPE_CHECKING:
    from zarpipe.study.study import Study

TEMPLATE = "figure.html"
_NOTE = (
    "In brackets: the 95 % confidence interval, and what differs between two seeds on the same words. The "
    "file antecedents.csv has the same by distance, and for arguments that themselves got another word."
)


def section(study: Study, table: Table) -> dict[str, Any]:  # noqa: ARG001 (called as all are)
    """Return the rows of all distances (the file has many more), and what they say."""
    rows = main_rows(table.rows)
    return {"table": replace(table, rows=rows), "words": {"": in_words(rows)}, "words_note": _NOTE}


def in_words(rows: Sequence[CellRow]) -> list[str]:
    """Say for each policy, at the alpha that is next to 0.5, how many arguments changed."""
    said = []
    for policy in dict.fromkeys(row["policy"] for row in rows):
        alphas = [str(row["alpha"]) for row in rows if row["policy"] == policy]
        alpha = min(alphas, key=lambda one: abs(float(one) - 0.5))
        of_policy = {row["relation"]: row for row in rows if (row["policy"], row["alpha"]) == (policy, alpha)}
        shares = [
            f"{_share(of_policy[relation])} of the {what}"
            for relation, what in RELATIONS.items()
            if of_policy[relation]["changed_percent"] is not None
        ]
        if shares:
            masked = number_of(of_policy["ALL"]["masked_percent"])
            name = str(policy).replace("_", " ")
            said.append(f"{name}, α = {alpha} ({masked:.1f} % of tokens masked): {'; '.join(shares)}.")
    return said


def _share(row: CellRow) -> str:
    """Write a share with its interval and the taggers' own noise: ``12.0 % (10.1 to 13.9; seeds: 4.2 %)``."""
    details = [] if row["ci_low"] is None else [f"{row['ci_low']:.1f} to {row['ci_high']:.1f}"]
    details += [] if row["seeds_percent"] is None else [f"between seeds {row['seeds_percent']:.1f}"]
    return f"{row['changed_percent']:.1f} %" + (f" ({'; '.join(details)})" if details else "")
