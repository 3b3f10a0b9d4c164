"""What a test of a difference says in words, and no more."""

from __future__ import annotations

from typing import Any

from zarpipe.report.table import CellRow, number_of
from zarpipe.task.statistics.comparison import MIN_DOCUMENTS

SIGNIFICANT = 0.05
_CATEGORIES = {
    "ALL": "All arguments (ALL)",
    "DEP": "Arguments in a direct dependency (DEP)",
    "ZAR": "Zero arguments (ZAR)",
}


def in_words(row: CellRow) -> dict[str, Any]:
    """Say what a test found, and no more: its correction for all tests decides, and a wide interval shows."""
    who = "the ensemble" if row["setting"] == "ensemble" else "single models"
    category = str(row["category"])
    text = (
        f"{_CATEGORIES.get(category, category)}, {who}: {row['recipe']} has {number_of(row['f1']):.2f} F1, "
        f"{row['other_recipe']} {number_of(row['other_f1']):.2f}; a difference of "
        f"{signed(number_of(row['difference']))} points ({_chance(row)})."
    )
    return {"text": text, "significant": is_significant(row), "verdict": verdict(row)}


def is_significant(row: CellRow) -> bool:
    """Tell whether a difference stands the correction for all tests of its family."""
    return number_of(row["p_holm"]) <= SIGNIFICANT


def verdict(row: CellRow) -> str:
    """Say which system is better, if the test can tell, and how wide the interval is."""
    documents = int(number_of(row["documents"]))
    if documents < MIN_DOCUMENTS:
        return f"Too few documents for a test: {documents}, at least {MIN_DOCUMENTS} are needed."
    if row["ci_low"] is None:
        return "The documents do not differ, so there is no interval."
    interval = f"{signed(number_of(row['ci_low']))} to {signed(number_of(row['ci_high']))}"
    if not is_significant(row):
        holds_zero = number_of(row["ci_low"]) <= 0 <= number_of(row["ci_high"])
        corrected = "" if holds_zero else ", corrected for the other tests"
        return f"Not told apart from {row['other_recipe']}{corrected}: {interval}."
    better, other = row["recipe"], row["other_recipe"]
    if number_of(row["difference"]) < 0:
        better, other = other, better
    return f"{better} is better than {other}: {interval}."


def shown_p(row: CellRow, name: str) -> str:
    """Write a p-value; at the resolution of the permutations it is only known to be at most that."""
    least = number_of(row["p_value"]) <= _resolution(row) * (1 + 1e-9)
    return f"≤ {number_of(row[name]):.4f}" if least else f"{number_of(row[name]):.4f}"


def signed(difference: float) -> str:
    """Write a difference with its sign; a true minus, and none for what is shown as zero."""
    text = f"{difference:+.2f}".replace("-", "−")
    return "±0.00" if text in ("+0.00", "−0.00") else text


def _chance(row: CellRow) -> str:
    """Say how likely chance is."""
    limit, p = _resolution(row), number_of(row["p_value"])
    said = f"p ≤ {limit:.1g}" if p <= limit * (1 + 1e-9) else f"p = {p:.4f}"
    return f"{said}; corrected for the other tests, {number_of(row['p_holm']):.4f}"


def _resolution(row: CellRow) -> float:
    return 1 / (1 + number_of(row["permutations"]))
