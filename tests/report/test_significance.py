"""The significance tests against everything enumerated, and what must hold of any such test."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from zarpipe.report.significance import (
    bootstrap_differences,
    compare,
    confidence_interval,
    counts_of_categories,
    micro_f1,
    p_value,
    permuted_differences,
    swapped_differences,
)

# Two models of each system, eight instances: (right, wrong, missed) each.
OURS = np.array(
    [
        [[2, 0, 0], [1, 0, 1]],
        [[1, 0, 0], [1, 0, 0]],
        [[1, 1, 0], [0, 0, 1]],
        [[0, 0, 1], [1, 0, 0]],
        [[3, 0, 0], [2, 1, 0]],
        [[0, 0, 0], [0, 1, 0]],
        [[1, 0, 1], [1, 0, 1]],
        [[1, 0, 0], [1, 0, 0]],
    ]
)
BASELINE = np.array(
    [
        [[1, 0, 1], [1, 0, 1]],
        [[0, 1, 1], [1, 0, 0]],
        [[1, 0, 0], [1, 0, 0]],
        [[0, 1, 1], [0, 0, 1]],
        [[2, 0, 1], [2, 0, 1]],
        [[0, 0, 0], [0, 0, 0]],
        [[1, 0, 1], [0, 1, 2]],
        [[0, 0, 1], [1, 0, 0]],
    ]
)


def with_category(counts):
    """[n, k, 3] as counts of one category."""
    return counts[:, :, None]


def f1(right, wrong, missed):
    return 2 * right / (2 * right + wrong + missed) if right + wrong + missed else 0.0


def difference(ours, baseline):
    """Mean over models of F1 differences, in plain Python."""
    models = range(ours.shape[1])
    differences = [
        f1(*(int(sum(row[model][part] for row in ours)) for part in range(3)))
        - f1(*(int(sum(row[model][part] for row in baseline)) for part in range(3)))
        for model in models
    ]
    return sum(differences) / len(differences)


def every_swap():
    return np.array(list(itertools.product((0, 1), repeat=len(OURS))), dtype=np.int8)


def enumerated():
    """The F1 difference after each of the 256 swaps of whole instances."""
    found = []
    for swaps in every_swap():
        ours = np.array([b if swap else a for a, b, swap in zip(OURS, BASELINE, swaps, strict=True)])
        baseline = np.array([a if swap else b for a, b, swap in zip(OURS, BASELINE, swaps, strict=True)])
        found.append(difference(ours, baseline))
    return np.array(found)


def exact_p():
    observed = abs(difference(OURS, BASELINE))
    return float(np.mean([abs(value) >= observed - 1e-12 for value in enumerated()]))


def test_swaps_give_the_enumerated_differences():
    assert swapped_differences(with_category(OURS), with_category(BASELINE), every_swap())[
        :, 0
    ] == pytest.approx(enumerated(), abs=1e-12)


def test_the_case_is_worth_testing():
    assert difference(OURS, BASELINE) == pytest.approx((6 / 7 - 5 / 9 + 14 / 19 - 2 / 3) / 2)
    assert 0.005 < exact_p() < 0.2


def test_the_sampled_p_value_is_near_the_enumerated_one():
    (found,) = compare(with_category(OURS), with_category(BASELINE), draws=10_000, seed=1)
    assert found.difference == pytest.approx(difference(OURS, BASELINE))
    # Three standard errors of a share of 10,000 draws.
    error = 3 * (exact_p() * (1 - exact_p()) / 10_000) ** 0.5
    assert found.p_value == pytest.approx(exact_p(), abs=error + 1e-4)


def test_the_bootstrap_has_the_enumerated_distribution():
    ours, baseline = OURS[:4], BASELINE[:4]
    every_sample = list(itertools.product(range(4), repeat=4))
    exact = [difference(ours[list(sample)], baseline[list(sample)]) for sample in every_sample]
    drawn = bootstrap_differences(with_category(ours), with_category(baseline), 20_000, seed=1)[:, 0]
    assert drawn.mean() == pytest.approx(np.mean(exact), abs=3 * np.std(exact) / 20_000**0.5)
    assert set(np.round(drawn, 9)) <= set(np.round(exact, 9))
    assert confidence_interval(drawn) == pytest.approx(np.quantile(exact, [0.025, 0.975]), abs=0.02)


def test_p_value_counts_the_observed_difference():
    assert p_value(0.5, np.array([0.5, -0.5, 0.1, 0.0])) == pytest.approx(3 / 5)
    assert p_value(0.9, np.zeros(99)) == pytest.approx(0.01)


def test_equal_systems_do_not_differ():
    (found,) = compare(with_category(OURS), with_category(OURS), draws=100, seed=1)
    assert (found.difference, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)


def test_the_seed_decides_the_draws():
    first, again, other = (
        permuted_differences(with_category(OURS), with_category(BASELINE), 50, seed) for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_f1_is_zero_when_there_is_nothing_to_divide():
    assert micro_f1(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]])).tolist() == [0.0, 1.0, pytest.approx(2 / 3)]


def test_no_instances_give_no_difference():
    nothing = np.zeros((0, 2, 1, 3), np.int64)
    assert compare(nothing, nothing, draws=10, seed=1)[0].p_value == 1.0


def test_categories_are_summed_over_cases():
    counts = np.arange(2 * 1 * 3 * 3 * 3).reshape(2, 1, 3, 3, 3)
    found = counts_of_categories(counts, ("ALL", "ZAR"))
    assert np.array_equal(found[:, :, 0], counts.sum(axis=(2, 3)))
    assert np.array_equal(found[:, :, 1], counts[:, :, 1].sum(axis=2))


def test_categories_are_tested_as_each_would_be_alone():
    ours, baseline = np.stack([OURS, BASELINE], axis=2), np.stack([BASELINE, BASELINE], axis=2)
    both = compare(ours, baseline, 300, seed=5)
    assert both[0] == compare(with_category(OURS), with_category(BASELINE), 300, seed=5)[0]
    assert both[1].p_value == 1.0


counts = arrays(np.int64, (6, 2, 1, 3), elements=st.integers(0, 3))


@settings(deadline=None, max_examples=30)
@given(counts, counts)
def test_exchanging_the_systems_changes_signs_only(ours, baseline):
    (one,), (other,) = compare(ours, baseline, 200, seed=3), compare(baseline, ours, 200, seed=3)
    assert one.difference == pytest.approx(-other.difference)
    assert one.p_value == other.p_value
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert 0 < one.p_value <= 1
    assert one.low <= one.high
