"""The tests on the test set: the fair ones in words, and a forest plot of all differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zarpipe.report.names import spoken_names, with_spoken_names
from zarpipe.report.pages.words import in_words, shown_p, signed, verdict
from zarpipe.report.significance import fair_comparisons
from zarpipe.report.table import CellRow, Table, number_of

if TYPE_CHECKING:
    from zarpipe.study.study import Study

TEMPLATE = "significance.html"


def section(study: Study, table: Table) -> dict[str, Any]:
    """Return the comparisons with the baseline that has as many updates, and all for the plot."""
    fair, names = fair_comparisons(study), spoken_names(study)
    rows = [(row, with_spoken_names(row, names)) for row in table.rows]
    return {
        "tests": [in_words(spoken) for row, spoken in rows if (row["recipe"], row["other_recipe"]) in fair],
        "forest": [_difference(spoken) for _, spoken in rows],
    }


def _difference(row: CellRow) -> dict[str, Any]:
    """Return a line of the plot, and all that is known of it."""
    label = f"{row['recipe']} − {row['other_recipe']}"
    ends = [None if row[name] is None else round(number_of(row[name]), 4) for name in ("ci_low", "ci_high")]
    setting = "ensembles" if row["setting"] == "ensemble" else "single models"
    lines = [
        f"{row['category']}, {setting}",
        label,
        f"{signed(number_of(row['difference']))} points of F1. {verdict(row)}",
        f"p {_with_sign(shown_p(row, 'p_value'))}, corrected {_with_sign(shown_p(row, 'p_holm'))}",
    ]
    return {
        "category": row["category"],
        "setting": setting,
        "label": label,
        "difference": round(number_of(row["difference"]), 4),
        "low": ends[0],
        "high": ends[1],
        "tip": "\n".join(lines),
    }


def _with_sign(p: str) -> str:
    return p if p.startswith("≤") else f"= {p}"
