"""Almost stochastic order against the numbers of deep-significance (commit 0195745), which repeats the authors' code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from zarpipe.task.statistics.dominance import almost_stochastic_order, violation_ratio


@pytest.mark.parametrize(
    ("scores", "others", "ratio"),
    [
        ([56.1, 56.4, 55.9, 56.8, 56.2], [55.8, 56.3, 56.0, 56.1, 55.7], 0.0),
        ([60, 61, 62], [61, 61, 61, 59], 0.12030075187969916),
        ([1, 2, 3, 4], [2, 2, 3, 3.5], 0.8063241106719402),
        ([1, 2, 3], [0.5, 2.1, 2.2, 2.9, 3.1], 0.8074670571010252),
    ],
)
def test_violation_ratios_are_the_reference_ones(scores, others, ratio):
    assert violation_ratio(np.array([scores], float), np.array([others], float)) == pytest.approx([ratio])


def test_the_bound_is_near_the_reference_one():
    """Both draw at random: the reference gave 0.94 in 300 draws, this 0.96 in 1,000."""
    found = almost_stochastic_order(np.array([60.0, 61, 62]), np.array([61.0, 61, 61, 59]), seed=1)
    assert found == pytest.approx(0.94, abs=0.05)


def test_clearly_better_and_clearly_worse_and_equal():
    low, high = np.array([50.0, 51, 52]), np.array([60.0, 61, 62])
    assert almost_stochastic_order(high, low, seed=1) == 0
    assert almost_stochastic_order(low, high, seed=1) == almost_stochastic_order(low, low, seed=1) == 1


@settings(deadline=None, max_examples=30)
@given(*(arrays(np.float64, (1, 5), elements=st.integers(0, 20).map(float)) for _ in range(2)))
def test_the_ratios_of_both_ways_are_one_together(scores, others):
    one, other = violation_ratio(scores, others), violation_ratio(others, scores)
    if np.array_equal(np.sort(scores), np.sort(others)):
        assert one == other == 1
    else:
        assert one + other == pytest.approx(1)
