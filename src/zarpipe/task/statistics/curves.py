"""F1 against the number of training documents: intervals of the points, and the curve read backwards.

Documents of the evaluated split are drawn with replacement, the same ones for every point of every curve, as
in `zarpipe.task.statistics.comparison`. That holds the trained models fixed. What they differ by beyond it
is added: each point moves with the deviations of its units, weighted by standard normal numbers (a
multiplier bootstrap; van der Vaart and Wellner 1996, section 2.9), so that points of the same units move
together. A unit is what a whole new study would draw again: a subset of the training documents with all its
seeds, or, where there is one subset only, a seed. Few units estimate their own spread; Student's t in the
place of the normal distribution says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zarpipe.arrays import Float64, Int64
from zarpipe.task.statistics.comparison import document_samples, flat_counts
from zarpipe.task.statistics.components import components
from zarpipe.task.statistics.f1 import angles, f1_of_angles, influences, micro_f1


@dataclass(frozen=True)
class CurvePoint:
    """The trainings of one method on one number of documents."""

    # [D, U, R, c, 3] int64, right, wrong and missed arguments in c categories of the D evaluated documents,
    # by the R trainings of each of U units.
    counts: Int64
    units: str  # what the units are; points with the same have the same units, in the same order

    @property
    def f1(self) -> Float64:
        """[c], the mean over all trainings."""
        return np.asarray(micro_f1(self.counts.sum(axis=0)).mean(axis=(0, 1)))


def draw_curves(points: Sequence[CurvePoint], samples: int, seed: int) -> Float64:
    """Draw how P points could have come out with other documents and units: [samples, P, c].

    They are evaluated on the same D documents. Units move a point as an angle, so that it stays an F1.
    """
    drawn = np.stack([angles(_of_documents(point, samples, seed)) for point in points], axis=1)
    for number, units in enumerate(sorted({point.units for point in points})):
        places = [place for place, point in enumerate(points) if point.units == units]
        random = np.random.default_rng([seed, 3, number])
        weights = _unit_weights(points[places[0]].counts.shape[1], samples, random)
        for place in places:
            drawn[:, place] += weights @ _unit_deviations(points[place])
    return f1_of_angles(drawn)


def more_documents(sizes: Sequence[int], curve: Float64, place: int, wanted: Float64) -> Float64:
    """Return how many more documents than ``sizes[place]`` B drawn curves need for the wanted F1: [B].

    Between its points a curve [B, P] is a line over the logarithm of the documents (``sizes``, P ascending
    numbers). Where it crosses the F1 several times, the crossing next to the place counts. Nothing is
    extrapolated: negative where the curve has that F1 with fewer documents; inf and -inf where it has it
    nowhere on the side where it is looked for.
    """
    above = wanted > curve[:, place]
    found = np.where(above, np.inf, -np.inf)
    found[wanted == curve[:, place]] = sizes[place]
    for left in reversed(range(place, len(sizes) - 1)):
        crosses = above & (curve[:, left] < wanted) & (wanted <= curve[:, left + 1])
        found[crosses] = _crossing(sizes, curve[crosses], left, wanted[crosses])
    below = wanted < curve[:, place]
    for left in range(place):
        crosses = below & (curve[:, left] <= wanted) & (wanted < curve[:, left + 1])
        found[crosses] = _crossing(sizes, curve[crosses], left, wanted[crosses])
    return found - sizes[place]


def _of_documents(point: CurvePoint, samples: int, seed: int) -> Float64:
    """Draw a point's F1 over documents alone: [samples, c]."""
    flat, shape = flat_counts(point.counts), point.counts.shape[1:]
    return np.concatenate(
        [
            micro_f1((times @ flat).reshape(len(times), *shape)).mean(axis=(1, 2))
            for times in document_samples(len(point.counts), samples, seed)
        ]
    )


def _unit_weights(units: int, samples: int, random: np.random.Generator) -> Float64:
    """Draw what the deviation of each unit counts: [samples, U]; nothing for a single unit."""
    if units < 2:
        return np.zeros((samples, units))
    normal = random.standard_normal((samples, units)) / np.sqrt(units * (units - 1))
    chi_square = np.maximum(random.chisquare(units - 1, samples), np.finfo(float).tiny)
    return np.asarray(normal * np.sqrt((units - 1) / chi_square)[:, None])


def _unit_deviations(point: CurvePoint) -> Float64:
    """Return how far the angles of units are from their mean, without what documents make of each: [U, c]."""
    documents, units, trainings, categories = point.counts.shape[:4]
    f1 = micro_f1(point.counts.sum(axis=0)).mean(axis=1)
    if units < 2:
        return np.zeros_like(f1)
    angle = angles(f1)
    flat = point.counts.reshape(documents, units * trainings, categories, 3)
    influence = influences(flat).reshape(documents, units, trainings, categories).mean(axis=2)
    variance = f1.var(axis=0, ddof=1)
    own = np.array([components(*pair).seed for pair in zip(f1.T, np.moveaxis(influence, -1, 0), strict=True)])
    # The rest of the units' variance is what single documents do to single models: it is drawn already.
    share = np.divide(own, variance, out=np.zeros_like(own), where=variance > 0)
    return np.asarray((angle - angle.mean(axis=0)) * np.sqrt(share))


def _crossing(sizes: Sequence[int], curve: Float64, left: int, wanted: Float64) -> Float64:
    """Return where lines between two points reach an F1 that lies between these."""
    low, high = np.log(sizes[left]), np.log(sizes[left + 1])
    part = (wanted - curve[:, left]) / (curve[:, left + 1] - curve[:, left])
    return np.asarray(np.exp(low + part * (high - low)))
