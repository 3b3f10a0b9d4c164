"""Intervals of shares over documents."""

import numpy as np
import pytest

from zarpipe.task.statistics.shares import share_intervals


def test_the_interval_of_equal_documents_is_that_of_a_share_of_documents():
    # 40 documents of one thing each, every fourth of the kind: standard error sqrt(.25 * .75 / 40) = 0.0685.
    parts = (np.arange(40) % 4 == 0).astype(int)[:, None]
    ((low, high),) = share_intervals(parts, np.ones_like(parts), 4000, 1)
    assert low == pytest.approx(0.25 - 1.96 * 0.0685, abs=0.02)
    assert high == pytest.approx(0.25 + 1.96 * 0.0685, abs=0.02)


def test_things_of_a_document_hang_together():
    one_each = np.arange(40)[:, None] % 2
    alone = share_intervals(one_each, np.ones_like(one_each), 2000, 1)[0]
    # Ten times as many things, but no more documents: no narrower.
    together = share_intervals(10 * one_each, np.full_like(one_each, 10), 2000, 1)[0]
    assert alone == together


def test_what_does_not_vary_or_has_too_few_documents_has_no_interval():
    nothing, things = np.zeros((20, 1), int), np.ones((20, 1), int)
    assert share_intervals(nothing, things, 100, 1) == [None]
    few = (np.arange(20) < 5).astype(int)[:, None]
    assert share_intervals(few // 2, few, 100, 1) == [None]
    assert share_intervals(np.zeros((0, 2), int), np.zeros((0, 2), int), 100, 1) == [None, None]
