"""What a test of a difference says in words, and no more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zarpipe.report.table import CellRow, counted, number_of
from zarpipe.task.statistics.components import MIN_DOCUMENTS

SIGNIFICANT = 0.05
# The rate is that of docs/statistics.md.
FEW_SEEDS = (
    "Two seeds tell little of how much seeds differ: on a test set of many documents this test then calls "
    "about one in twelve pairs of equal systems different, where one in twenty is meant. Train more."
)


def told_apart(tests: Sequence[CellRow]) -> str:
    """Say how many comparisons with the baselines that have as many updates found something."""
    found = sum(map(is_significant, tests))
    verb = "is" if found < 2 else "are"
    return f"{found or 'None'} of {counted(len(tests), 'comparison')} with as many updates {verb} told apart."


def shown_test(row: CellRow) -> dict[str, Any]:
    """Return a test as a line of a small table, with its verdict."""
    who = "ensemble" if row["setting"] == "ensemble" else "single"
    ends = [signed(number_of(row[name])) for name in ("ci_low", "ci_high") if row[name] is not None]
    cells = [row["recipe"], row["other_recipe"], row["category"], who, signed(number_of(row["difference"]))]
    significant = bool(ends) and is_significant(row)
    answer = "told apart" if significant else "not told apart"
    return {
        "cells": [*map(str, cells), " to ".join(ends), shown_p(row, "p_holm")],
        "significant": significant,
        "verdict": answer if ends else verdict(row),
    }


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


def _resolution(row: CellRow) -> float:
    return 1 / (1 + number_of(row["permutations"]))
