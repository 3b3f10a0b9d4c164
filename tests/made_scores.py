"""Scores with wanted values, by counts that give them."""

import numpy as np

from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.relations import Relation
from zarpipe.task.scores import Scores, scores

# Right decisions; the numbers that tests ask for divide it without rest.
_RIGHT = 105 * 10**6


def scores_with(precision: float, recall: float) -> Scores:
    """All decisions are about one case; DEP and ZAR have the same precision and recall."""
    counts = np.zeros((len(Relation), len(CASE_NAMES), 3), np.int64)
    counts[[Relation.DEP, Relation.ZAR], 0] = _counts(_RIGHT, precision, recall)
    return scores(counts)


def scores_with_f1(zar: float, dep: float, both: float) -> Scores:
    """All decisions are about one case, and there are ten times as many DEP arguments as ZAR."""
    counts = np.zeros((len(Relation), len(CASE_NAMES), 3), np.int64)
    counts[Relation.DEP, 0] = _counts(round(10 * dep * _RIGHT), dep, dep)
    counts[Relation.ZAR, 0] = _counts(round(zar * _RIGHT), zar, zar)
    right, wrong, missed = counts.sum(axis=(0, 1))
    # Wrong decisions in the predicate's own bunsetsu count in ALL alone.
    counts[Relation.OWN_BUNSETSU, 0, 1] = round(2 * right / both) - 2 * right - wrong - missed
    assert (counts >= 0).all()
    return scores(counts)


def _counts(right: int, precision: float, recall: float) -> list[int]:
    return [right, round(right / precision) - right, round(right / recall) - right]
