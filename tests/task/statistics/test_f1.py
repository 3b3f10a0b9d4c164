"""F1 and what each document adds to it."""

import numpy as np
import pytest

from zarpipe.task.statistics.f1 import influences, micro_f1


def test_f1_is_zero_when_there_is_nothing_to_divide():
    assert micro_f1(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]])).tolist() == [0.0, 1.0, pytest.approx(2 / 3)]


def test_influences_by_hand():
    # F1 = 2 * 3 / 8: each document's 2 * right - 0.75 * total, over 8.
    counts = np.array([[2, 0, 0], [1, 1, 0], [0, 0, 1]])[:, None, None]
    expected = [(4 - 0.75 * 4) / 8, (2 - 0.75 * 3) / 8, (0 - 0.75) / 8]
    assert influences(counts)[:, 0, 0] == pytest.approx(expected)
    assert sum(expected) == pytest.approx(0)


def test_influences_are_what_leaving_a_document_out_would_change():
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 5, (400, 1, 1, 3))
    whole = micro_f1(counts.sum(axis=0))
    left_out = np.array([whole - micro_f1(np.delete(counts, number, 0).sum(axis=0)) for number in range(20)])
    assert influences(counts)[:20, 0, 0] == pytest.approx(left_out[:, 0, 0], abs=1e-5)
    # Nothing counted has no influence.
    assert not influences(np.zeros((3, 2, 1, 3), np.int64)).any()
