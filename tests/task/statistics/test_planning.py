"""Power and size of planned studies, against textbook values and the components that they come from."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarpipe.task.statistics import planning
from zarpipe.task.statistics.components import Components
from zarpipe.task.statistics.planning import detectable, documents_needed, plausible, power, seeds_needed

DOCUMENTS_ONLY = Components(seed=0.0, document=1e-4, rest=0.0, documents=100, seeds=10)
BOTH = Components(seed=1e-4, document=1e-5, rest=1e-4, documents=100, seeds=10)


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.706), (2, 4.303), (5, 2.571), (9, 2.262), (30, 2.042), (200, 1.972)]
)
def test_critical_values_are_those_of_the_table_of_t(freedom, quantile):
    assert planning._critical(freedom) == pytest.approx(quantile, rel=3e-3)


def test_the_power_of_a_t_test_is_the_textbooks():
    """Cohen (1988): one sample of 10, a difference of one standard deviation, 5 % two-sided: 0.803."""
    seeds_only = Components(seed=1.0, document=0.0, rest=0.0, documents=50, seeds=10)
    assert power(seeds_only, 1.0, 50, 10) == pytest.approx(0.803, abs=2e-3)


def test_where_only_documents_vary_it_is_the_normal_test():
    """0.80 at (1.960 + 0.842) standard errors."""
    assert power(DOCUMENTS_ONLY, 0.02802, 100, 10) == pytest.approx(0.8, abs=1e-3)
    assert detectable(DOCUMENTS_ONLY, 100, 10, 0.8) == pytest.approx(0.02802, abs=1e-5)
    assert planning.degrees_of_freedom(DOCUMENTS_ONLY, 100, 10) == math.inf


def test_four_times_the_documents_show_half_the_difference():
    assert documents_needed(DOCUMENTS_ONLY, 0.02802, 10, 0.8) == pytest.approx(100, abs=1)
    assert documents_needed(DOCUMENTS_ONLY, 0.01401, 10, 0.8) == pytest.approx(400, abs=2)


def test_what_neither_seeds_nor_documents_can_do():
    assert seeds_needed(DOCUMENTS_ONLY, 0.02, 100, 0.8) is None
    assert documents_needed(BOTH, 0.001, 10, 0.8) is None


def test_the_interval_of_a_plan_is_that_of_the_variance():
    """Of 9 degrees of freedom: 9 / 19.02 to 9 / 2.70 times; two seeds say next to nothing."""
    seeds_only = Components(seed=1.0, document=0.0, rest=0.0, documents=50, seeds=10)
    low, high = (one.variance(50, 10) for one in plausible(seeds_only, 50, 10))
    assert (low, high) == (pytest.approx(0.1 * 9 / 19.02, rel=0.1), pytest.approx(0.1 * 9 / 2.70, rel=0.1))
    low, high = (one.variance(100, 10) for one in plausible(DOCUMENTS_ONLY, 100, 10))
    assert (low, high) == (pytest.approx(99e-4 / 128.4, rel=0.05), pytest.approx(99e-4 / 73.4, rel=0.05))
    of_two = Components(seed=0.0, document=1e-4, rest=1e-4, documents=100, seeds=2)
    low, high = (one.variance(100, 2) for one in plausible(of_two, 100, 2))
    assert high > 100 * low


@settings(max_examples=15, deadline=None)
@given(st.floats(0.006, 0.05), st.sampled_from([0.5, 0.8, 0.95]))
def test_the_size_is_the_smallest_that_is_enough(difference, wanted):
    seeds = seeds_needed(BOTH, difference, 200, wanted)
    if seeds is not None:
        assert power(BOTH, difference, 200, seeds) >= wanted
        assert seeds == 2 or power(BOTH, difference, 200, seeds - 1) < wanted


def test_no_difference_is_found_as_often_as_the_level_says():
    assert power(BOTH, 0.0, 100, 10) == pytest.approx(0.05, abs=1e-4)
