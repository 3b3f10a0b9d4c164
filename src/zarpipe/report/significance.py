"""Paired significance tests of F1 differences over instances.

Two systems decide the arguments of the same instances. Under the null hypothesis an instance's outcomes could
have come from either system, so swapping them leaves the F1 difference's distribution as it is (permutation
test; Noreen 1989, Computer-Intensive Methods for Testing Hypotheses). How large the difference is, is
estimated by drawing instances with replacement, the same ones for both systems (paired bootstrap).

A system may be several single models, paired by seed with those of the other one: the statistic is then the
mean of their F1 differences, and an instance is swapped, or drawn, for all seeds together, because the
models' errors on one instance are not independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zarpipe.arrays import Bool, Float32, Float64, Int64
from zarpipe.task.relations import ARGUMENT_RELATIONS
from zarpipe.task.scores import ALL

CONFIDENCE = 0.95
_CATEGORIES = {relation.name: relation for relation in ARGUMENT_RELATIONS}
_CHUNK_NUMBERS = 16_000_000  # random numbers in memory at a time
# Equal differences can differ in the last bits by the order of their sums.
_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Comparison:
    """An F1 difference with what chance says about it; F1 as fractions.

    Attributes:
        f1: mean F1 of the system over its models.
        other_f1: the same of the system that it is compared with.
        difference: ``f1 - other_f1``.
        low: lower end of the 95 % confidence interval of the difference.
        high: upper end.
        p_value: two-sided.
    """

    f1: float
    other_f1: float
    difference: float
    low: float
    high: float
    p_value: float


def compare(counts: Int64, other_counts: Int64, draws: int, seed: int) -> list[Comparison]:
    """Test the F1 differences of two systems in c categories, with the same draws for each.

    Args:
        counts: [n, k, c, 3] int64, right, wrong and missed arguments of n instances by each of k models.
        other_counts: the same of the other system; model i of one is paired with model i of the other.
        draws: permutations, and bootstrap samples.
        seed: seed of both.

    Returns:
        One comparison per category.
    """
    f1, other_f1 = (micro_f1(of_system.sum(axis=0)).mean(axis=0) for of_system in (counts, other_counts))
    permuted = permuted_differences(counts, other_counts, draws, seed)
    drawn = bootstrap_differences(counts, other_counts, draws, seed)
    return [
        Comparison(
            float(f1[place]),
            float(other_f1[place]),
            float(f1[place] - other_f1[place]),
            *confidence_interval(drawn[:, place]),
            p_value(float(f1[place] - other_f1[place]), permuted[:, place]),
        )
        for place in range(len(f1))
    ]


def counts_of_categories(by_instance: Int64, categories: Sequence[str]) -> Int64:
    """Sum counts over cases, for each of these categories.

    Args:
        by_instance: [n, k, 3 relations, C cases, 3] int64, see `zarpipe.task.scores.count_by_instance`.
        categories: c of ``ALL``, ``DEP`` and ``ZAR``.

    Returns:
        [n, k, c, 3] int64: right, wrong and missed arguments.
    """
    return np.stack([_of_category(by_instance, category) for category in categories], axis=2)


def micro_f1(counts: npt.NDArray[np.number]) -> Float64:
    """Return F1 of [..., 3] counts (right, wrong, missed); 0 when there is nothing to divide."""
    right, wrong, missed = np.moveaxis(counts.astype(np.float64), -1, 0)
    total = 2 * right + wrong + missed
    return np.asarray(np.where(total > 0, 2 * right / np.where(total > 0, total, 1), 0.0))


def permuted_differences(counts: Int64, other_counts: Int64, permutations: int, seed: int) -> Float64:
    """Return the F1 differences after each of many random swaps: [permutations, c]."""
    # Swapping equal outcomes changes nothing; leaving them out saves most of the work.
    differ = (counts != other_counts).any(axis=(1, 2, 3))
    rng = np.random.default_rng([seed, 0])
    swaps = _in_chunks(int(differ.sum()), permutations, lambda shape: rng.integers(0, 2, shape, np.int8))
    return np.concatenate(
        [_differences_of_sums(*_swapped_sums(counts, other_counts, differ, chosen)) for chosen in swaps]
    )


def swapped_differences(counts: Int64, other_counts: Int64, swaps: npt.NDArray[np.integer]) -> Float64:
    """Return the F1 differences after each of the given swaps: [P, n] of 0 and 1 -> [P, c]."""
    everything = np.ones(len(counts), bool)
    return _differences_of_sums(*_swapped_sums(counts, other_counts, everything, swaps))


def p_value(difference: float, permuted: Float64) -> float:
    """Return the two-sided p-value, counting the observed difference as one of the permutations.

    It is (1 + permutations at least as far from zero) / (1 + permutations): Davison and Hinkley (1997), 4.11.
    """
    as_far = int((np.abs(permuted) >= abs(difference) - _TOLERANCE).sum())
    return (1 + as_far) / (1 + len(permuted))


def bootstrap_differences(counts: Int64, other_counts: Int64, samples: int, seed: int) -> Float64:
    """Return the F1 differences in each of many samples of n instances with replacement: [samples, c]."""
    instances = len(counts)
    rng = np.random.default_rng([seed, 1])
    drawn = _in_chunks(instances, samples, lambda shape: rng.integers(0, max(instances, 1), shape, np.int32))
    flat, other_flat = _flat(counts), _flat(other_counts)
    differences = []
    for chosen in drawn:
        times = _times_drawn(chosen, instances)
        sums = (times @ flat).reshape(len(chosen), *counts.shape[1:])
        other_sums = (times @ other_flat).reshape(len(chosen), *counts.shape[1:])
        differences.append(_differences_of_sums(sums, other_sums))
    return np.concatenate(differences)


def confidence_interval(differences: Float64) -> tuple[float, float]:
    """Return the 95 % percentile interval."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(differences, [tail, 1 - tail])
    return float(low), float(high)


def _of_category(by_instance: Int64, category: str) -> Int64:
    of_category = by_instance.sum(axis=2) if category == ALL else by_instance[:, :, _CATEGORIES[category]]
    summed: Int64 = of_category.sum(axis=2)
    return summed


def _swapped_sums(
    counts: Int64, other_counts: Int64, differ: Bool, swaps: npt.NDArray[np.integer]
) -> tuple[npt.NDArray[np.number], npt.NDArray[np.number]]:
    """Return both systems' summed counts after each swap of the instances that differ: twice [P, k, c, 3]."""
    total, other_total = counts.sum(axis=0), other_counts.sum(axis=0)
    gained = swaps.astype(np.float32) @ _flat(other_counts[differ] - counts[differ])
    sums = total + gained.reshape(len(swaps), *total.shape)
    return sums, total + other_total - sums


def _differences_of_sums(sums: npt.NDArray[np.number], other_sums: npt.NDArray[np.number]) -> Float64:
    """Return the mean over models of the F1 differences: twice [P, k, c, 3] -> [P, c]."""
    return np.asarray((micro_f1(sums) - micro_f1(other_sums)).mean(axis=1))


def _flat(counts: Int64) -> Float32:
    """Return counts as [n, k * c * 3] float32: exact, since sums of counts stay far below 2**24."""
    return counts.reshape(len(counts), int(np.prod(counts.shape[1:]))).astype(np.float32)


def _times_drawn(chosen: npt.NDArray[np.integer], instances: int) -> Float32:
    """Count how often each instance is in each sample: [P, n] indices -> [P, n] float32."""
    rows = np.arange(len(chosen))[:, None] * instances
    times = np.bincount((chosen + rows).ravel(), minlength=len(chosen) * instances)
    return times.reshape(len(chosen), instances).astype(np.float32)


def _in_chunks(
    width: int, rows: int, draw: Callable[[tuple[int, int]], npt.NDArray[np.integer]]
) -> Iterator[npt.NDArray[np.integer]]:
    """Draw [rows, width] numbers, as many rows at a time as fit in memory."""
    step = max(1, _CHUNK_NUMBERS // max(width, 1))
    for first in range(0, rows, step):
        yield draw((min(step, rows - first), width))
