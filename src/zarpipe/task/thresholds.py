"""Decoding and the threshold search: the most probable token of each case, accepted if probable enough.

For each case the candidate is the token with the highest probability of that label over all tokens of the
sentence (the predicate and its bunsetsu included; the first of equal ones). It is the argument if its
probability reaches the case's threshold. Thresholds are searched per case by F1 on the development set, among
equal F1 values the lowest wins. Source: Konno et al. (2020), Section 3.2; golden evaluation notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from zarpipe.arrays import Bool, Float64, Floats, Int8, Int64, any_of_each
from zarpipe.task.cases import CASE_NAMES, case_named


@dataclass(frozen=True)
class Candidates:
    """The most probable token of each case, for n instances and C cases."""

    token: Int64  # [n, C] int64, index within the instance
    probability: Float64  # [n, C] float64

    def decide(self, thresholds: Mapping[str, float], exceed: bool = False) -> Int64:
        """Return [n, C] int64: the candidate where it reaches its case's threshold, else -1.

        The paper's word is ``exceed``: equal does not do then.
        """
        limits = np.array([thresholds[case] for case in CASE_NAMES])
        accepted = self.probability > limits if exceed else self.probability >= limits
        return np.where(accepted, self.token, -1)


@dataclass(frozen=True)
class Search:
    """What the threshold search found."""

    thresholds: dict[str, float]  # case -> best threshold
    # Case -> [thresholds of the grid, 3] int64: right, wrong and missed arguments (pp, np, pn).
    curves: dict[str, Int64]
    f1: float  # micro F1 over the cases at the best thresholds


def candidates(probabilities: Floats, offsets: Int64) -> Candidates:
    """Pick the most probable token of each instance and case.

    Probabilities are [N, C + 1], columns the cases, then NONE; float32 values are compared as doubles.
    Offsets are [n + 1]; every instance has at least one token.
    """
    if len(offsets) == 1:
        return Candidates(np.zeros((0, len(CASE_NAMES)), np.int64), np.zeros((0, len(CASE_NAMES))))
    of_cases = probabilities[:, : len(CASE_NAMES)]
    best = np.maximum.reduceat(of_cases, offsets[:-1], axis=0)
    rows = np.arange(len(of_cases))[:, None]
    at_best = of_cases == np.repeat(best, np.diff(offsets), axis=0)
    first = np.minimum.reduceat(np.where(at_best, rows, len(of_cases)), offsets[:-1], axis=0)
    return Candidates(first - offsets[:-1, None], best.astype(np.float64))


def search_thresholds(found: Candidates, gold: Bool, offsets: Int64, exceed: bool = False) -> Search:
    """Search each case's threshold by F1.

    ``gold`` [N, C] tells whether the token is a gold argument of the case (see `gold_of_labels`); offsets are
    [n + 1].
    """
    right = np.take_along_axis(gold, found.token + offsets[:-1, None], axis=0)
    has_gold = any_of_each(gold, offsets)
    thresholds, curves = {}, {}
    chosen = np.zeros(3, np.int64)
    for column, case in enumerate(CASE_NAMES):
        grid = threshold_grid(case)
        curve = threshold_curve(
            found.probability[:, column], right[:, column], has_gold[:, column], grid, exceed
        )
        best = int(np.argmax(f1_of_counts(curve)))
        thresholds[case], curves[case] = float(grid[best]), curve
        chosen += curve[best]
    return Search(thresholds, curves, float(f1_of_counts(chosen)))


def threshold_grid(case: str) -> Float64:
    """Return the thresholds that are tried for a case, ascending: k / 100.0 for whole k."""
    first, last = (round(100 * bound) for bound in case_named(case).thresholds)
    return np.arange(first, last + 1) / 100.0


def gold_of_labels(labels: Int8) -> Bool:
    """Turn a label row [N] (one label a token) into gold [N, C]."""
    return np.equal(labels[:, None], np.arange(len(CASE_NAMES)))


def threshold_curve(
    probability: Floats, right: Bool, has_gold: Bool, grid: Floats, exceed: bool = False
) -> Int64:
    """Count right, wrong and missed at every threshold of an ascending grid: [thresholds, 3].

    ``probability`` and ``right`` are those of n candidates; ``has_gold`` tells whether there is something to
    find, for each place where there may be.
    """
    # The thresholds that a candidate passes are the first `passed` of the ascending grid.
    passed = np.searchsorted(grid, probability, side="left" if exceed else "right")
    accepted_right = _at_least(passed[right], len(grid))
    accepted_wrong = _at_least(passed[~right], len(grid))
    return np.stack([accepted_right, accepted_wrong, has_gold.sum() - accepted_right], axis=1)


def _at_least(passed: Int64, thresholds: int) -> Int64:
    """Count, for each threshold, the candidates that pass it."""
    counts = np.bincount(passed, minlength=thresholds + 1)
    return counts[::-1].cumsum()[::-1][1:]


def f1_of_counts(counts: Int64) -> Floats:
    """F1 of [..., 3] counts (pp, np, pn), 0 when there is nothing to divide.

    Written as 2PR / (P + R) in doubles like the reference search: equal fractions can differ in the last bit
    by this formula, and that decides which of two equally good thresholds is taken.
    """
    right, wrong, missed = np.moveaxis(counts, -1, 0)
    precision = right / np.maximum(right + wrong, 1)
    recall = right / np.maximum(right + missed, 1)
    both = precision + recall
    return np.asarray(2 * precision * recall / np.where(both > 0, both, 1.0))
