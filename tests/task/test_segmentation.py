"""Predicates and bunsetsu: labels, the threshold, and counts that were made by hand."""

import numpy as np
import pytest

from zarpipe.task.segmentation import (
    LABELS,
    THRESHOLDS,
    Segmentation,
    count,
    decide,
    labels_of,
    search_threshold,
)

OFFSETS = np.array([0, 4, 6])
#                    男が   走る 。  |  雨  だ
GOLD = labels_of(np.array([0, 0, 1, 0, 0, 1], bool), np.array([1, 0, 1, 0, 1, 0], bool))


def given(predicate, begins):
    """Return probabilities of the labels: [N, LABELS]."""
    predicate, begins = np.array(predicate), np.array(begins)
    pairs = [(1 - predicate) * (1 - begins), (1 - predicate) * begins]
    pairs += [predicate * (1 - begins), predicate * begins]
    return np.stack(pairs, axis=1).astype(np.float32)


def test_labels_are_twice_the_predicate_and_the_begin():
    assert GOLD.tolist() == [1, 0, 3, 0, 1, 2]
    assert GOLD.dtype == np.int8
    assert GOLD.max() < LABELS


def test_counts_are_those_made_by_hand():
    found = Segmentation(
        np.array([0, 1, 1, 0, 0, 0], bool), np.zeros(6, np.float32), np.array([1, 0, 1, 1, 1, 1], bool)
    )
    counts = count(found, GOLD, OFFSETS)
    plain = {name: (one["tp"], one["fp"], one["fn"]) for name, one in counts.items()}
    assert plain == {
        "predicates": (1, 1, 1),  # 走る; が; だ
        "bunsetsu_boundaries": (1, 2, 0),  # before 走る; before 。 and だ
        "bunsetsu": (1, 4, 2),  # 男が; 走る, 。, 雨, だ; 走る。, 雨だ
    }
    assert counts["predicates"]["f1"] == 1 / 2
    assert counts["bunsetsu"]["precision"] == 1 / 5
    assert counts["bunsetsu"]["recall"] == 1 / 3


def test_bunsetsu_do_not_cross_sentences():
    found = decide(given([0] * 6, [0] * 6), OFFSETS, 0.5)
    assert found.begins_bunsetsu.tolist() == [True, False, False, False, True, False]
    assert count(found, GOLD, OFFSETS)["bunsetsu"]["tp"] == 1  # 雨だ


def test_the_threshold_with_the_best_f1_is_found_and_the_lowest_of_equal_ones():
    predicate = [0.1, 0.2, 0.3, 0.25, 0.0, 0.9]
    search = search_threshold(given(predicate, [1, 0, 0, 0, 1, 0]), GOLD, OFFSETS)
    assert search.thresholds == {"predicate": 0.26}
    # All predicates are right; the boundary before 走る is missed, and none is found.
    assert search.f1 == (1 + 0) / 2
    at_half = search.curves["predicate"][THRESHOLDS.tolist().index(0.5)]
    assert at_half.tolist() == [1, 0, 1]
    assert search.curves["predicate"][0].tolist() == [2, 3, 0]


def test_no_tokens_are_no_error():
    none = decide(np.zeros((0, LABELS), np.float32), np.array([0]), 0.5)
    counts = count(none, np.zeros(0, np.int8), np.array([0]))
    assert {one["f1"] for one in counts.values()} == {0.0}
    assert none.predicate_probability.shape == (0,)


@pytest.mark.parametrize(("threshold", "expected"), [(0.5, True), (0.51, False)])
def test_a_probability_that_equals_the_threshold_is_enough(threshold, expected):
    found = decide(given([0.5], [0.0]), np.array([0, 1]), threshold)
    assert found.is_predicate.tolist() == [expected]
