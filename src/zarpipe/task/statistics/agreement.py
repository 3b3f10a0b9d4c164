"""Agreement of two judges on yes or no, and how good one is as a meter of the other.

Items are drawn from strata of different sizes, so each stands for as many things as its weight says.
Agreement and kappa are about the items as they are; precision and recall about what they stand for. Intervals
come from items that are drawn again with replacement within their strata.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zarpipe.arrays import Bool, Float64, Int64
from zarpipe.task.statistics.comparison import confidence_interval

Interval = tuple[float, float] | None


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % confidence interval; the number is None where there is nothing to divide by.

    Attributes:
        value: a fraction, or kappa.
        interval: None where nothing varies.
    """

    value: float | None
    interval: Interval


@dataclass(frozen=True)
class Agreement:
    """What two judges' answers have in common.

    Attributes:
        observed: share of the items on which they agree.
        kappa: Cohen's kappa (1960): agreement beyond what their shares of yes make by chance.
        precision: of what the meter calls yes, the share that the judge calls yes.
        recall: of what the judge calls yes, the share that the meter calls yes.
        share: what the judge calls yes, of all.
    """

    observed: Estimate
    kappa: Estimate
    precision: Estimate
    recall: Estimate
    share: Estimate


def agreement(
    judge: Bool, meter: Bool, weights: Float64, strata: Int64, samples: int, seed: int
) -> Agreement:
    """Compare a judge's answers with a meter's.

    Args:
        judge: [n] bool.
        meter: [n] bool.
        weights: [n] float64, how many things each item stands for.
        strata: [n] int64, number of the stratum that each was drawn from.
        samples: bootstrap samples.
        seed: their seed.
    """
    here = np.arange(len(judge))[None]
    drawn = _drawn_within(strata, samples, seed)
    weighted = {
        "precision": (judge & meter, meter),
        "recall": (judge & meter, judge),
        "share": (judge, np.ones(len(judge), bool)),
    }
    return Agreement(
        observed=_estimate(
            *(_shares(judge == meter, np.ones_like(judge), chosen) for chosen in (here, drawn))
        ),
        kappa=_estimate(*(_kappas(judge, meter, chosen) for chosen in (here, drawn))),
        **{
            name: _estimate(*(_shares(part, whole, chosen, weights) for chosen in (here, drawn)))
            for name, (part, whole) in weighted.items()
        },
    )


def _drawn_within(strata: Int64, samples: int, seed: int) -> Int64:
    """Draw as many items again from each stratum: [samples, n] indices."""
    rng = np.random.default_rng([seed, 5])
    drawn = [
        rng.choice(np.flatnonzero(strata == stratum), (samples, int((strata == stratum).sum())))
        for stratum in np.unique(strata).tolist()
    ]
    return np.concatenate(drawn, axis=1) if drawn else np.zeros((samples, 0), np.int64)


def _shares(part: Bool, whole: Bool, chosen: Int64, weights: Float64 | None = None) -> Float64:
    """Return the share of each sample, NaN where there is nothing to divide by: [samples, n] -> [samples]."""
    of_each = np.ones(len(part)) if weights is None else weights
    parts, wholes = ((of_each * flags)[chosen].sum(axis=1) for flags in (part, whole))
    return np.asarray(np.where(wholes > 0, parts / np.where(wholes > 0, wholes, 1), np.nan))


def _kappas(judge: Bool, meter: Bool, chosen: Int64) -> Float64:
    one, other = judge[chosen], meter[chosen]
    observed = (one == other).mean(axis=1) if chosen.shape[1] else np.full(len(chosen), np.nan)
    yes, also = (flags.mean(axis=1) if chosen.shape[1] else observed for flags in (one, other))
    expected = yes * also + (1 - yes) * (1 - also)
    apart = expected < 1
    return np.asarray(np.where(apart, (observed - expected) / np.where(apart, 1 - expected, 1), np.nan))


def _estimate(value: Float64, drawn: Float64) -> Estimate:
    known = drawn[~np.isnan(drawn)]
    found = None if np.isnan(value[0]) else float(value[0])
    return Estimate(found, confidence_interval(known) if found is not None and len(known) else None)
