"""Agreement of a judge with a meter."""

import numpy as np
import pytest

from zarpipe.task.statistics.agreement import agreement

# 10 items that the meter calls changed, which stand for 2 things each, and 10 others that stand for 8 each.
METER = np.arange(20) < 10
WEIGHTS = np.where(METER, 2.0, 8.0)
STRATA = METER.astype(np.int64)


def found(judge):
    return agreement(np.array(judge, bool), METER, WEIGHTS, STRATA, 500, 1)


def test_by_hand():
    # The judge says yes to 8 of the meter's ten, and to 1 of the others.
    judged = found([1] * 8 + [0] * 2 + [1] + [0] * 9)
    assert judged.observed.value == pytest.approx(17 / 20)
    # Chance: .5 * .45 + .5 * .55 = .5
    assert judged.kappa.value == pytest.approx((0.85 - 0.5) / 0.5)
    assert judged.precision.value == pytest.approx(8 / 10)
    assert judged.recall.value == pytest.approx(16 / (16 + 8))
    assert judged.share.value == pytest.approx((16 + 8) / 100)
    for one in (judged.observed, judged.kappa, judged.precision, judged.recall, judged.share):
        assert one.interval[0] < one.value < one.interval[1]


def test_full_agreement_varies_nowhere():
    judged = found(METER)
    assert (judged.kappa.value, judged.kappa.interval) == (1, None)
    assert (judged.precision.value, judged.recall.value) == (1, 1)
    assert judged.share.value == pytest.approx(0.2)


def test_chance_is_no_agreement():
    assert found([1] * 5 + [0] * 5 + [1] * 5 + [0] * 5).kappa.value == pytest.approx(0)


def test_what_has_nothing_to_divide_by_is_none():
    judged = found([False] * 20)
    assert judged.recall.value is None
    assert judged.precision.value == 0
    nothing = np.zeros(0, bool)
    empty = agreement(nothing, nothing, np.zeros(0), np.zeros(0, np.int64), 50, 1)
    assert (empty.observed.value, empty.kappa.value, empty.share.value) == (None, None, None)
