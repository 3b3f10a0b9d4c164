"""What augmentation is worth in documents, in words: no more than the curves and their intervals carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from zarpipe.arrays import Float64
from zarpipe.report.pages.words import SIGNIFICANT
from zarpipe.report.table import counted, two_digits
from zarpipe.task.statistics.comparison import CONFIDENCE, confidence_interval, holm
from zarpipe.task.statistics.curves import more_documents

MIN_DOCUMENTS = 10
"""Evaluated documents that something is said of."""
MIN_UNITS = 3
"""Subsets, or seeds on all documents, from which something is said of other ones."""


@dataclass(frozen=True)
class Worth:
    """A method beside the baseline with as many updates, on the same training documents.

    Difference of F1, as a fraction; ``more``: how many more documents the baseline needs for the method's
    F1, None when its curve does not say: it does not rise everywhere, or ends below. Intervals are of 95
    %, None when there is nothing to take them from; that of ``more`` ends at inf where the curve ends
    below.
    """

    difference: float
    verdict: str
    interval: tuple[float, float] | None = None
    more: float | None = None
    more_interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Curves:
    """Two curves at the same P numbers of training documents, ascending, in one category.

    F1 of a method and of the baseline with as many updates: [P] fractions, and [B, P] draws of them, with
    the same documents. ``documents``: evaluated ones that have something to count. ``units``: at each
    number, subsets, or seeds on all documents. ``apart``: whether the difference there stands the
    correction for all that are told of (`told_apart`).
    """

    category: str
    sizes: list[int]
    method: str
    f1: Float64
    drawn: Float64
    baseline: Float64
    baseline_drawn: Float64
    documents: int
    units: list[int]
    apart: Sequence[bool] = ()

    def p_value(self, place: int) -> float | None:
        """Return how likely chance makes a difference as large; None where too little is known to say so.

        It is that of the interval: twice the share of draws beyond zero, counting the observed one.
        """
        if not self.is_told(place):
            return None
        drawn = self.drawn[:, place] - self.baseline_drawn[:, place]
        beyond = min((drawn <= 0).sum(), (drawn >= 0).sum())
        return float(min(1.0, 2 * (1 + beyond) / (1 + len(drawn))))

    def is_told(self, place: int) -> bool:
        """Tell whether there are documents and units enough for intervals and words."""
        return self.documents >= MIN_DOCUMENTS and self.units[place] >= MIN_UNITS

    def worth(self, place: int) -> Worth:
        """Say what the method is worth on ``sizes[place]`` documents."""
        difference, here = float(self.f1[place] - self.baseline[place]), self._here(place)
        if not self.is_told(place):
            return Worth(difference, self._too_little(place))
        interval = confidence_interval(self.drawn[:, place] - self.baseline_drawn[:, place])
        if interval is None:
            return Worth(difference, f"{here}: nothing varies; no interval.")
        points = (
            f"{_signed(difference)} points of {self.category} F1 (95 % interval {_between(interval)}) "
            "against the baseline with as many updates"
        )
        if not self.apart[place]:
            holds_zero = interval[0] <= 0 <= interval[1]
            corrected = "" if holds_zero else ", corrected for the other sentences"
            return Worth(difference, f"{here} is not told apart from nothing{corrected}: {points}.", interval)
        if difference < 0:
            return Worth(difference, f"{here} does harm: {points}.", interval)
        return self._gain(place, Worth(difference, f"{here} helps: {points}", interval), points)

    def _gain(self, place: int, helps: Worth, points: str) -> Worth:
        """Read the baseline's curve backwards for a gain that is told apart from nothing."""
        if place == len(self.sizes) - 1:
            return replace(helps, verdict=f"{helps.verdict}{self._beyond_the_last()}")
        if (np.diff(self.baseline[place:]) <= 0).any():
            why = "; but the curve of that baseline does not rise throughout from there on, so that no number"
            return replace(helps, verdict=f"{helps.verdict}{why} of documents can be read off it.")
        (more,) = more_documents(self.sizes, self.baseline[None], place, self.f1[place : place + 1])
        drawn = more_documents(self.sizes, self.baseline_drawn, place, self.drawn[:, place])
        low, high = _order_quantiles(drawn)
        most = self.sizes[-1] - self.sizes[place]
        if np.isinf(more):
            verdict = (
                f"{helps.verdict}; that is worth more than the {two_digits(most)} further documents of this "
                f"curve (95 % interval from {_limit(low, most)})."
            )
            return replace(helps, verdict=verdict, more_interval=(low, high))
        verdict = (
            f"{self._here(place)} is worth about {two_digits(more)} more documents (95 % interval "
            f"{_limit(low, most)} to {_limit(high, most)}): {points}."
        )
        return replace(helps, verdict=verdict, more=float(more), more_interval=(low, high))

    def _beyond_the_last(self) -> str:
        """Say what the method's own curve tells of the largest size, where the baseline's has ended."""
        last = len(self.sizes) - 1
        unknown = "; how many more documents that is worth is not known: the curve ends here."
        if last == 0 or (np.diff(self.f1) <= 0).any():
            return unknown
        (less,) = more_documents(self.sizes, self.f1[None], last, self.baseline[last:])
        drawn = more_documents(self.sizes, self.drawn, last, self.baseline_drawn[:, last])
        low, high = (self.sizes[-1] + value for value in _order_quantiles(drawn))
        if not np.isfinite([less, low, high]).all():
            return unknown
        reached = self.sizes[-1] + less
        return (
            f", whose F1 it has with about {two_digits(reached)} documents already (95 % interval "
            f"{two_digits(low)} to {two_digits(high)}). How many more documents it is worth is not known: "
            "the curve ends here."
        )

    def _here(self, place: int) -> str:
        return f"At {counted(self.sizes[place], 'document')}, {self.method}"

    def _too_little(self, place: int) -> str:
        if self.documents < MIN_DOCUMENTS:
            found = f"{self.documents} evaluated documents; {MIN_DOCUMENTS} are needed"
        else:
            found = f"{self.units[place]} subsets, or seeds on all documents; {MIN_UNITS} are needed"
        return f"{self._here(place)}: no interval ({found}), so nothing is said."


def told_apart(curves: Sequence[Curves]) -> list[Curves]:
    """Return the curves with the differences told apart that stand Holm's correction for all of them."""
    p_values = [[one.p_value(place) for place in range(len(one.sizes))] for one in curves]
    told = [p for of_curve in p_values for p in of_curve if p is not None]
    corrected = iter(holm(np.array(told, float)).tolist())
    apart = [[p is not None and next(corrected) <= SIGNIFICANT for p in of_curve] for of_curve in p_values]
    return [replace(one, apart=of_curve) for one, of_curve in zip(curves, apart, strict=True)]


def _order_quantiles(drawn: Float64) -> tuple[float, float]:
    """Return the 95 % interval of draws of which some may be infinite: two of the draws themselves."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], method="inverted_cdf")
    return float(low), float(high)


def _limit(documents: float, most: int) -> str:
    """Say an end of an interval; beyond the curve it is only known to be that."""
    return f"more than {two_digits(most)}" if np.isinf(documents) else two_digits(documents)


def _signed(difference: float) -> str:
    return f"{100 * difference:+.2f}".replace("-", "−")


def _between(interval: tuple[float, float]) -> str:
    return " to ".join(map(_signed, interval))
