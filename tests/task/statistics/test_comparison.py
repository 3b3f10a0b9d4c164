"""The significance tests against everything enumerated, and what must hold of any such test."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from zarpipe.task.statistics import comparison
from zarpipe.task.statistics.comparison import (
    bootstrap_differences,
    compare,
    confidence_interval,
    holm,
    p_value,
    permuted_differences,
    seed_stretch,
)

# Two models of each system, eight documents: (right, wrong, missed) each.
OURS, BASELINE = (
    np.array(
        [[[int(count) for count in model] for model in document.split("/")] for document in written.split()]
    )
    for written in (
        "200/101 100/100 110/001 001/100 300/210 000/010 101/101 100/100",
        "101/101 011/100 100/100 011/001 201/201 000/000 101/012 001/100",
    )
)


def with_category(counts):
    """[n, k, 3] as counts of one category."""
    return counts[:, :, None]


def f1(right, wrong, missed):
    return 2 * right / (2 * right + wrong + missed) if right + wrong + missed else 0.0


def difference(ours, baseline):
    """Mean over models of F1 differences, in plain Python."""
    models = range(ours.shape[1])
    sums = [
        [[int(sum(row[model][part] for row in system)) for part in range(3)] for system in (ours, baseline)]
        for model in models
    ]
    return sum(f1(*one) - f1(*other) for one, other in sums) / len(models)


def swapped_differences(ours, baseline, swaps):
    """Mean F1 differences after each of the given swaps: [P, D] of 0 and 1 -> [P, c]."""
    differ = np.ones(len(ours), bool)
    return comparison._differences_of_sums(*comparison._swapped_sums(ours, baseline, differ, swaps))


def every_swap():
    return np.array(list(itertools.product((0, 1), repeat=len(OURS))), dtype=np.int8)


def enumerated():
    """The F1 difference after each of the 256 swaps of whole documents."""
    chosen = [swaps[:, None, None] == 1 for swaps in every_swap()]
    return np.array(
        [difference(np.where(one, BASELINE, OURS), np.where(one, OURS, BASELINE)) for one in chosen]
    )


def exact_p():
    observed = abs(difference(OURS, BASELINE))
    return float(np.mean([abs(value) >= observed - 1e-12 for value in enumerated()]))


def test_swaps_give_the_enumerated_differences():
    swapped = swapped_differences(with_category(OURS), with_category(BASELINE), every_swap())
    assert swapped[:, 0] == pytest.approx(enumerated(), abs=1e-12)
    # The case is worth testing.
    assert difference(OURS, BASELINE) == pytest.approx((6 / 7 - 5 / 9 + 14 / 19 - 2 / 3) / 2)
    assert 0.005 < exact_p() < 0.2


def test_the_sampled_p_value_is_near_the_enumerated_one():
    permuted = permuted_differences(with_category(OURS), with_category(BASELINE), 10_000, seed=1)[:, 0]
    found = p_value(difference(OURS, BASELINE), permuted)
    # Three standard errors of a share of 10,000 draws.
    error = 3 * (exact_p() * (1 - exact_p()) / 10_000) ** 0.5
    assert found == pytest.approx(exact_p(), abs=error + 1e-4)


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


ALL_RIGHT, ALL_MISSED = ([[[counts]]] for counts in ([1, 0, 0], [0, 0, 1]))
# Equal systems; five instances of one document; without variation, however many documents; nothing at all.
CERTAIN = [
    (with_category(OURS), with_category(OURS), (0.0, None, 1.0, 0.5)),
    (np.array([[[[5, 0, 0]]]]), np.array([[[[0, 0, 5]]]]), (1.0, None, 1.0, 1.0)),
    (np.array(ALL_RIGHT * 40), np.array(ALL_MISSED * 40), (1.0, None, 1 / 1000, 1.0)),
    (np.zeros((0, 2, 1, 3), np.int64), np.zeros((0, 2, 1, 3), np.int64), (0.0, None, 1.0, 0.5)),
]


@pytest.mark.parametrize(("ours", "others", "expected"), CERTAIN)
def test_what_no_draw_can_change(ours, others, expected):
    (found,) = compare(ours, others, draws=999, seed=1)
    assert (found.difference, found.interval, found.p_value, found.won) == expected


@pytest.mark.parametrize("documents", [0, 1, 5])
def test_too_few_documents_have_no_interval(documents):
    """Five equal documents have no variation to resample, so an interval of [100, 100] would be no certainty."""
    ours, others = (np.array(one * documents).reshape(-1, 1, 1, 3) for one in (ALL_RIGHT, ALL_MISSED))
    (found,) = compare(ours, others, draws=1000, seed=1)
    assert found.interval is None
    assert found.documents == documents
    assert found.p_value == pytest.approx(2 / 2**documents if documents else 1.0, abs=0.03)
    assert found.p_value > 0.05


def test_documents_with_nothing_to_count_are_not_counted():
    empty = np.zeros((30, 2, 1, 3), np.int64)
    systems = [np.concatenate([with_category(one), empty]) for one in (OURS, BASELINE)]
    assert compare(*systems, draws=50, seed=1)[0].documents == 8


def made_counts(rng, documents, skills):
    """Independent documents of three arguments; a model finds each with its skill: [D, K, 1, 3]."""
    right = rng.binomial(3, np.broadcast_to(skills, (documents, len(skills))))
    return np.stack([right, np.zeros_like(right), 3 - right], axis=-1)[:, :, None]


def test_seeds_that_differ_widen_what_documents_alone_say():
    rng = np.random.default_rng(0)
    alike = made_counts(rng, 300, np.full(6, 0.6)), made_counts(rng, 300, np.full(6, 0.6))
    apart = made_counts(rng, 300, np.linspace(0.4, 0.8, 6)), alike[1]
    narrow, wide = (compare(*systems, draws=2000, seed=1)[0].interval for systems in (alike, apart))
    assert wide[1] - wide[0] > 3 * (narrow[1] - narrow[0])
    # F1 by seed from 0.571 to 0.889 against 0.75: a t-test of the six differences says much the same.
    f1 = 2 * np.linspace(0.4, 0.8, 6) / (1 + np.linspace(0.4, 0.8, 6))
    assert (wide[1] - wide[0]) / 2 == pytest.approx(2.571 * f1.std(ddof=1) / 6**0.5, rel=0.15)


def test_one_model_is_not_stretched():
    one, other = (with_category(counts)[:, :1] for counts in (OURS, BASELINE))
    assert (seed_stretch(one, other, 20, seed=1) == 1).all()


def test_holm_by_hand():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.5, 0.9])).tolist() == [1.0, 1.0]
    assert holm(np.zeros(0)).tolist() == []


def test_the_seed_decides_the_draws():
    systems = with_category(OURS), with_category(BASELINE)
    first, again, other = (permuted_differences(*systems, 50, seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_categories_are_tested_as_each_would_be_alone():
    ours, baseline = np.stack([BASELINE, OURS], axis=2), np.stack([BASELINE, BASELINE], axis=2)
    both = compare(ours, baseline, 300, seed=5)
    assert both[1] == compare(with_category(OURS), with_category(BASELINE), 300, seed=5)[0]
    assert both[0].p_value == 1.0


counts = arrays(np.int64, (6, 2, 1, 3), elements=st.integers(0, 3))


@settings(deadline=None, max_examples=30)
@given(counts, counts)
def test_exchanging_the_systems_changes_signs_only(ours, baseline):
    (one,), (other,) = compare(ours, baseline, 200, seed=3), compare(baseline, ours, 200, seed=3)
    assert one.difference == pytest.approx(-other.difference)
    assert one.p_value == other.p_value
    assert one.won == pytest.approx(1 - other.won)
    assert 0 < one.p_value <= 1
    assert (one.interval is None) == (other.interval is None)
    if one.interval and other.interval:
        assert one.interval == pytest.approx((-other.interval[1], -other.interval[0]))
        assert -1 <= one.interval[0] < one.interval[1] <= 1


@settings(deadline=None, max_examples=30)
@given(counts, counts, st.permutations(range(6)))
def test_the_order_of_documents_does_not_matter(ours, baseline, order):
    """All swaps of six documents give the same differences, whatever their order."""
    swaps = np.array(list(itertools.product((0, 1), repeat=6)))
    one = swapped_differences(ours, baseline, swaps)
    other = swapped_differences(ours[order], baseline[order], swaps[:, order])
    assert one == pytest.approx(other, abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(arrays(np.float64, st.integers(1, 8), elements=st.floats(0.001, 1)))
def test_holm_only_raises_and_keeps_the_order(p_values):
    corrected = holm(p_values)
    assert (corrected >= p_values).all()
    assert (corrected <= np.minimum(1, len(p_values) * p_values) + 1e-12).all()
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(corrected[order]) >= 0).all()
