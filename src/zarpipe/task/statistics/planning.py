"""How likely a study of another size finds a difference, from the variance components of a finished one.

The test of `zarpipe.task.statistics.comparison` behaves as a t-test of the mean difference, with the variance
and the degrees of freedom that its components give. The power is that of the two-sided t-test at 5 %: the
difference over its standard error, normal, is divided by an independent estimate of that standard error
(Johnson, Kotz and Balakrishnan 1995, Continuous Univariate Distributions 2, chapter 31).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from zarpipe.arrays import Float64
from zarpipe.task.statistics.comparison import CONFIDENCE
from zarpipe.task.statistics.components import MIN_DOCUMENTS, Components

LEVEL = 0.05
MOST_SEEDS = 10_000
MOST_DOCUMENTS = 10_000_000
_DRAWS = 2000
_NORMAL = NormalDist()
# The estimate of a spread from one or two differences has much weight near 0: more points there.
_POINTS, _POINTS_OF_FEW, _FEW = 200, 4000, 3
# From here on Student's t is the normal distribution to three digits of the power.
_MANY = 2_000.0


def power(found: Components, difference: float, documents: float, seeds: float) -> float:
    """Return how likely this many documents and seeds show a true difference of F1 (a fraction) at 5 %."""
    error = math.sqrt(max(found.variance(documents, seeds), 0.0))
    if error == 0:
        return 1.0 if difference else LEVEL
    freedom = degrees_of_freedom(found, documents, seeds)
    return _rejected(abs(difference) / error, _critical(freedom), freedom)


def plausible(found: Components, documents: float, seeds: float) -> tuple[Components, Components]:
    """Return components at both ends of the 95 % interval of the variance of a mean at a size.

    The mean squares that the components were estimated from are, over their expectations, chi-square numbers
    over their degrees of freedom; dividing by drawn ones gives what may be behind the estimate (generalised
    confidence intervals; Weerahandi 1995, Exact Statistical Methods for Data Analysis, chapter 5).
    """
    random = np.random.default_rng(0)
    there, models = found.documents, found.seeds

    def drawn(square: float, freedom: int) -> Float64:
        return square * freedom / random.chisquare(freedom, _DRAWS)

    rest = drawn(found.rest, (models - 1) * (there - 1))
    seed = np.maximum(drawn(found.seed + found.rest, models - 1) - rest, 0.0)
    document = np.maximum(drawn(found.document + found.rest / models, there - 1) - rest / models, 0.0)
    drawings = [
        Components(float(one), float(other), float(third), there, models)
        for one, other, third in zip(seed, document, rest, strict=True)
    ]
    drawings.sort(key=lambda one: one.variance(documents, seeds))
    tail = round((1 - CONFIDENCE) / 2 * _DRAWS)
    return drawings[tail], drawings[-tail - 1]


def degrees_of_freedom(found: Components, documents: float, seeds: float) -> float:
    """Return how well this many seeds estimate the variance (Satterthwaite 1946); infinite for one seed.

    The test of one seed, or of an ensemble, says nothing about other seeds: there only documents vary.
    """
    together = found.variance(documents, seeds)
    of_models = found.seed + found.rest * found.documents / documents
    if seeds <= 1 or of_models <= 0:
        return math.inf
    return float((seeds - 1) * (together * seeds / of_models) ** 2)


def seeds_needed(found: Components, difference: float, documents: int, wanted: float) -> int | None:
    """Return the fewest seeds that reach a power on this many documents; None if no number does."""
    return _fewest(lambda seeds: power(found, difference, documents, seeds), 2, MOST_SEEDS, wanted)


def documents_needed(found: Components, difference: float, seeds: int, wanted: float) -> int | None:
    """Return the fewest documents that reach a power with this many seeds; None if no number does."""
    return _fewest(
        lambda documents: power(found, difference, documents, seeds), MIN_DOCUMENTS, MOST_DOCUMENTS, wanted
    )


def detectable(found: Components, documents: int, seeds: float, wanted: float) -> float:
    """Return the smallest F1 difference (a fraction) that is found with a power."""
    error = math.sqrt(found.variance(documents, seeds))
    freedom = degrees_of_freedom(found, documents, seeds)
    critical = _critical(freedom)
    return error * _solved(lambda distance: _rejected(distance, critical, freedom) - wanted, 0.0, 200.0)


def _fewest(reached: Callable[[int], float], least: int, most: int, wanted: float) -> int | None:
    """Return the smallest number whose power is high enough; the power grows with the number."""
    if reached(most) < wanted:
        return None
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if reached(middle) >= wanted else (middle + 1, most)
    return least


@functools.lru_cache(maxsize=1000)
def _critical(freedom: float) -> float:
    """Return the quantile of |t| at the level."""
    normal = -_NORMAL.inv_cdf(LEVEL / 2)
    if freedom > _MANY:
        return normal
    return _solved(lambda critical: LEVEL - _rejected(0.0, critical, freedom), normal, 1e3)


def _rejected(distance: float, critical: float, freedom: float) -> float:
    """Return how often |t| exceeds a critical value when the true mean is so many standard errors from 0."""
    if freedom > _MANY:
        return _NORMAL.cdf(distance - critical) + _NORMAL.cdf(-distance - critical)
    spread, weight = _estimated_spread(freedom)
    outside = [
        _NORMAL.cdf(distance - critical * one) + _NORMAL.cdf(-distance - critical * one) for one in spread
    ]
    return float(np.dot(weight, outside))


@functools.lru_cache(maxsize=1000)
def _estimated_spread(freedom: float) -> tuple[list[float], list[float]]:
    """Return values of an estimated over a true standard error, and their weights (sum 1)."""
    deviation = 1 / math.sqrt(2 * freedom)
    points = _POINTS_OF_FEW if freedom < _FEW else _POINTS
    low, high = max(0.0, 1 - 8 * deviation), 1 + 10 * deviation
    value = low + (np.arange(points) + 0.5) * (high - low) / points
    # The density of sqrt(chi-square / freedom), up to a factor.
    density = (freedom - 1) * np.log(value) - freedom * value**2 / 2
    weight = np.exp(density - density.max())
    return value.tolist(), (weight / weight.sum()).tolist()


def _solved(rising: Callable[[float], float], low: float, high: float) -> float:
    """Return where a rising function is zero."""
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2
