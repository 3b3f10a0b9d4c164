"""Tests of F1 differences over documents and seeds.

Sentences of a document, and predicates of a sentence, hang together, so the document is what is resampled.

- p-values: under the null hypothesis a document's outcomes could have come from either system. Swapping
  those of whole documents, for all seeds of the document together, leaves the difference's distribution as
  it is (paired cluster permutation; Noreen 1989, Computer-Intensive Methods for Testing Hypotheses).
- Intervals: documents are drawn with replacement, the same ones for both systems and all seeds (paired
  cluster bootstrap).

Seeds are a second level, crossed with the documents. Both of the above know how documents differ, and how
they differ by seed, but hold the K trained models fixed. What the models of a recipe differ by beyond that
is the component ``seed`` of `zarpipe.task.statistics.components`; each draw is stretched by what it adds to
the variance. Few seeds estimate it, so the stretch is itself drawn, which turns a normal distribution into
Student's t with the degrees of freedom of Satterthwaite (1946, An approximate distribution of estimates of
variance components, Biometrics Bulletin 2). To resample seeds as well as documents would count the part
that belongs to both three times (Owen 2007, The pigeonhole bootstrap, Annals of Applied Statistics 1). A
system of one model, such as an ensemble, has no such part: its tests are about that model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zarpipe.arrays import Bool, Float32, Float64, Int64
from zarpipe.task.statistics.components import MIN_DOCUMENTS, components
from zarpipe.task.statistics.f1 import angles, f1_of_angles, influences, micro_f1

CONFIDENCE = 0.95
_CHUNK_NUMBERS = 8_000_000  # random numbers in memory at a time
# Equal differences can differ in the last bits by the order of their sums.
_TOLERANCE = 1e-12
_NORMAL = 1e9  # degrees of freedom with which Student's t is the normal distribution


@dataclass(frozen=True)
class Comparison:
    """An F1 difference with what chance says about it; F1 as fractions."""

    f1: float  # mean F1 of the system over its models
    other_f1: float  # the same of the system that it is compared with
    difference: float  # `f1 - other_f1`
    # 95 % confidence interval of the difference; None when there are fewer than MIN_DOCUMENTS documents with
    # something to count, or when nothing varies over documents.
    interval: tuple[float, float] | None
    p_value: float  # two-sided, never 0
    # Share of the pairs of models (by seed) in which the system has the higher F1; a tie is half a pair.
    won: float
    documents: int  # documents that have something to count


def compare(counts: Int64, other_counts: Int64, draws: int, seed: int) -> list[Comparison]:
    """Test the F1 differences of two systems in c categories, with the same draws for each.

    Counts are [D, K, c, 3] int64, right, wrong and missed arguments of D documents by each of K models; model
    i of one system is paired with model i of the other. Draws are permutations, and bootstrap samples.
    """
    f1, other_f1 = (micro_f1(of_system.sum(axis=0)) for of_system in (counts, other_counts))
    countable = ((counts + other_counts).sum(axis=(1, 3)) > 0).sum(axis=0)
    differences = (f1 - other_f1).mean(axis=0)
    stretch = seed_stretch(counts, other_counts, draws, seed)
    permuted = permuted_differences(counts, other_counts, draws, seed) * stretch
    drawn = bootstrap_differences(counts, other_counts, draws, seed)
    drawn = differences + (drawn - differences) * stretch
    won = ((f1 > other_f1) + 0.5 * (f1 == other_f1)).mean(axis=0)
    return [
        Comparison(
            float(f1[:, place].mean()),
            float(other_f1[:, place].mean()),
            float(differences[place]),
            confidence_interval(drawn[:, place]) if documents >= MIN_DOCUMENTS else None,
            p_value(float(differences[place]), permuted[:, place]),
            float(won[place]),
            int(documents),
        )
        for place, documents in enumerate(countable)
    ]


def f1_intervals(counts: Int64, draws: int, seed: int) -> list[tuple[float, float] | None]:
    """Return the 95 % confidence interval of the mean F1 over models, in c categories.

    Counts as for `compare`, of one system; fractions, and None as for `Comparison.interval`. Draws are
    stretched as angles, so that none leaves 0 to 1.
    """
    nothing = np.zeros_like(counts)  # F1 is its difference from a system that has none
    middle = angles(micro_f1(counts.sum(axis=0)).mean(axis=0))
    stretch = seed_stretch(counts, nothing, draws, seed)
    drawn = angles(bootstrap_differences(counts, nothing, draws, seed))
    drawn = f1_of_angles(middle + (drawn - middle) * stretch)
    countable = (counts.sum(axis=(1, 3)) > 0).sum(axis=0)
    return [
        confidence_interval(drawn[:, place]) if documents >= MIN_DOCUMENTS else None
        for place, documents in enumerate(countable)
    ]


def permuted_differences(counts: Int64, other_counts: Int64, permutations: int, seed: int) -> Float64:
    """Return the mean F1 differences after each of many random swaps of documents: [permutations, c]."""
    # Swapping equal outcomes changes nothing; leaving them out saves most of the work.
    differ = (counts != other_counts).any(axis=(1, 2, 3))
    rng = np.random.default_rng([seed, 0])
    swaps = _in_chunks(int(differ.sum()), permutations, lambda shape: rng.integers(0, 2, shape, np.int8))
    return np.concatenate(
        [_differences_of_sums(*_swapped_sums(counts, other_counts, differ, chosen)) for chosen in swaps]
    )


def bootstrap_differences(counts: Int64, other_counts: Int64, samples: int, seed: int) -> Float64:
    """Return the mean F1 differences in many samples of D documents with replacement: [samples, c]."""
    flat, other_flat = flat_counts(counts), flat_counts(other_counts)
    differences = []
    for times in document_samples(len(counts), samples, seed):
        sums = (times @ flat).reshape(len(times), *counts.shape[1:])
        other_sums = (times @ other_flat).reshape(len(times), *counts.shape[1:])
        differences.append(_differences_of_sums(sums, other_sums))
    return np.concatenate(differences)


def document_samples(documents: int, samples: int, seed: int) -> Iterator[Float32]:
    """Yield how often each document is in each of many samples of D with replacement: [some, D] at a time."""
    rng = np.random.default_rng([seed, 1])
    drawn = _in_chunks(documents, samples, lambda shape: rng.integers(0, max(documents, 1), shape, np.int32))
    for chosen in drawn:
        yield _times_drawn(chosen, documents)


def flat_counts(counts: Int64) -> Float32:
    """Return counts as [D, the rest] float32: exact, since sums of counts stay far below 2**24."""
    return counts.reshape(len(counts), int(np.prod(counts.shape[1:]))).astype(np.float32)


def seed_stretch(counts: Int64, other_counts: Int64, draws: int, seed: int) -> Float64:
    """Draw how far seeds stretch the differences that documents alone make: [draws, c]; 1 for one seed."""
    documents, models, categories = counts.shape[:3]
    if models < 2 or not documents:
        return np.ones((draws, categories))
    differences = micro_f1(counts.sum(axis=0)) - micro_f1(other_counts.sum(axis=0))
    influence = influences(counts) - influences(other_counts)
    columns = zip(differences.T, np.moveaxis(influence, -1, 0), strict=True)
    return np.stack(
        [_stretch(*column, np.random.default_rng([seed, 2]), draws) for column in columns], axis=1
    )


def p_value(difference: float, permuted: Float64) -> float:
    """Return the two-sided p-value, counting the observed difference as one of the permutations.

    It is (1 + permutations at least as far from zero) / (1 + permutations): Davison and Hinkley (1997), 4.11.
    """
    as_far = int((np.abs(permuted) >= abs(difference) - _TOLERANCE).sum())
    return (1 + as_far) / (1 + len(permuted))


def confidence_interval(differences: Float64) -> tuple[float, float] | None:
    """Return the 95 % percentile interval, within -1 and 1; None when nothing varies."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.clip(np.quantile(differences, [tail, 1 - tail]), -1, 1)
    return (float(low), float(high)) if high - low > _TOLERANCE else None


def holm(p_values: Float64) -> Float64:
    """Correct the p-values of a family of tests: [n] -> [n] (Holm 1979)."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return corrected


def _stretch(differences: Float64, influence: Float64, rng: np.random.Generator, draws: int) -> Float64:
    """Draw the stretch of one category from differences [K] and influences [D, K]: [draws]."""
    models = len(differences)
    found = components(differences, influence)
    together = found.variance(found.documents, models)
    of_documents = together - found.seed / models
    if of_documents <= 0:
        return np.ones(draws)
    # How much of the variance the few seeds have to tell.
    share = float(np.var(differences, ddof=1)) / models / together
    freedom = min((models - 1) / share**2, _NORMAL) if share > 0 else _NORMAL
    chi_square = np.maximum(rng.chisquare(freedom, draws), _TOLERANCE)
    return np.asarray(np.sqrt(together / of_documents * freedom / chi_square))


def _swapped_sums(
    counts: Int64, other_counts: Int64, differ: Bool, swaps: npt.NDArray[np.integer]
) -> tuple[npt.NDArray[np.number], npt.NDArray[np.number]]:
    """Return both systems' summed counts after each swap of the documents that differ: twice [P, K, c, 3]."""
    total, other_total = counts.sum(axis=0), other_counts.sum(axis=0)
    gained = swaps.astype(np.float32) @ flat_counts(other_counts[differ] - counts[differ])
    sums = total + gained.reshape(len(swaps), *total.shape)
    return sums, total + other_total - sums


def _differences_of_sums(sums: npt.NDArray[np.number], other_sums: npt.NDArray[np.number]) -> Float64:
    """Return the mean over models of the F1 differences: twice [P, K, c, 3] -> [P, c]."""
    return np.asarray((micro_f1(sums) - micro_f1(other_sums)).mean(axis=1))


def _times_drawn(chosen: npt.NDArray[np.integer], documents: int) -> Float32:
    """Count how often each document is in each sample: [P, D] indices -> [P, D] float32."""
    rows = np.arange(len(chosen))[:, None] * documents
    times = np.bincount((chosen + rows).ravel(), minlength=len(chosen) * documents)
    return times.reshape(len(chosen), documents).astype(np.float32)


def _in_chunks(
    width: int, rows: int, draw: Callable[[tuple[int, int]], npt.NDArray[np.integer]]
) -> Iterator[npt.NDArray[np.integer]]:
    """Draw [rows, width] numbers, as many rows at a time as fit in memory."""
    step = max(1, _CHUNK_NUMBERS // max(width, 1))
    for first in range(0, rows, step):
        yield draw((min(step, rows - first), width))
