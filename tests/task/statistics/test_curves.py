"""Learning curves: intervals of their points, and the curve read backwards."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarpipe.task.statistics.comparison import bootstrap_differences, confidence_interval
from zarpipe.task.statistics.curves import CurvePoint, draw_curves, more_documents


def made_counts(random, documents=60, units=3, trainings=2, spread=0.0):
    """Arguments of which each training finds about two of three; a unit's skill differs by `spread`."""
    skill = np.clip(0.66 + spread * random.standard_normal((1, units, 1, 1)), 0.01, 0.99)
    gold = random.integers(5, 30, (documents, 1, 1, 1))
    right = random.binomial(gold, skill, (documents, units, trainings, 1))
    wrong = random.binomial(gold, 0.2, right.shape)
    return np.stack([right, wrong, gold - right], axis=-1)


@pytest.mark.parametrize(
    ("place", "wanted", "expected"),
    [
        (0, 60.0, 90),  # the F1 of 100 documents, from 10
        (0, 55.0, np.sqrt(10 * 100) - 10),  # half way between 10 and 100 on the logarithm
        (1, 62.5, 100 * 10**0.5 - 100),
        (1, 65.0, 900),
        (1, 65.1, np.inf),
        (2, 70.0, np.inf),  # nothing lies beyond the last point
        (1, 60.0, 0),
        (1, 55.0, np.sqrt(10 * 100) - 100),
        (2, 50.0, 10 - 1000),
        (2, 49.9, -np.inf),
    ],
)
def test_a_curve_read_backwards(place, wanted, expected):
    curve = np.array([[50.0, 60.0, 65.0]])
    assert more_documents([10, 100, 1000], curve, place, np.array([wanted])) == pytest.approx([expected])


def test_the_nearest_crossing_counts_where_a_curve_falls():
    curve = np.array([[50.0, 60.0, 54.0, 66.0]])
    sizes = [10, 20, 40, 80]
    # Reached between 10 and 20, and again between 40 and 80.
    assert more_documents(sizes, curve, 0, np.array([55.0])) == pytest.approx([10 * 2**0.5 - 10])
    # Downwards from 80: between 40 and 80, not between 10 and 20.
    assert more_documents(sizes, curve, 3, np.array([57.0])) == pytest.approx([40 * 2**0.25 - 80])


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6), st.floats(0, 1), st.data())
def test_what_a_curve_is_read_for_is_what_it_has_there(curve, wanted, data):
    sizes = [10 * 2**number for number in range(len(curve))]
    place = data.draw(st.integers(0, len(curve) - 1))
    (more,) = more_documents(sizes, np.array([curve]), place, np.array([wanted]))
    assert np.sign(more) == np.sign(wanted - curve[place]) or np.isclose(wanted, curve[place])
    if np.isfinite(more):
        assert np.interp(np.log(sizes[place] + more), np.log(sizes), curve) == pytest.approx(wanted, abs=1e-9)


def test_a_drawn_point_is_an_f1():
    point = CurvePoint(made_counts(np.random.default_rng(0), documents=12, units=2, spread=0.5), "subsets")
    drawn = draw_curves([point], 500, 1)
    assert 0 <= drawn.min() < 0.2
    assert 0.9 < drawn.max() <= 1


def test_without_other_units_the_documents_are_drawn_as_for_comparisons():
    random = np.random.default_rng(1)
    one, other = (made_counts(random, units=1, trainings=1) for _ in range(2))
    drawn = draw_curves([CurvePoint(one, "seeds"), CurvePoint(other, "seeds")], 200, 7)
    compared = bootstrap_differences(one[:, :, 0], other[:, :, 0], 200, 7)
    assert np.allclose(drawn[:, 0] - drawn[:, 1], compared)


def test_units_that_differ_widen_the_draws_as_their_variance_says():
    """Every document alike: documents alone draw nothing, and what is left is the variance of the mean."""
    units = np.array([[60, 20, 40], [66, 20, 34], [78, 20, 22], [72, 20, 28], [69, 20, 31]] * 4)
    counts = np.tile(units[None, :, None, None, :], (40, 1, 1, 1, 1))
    f1 = 2 * units[:, 0] / (2 * units[:, 0] + units[:, 1] + units[:, 2])
    drawn = draw_curves([CurvePoint(counts, "subsets")], 20_000, 1)[:, 0, 0]
    # Student's t of 19 degrees of freedom has the variance 19 / 17.
    assert drawn.mean() == pytest.approx(f1.mean(), abs=1e-3)
    assert drawn.std() == pytest.approx(np.sqrt(f1.var(ddof=1) / 20 * 19 / 17), rel=0.03)


def test_points_of_the_same_units_move_together():
    random = np.random.default_rng(3)
    counts = made_counts(random, units=4, spread=0.1)
    drawn = draw_curves([CurvePoint(counts, "subsets"), CurvePoint(counts, "subsets")], 500, 1)
    assert np.allclose(drawn[:, 0], drawn[:, 1])
    apart = draw_curves([CurvePoint(counts, "subsets"), CurvePoint(counts, "seeds")], 500, 1)
    assert not np.allclose(apart[:, 0], apart[:, 1])


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """Of 200 made studies of five units that differ, the 95 % interval holds the true F1 in 88 % or more."""
    random = np.random.default_rng(11)
    truth = np.mean([CurvePoint(made_counts(random, units=400, spread=0.05), "u").f1[0] for _ in range(5)])
    held = 0
    for number in range(200):
        point = CurvePoint(made_counts(random, units=5, spread=0.05), "u")
        low, high = confidence_interval(draw_curves([point], 400, number)[:, 0, 0])
        held += low <= truth <= high
    assert 176 <= held <= 200
