"""Almost stochastic order of two samples of scores.

Dror, Shlomov and Reichart (2019), Deep Dominance: How to Properly Compare Deep Neural Models, after del
Barrio, Cuesta-Albertos and Matran (2018). A system is stochastically better when each quantile of its
scores is at least that of the other. The violation ratio (0 to 1) is the share of the squared distance
between the quantiles where it is not.
"""

from __future__ import annotations

import statistics

import numpy as np

from zarpipe.arrays import Float64

_STEP = 0.005
# Sizes of the authors' bootstrap.
_SAMPLES = 1000
_DRAWS = 1000


def almost_stochastic_order(
    scores: Float64, other_scores: Float64, seed: int, confidence: float = 0.95
) -> float:
    """Return the upper bound of the violation ratio of ``scores`` better than ``other_scores``, one per seed.

    Below 0.5 the system is almost stochastically better; the lower, the surer. The bound of a pair the other
    way round is not one minus this bound.
    """
    ratio = violation_ratio(scores[None], other_scores[None])[0]
    rng = np.random.default_rng([seed, 3])
    drawn = violation_ratio(*(rng.choice(one, (_DRAWS, _SAMPLES)) for one in (scores, other_scores)))
    deviation = float(np.std(np.sqrt(_SAMPLES / 2) * (drawn - ratio)))
    n, m = len(scores), len(other_scores)
    error = deviation * np.sqrt((n + m) / (n * m))
    bound = ratio + error * statistics.NormalDist().inv_cdf(confidence)
    return float(np.clip(bound, 0, 1))


def violation_ratio(scores: Float64, other_scores: Float64) -> Float64:
    """Return how far the quantiles of ``scores`` lie below the others: twice [P, n] samples -> [P].

    Samples that are equal give 1: nothing shows that one is better.
    """
    lead = _quantiles(other_scores) - _quantiles(scores)
    distance = (lead**2).sum(axis=1)
    violated = (np.maximum(lead, 0) ** 2).sum(axis=1)
    return np.asarray(np.where(distance > 0, violated / np.where(distance > 0, distance, 1), 1.0))


def _quantiles(scores: Float64) -> Float64:
    """Return the quantiles at 0, 0.005, ...: [P, n] -> [P, 200], each one of the scores."""
    n = scores.shape[1]
    places = np.ceil(n * np.arange(0, 1, _STEP)).astype(int) - 1
    return np.asarray(np.sort(scores, axis=1)[:, np.clip(places, 0, n - 1)])
