"""Counts and scores of decided arguments, by case and by category (DEP, ZAR).

Counting rules (golden evaluation notes): a decision that hits any gold mention of its case is one true
positive in the category of the gold argument (DEP if any mention is, else ZAR). A wrong decision is a false
positive in the category of its position; in the predicate's own bunsetsu it counts in ALL only. A gold
argument that is not hit is a false negative in its category. Scores over cases and categories are
micro-averaged.
"""

from __future__ import annotations

import numpy as np

from zarpipe.arrays import Bool, Int8, Int64, any_of_each
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.relations import ARGUMENT_RELATIONS, Relation

Scores = dict[str, dict[str, dict[str, float | int]]]

ALL = "ALL"
"""What stands for all cases, or all relations, in scores."""


def count_decisions(decided: Int64, gold: Bool, position_category: Int8, offsets: Int64) -> Int64:
    """Count the decisions of n instances: [3 relations, C cases, 3] int64, right, wrong and missed.

    Decided are tokens of the instance, [n, C] int64, -1 for none; ``gold`` is [N, C] bool, position_category
    [N] numbers of Relation, offsets [n + 1].
    """
    counts: Int64 = count_by_instance(decided, gold, position_category, offsets).sum(axis=0)
    return counts


def count_by_instance(decided: Int64, gold: Bool, position_category: Int8, offsets: Int64) -> Int64:
    """Count as `count_decisions`, but per instance (for significance tests): [n, 3, C, 3] int64."""
    something = decided >= 0
    rows = np.where(something, decided + offsets[:-1, None], 0)
    if not len(gold):
        return np.zeros((len(decided), len(Relation), len(CASE_NAMES), 3), np.int64)
    right = something & np.take_along_axis(gold, rows, axis=0)
    has_gold = any_of_each(gold, offsets)
    is_dep = position_category == Relation.DEP
    gold_category = np.where(any_of_each(gold & is_dep[:, None], offsets), *ARGUMENT_RELATIONS)
    outcomes = [
        (right, gold_category),
        (something & ~right, position_category[rows]),
        (has_gold & ~right, gold_category),
    ]
    categories = np.arange(len(Relation))[:, None]
    return np.stack(
        [happened[:, None] & (category[:, None] == categories) for happened, category in outcomes], axis=-1
    ).astype(np.int64)


def scores(counts: Int64) -> Scores:
    """Turn [3 relations, C cases, 3] counts into precision, recall and F1 (0.0 for nothing to divide).

    Returns {"ALL" | "DEP" | "ZAR": {a case, such as "NOM" | "ALL": {tp, fp, fn, precision, recall, f1}}}.
    """
    by_category = {ALL: counts.sum(axis=0)} | {one.name: counts[one] for one in ARGUMENT_RELATIONS}
    return {
        name: {
            **{case: score(*of_cases[index].tolist()) for index, case in enumerate(CASE_NAMES)},
            ALL: score(*of_cases.sum(axis=0).tolist()),
        }
        for name, of_cases in by_category.items()
    }


def score(right: int, wrong: int, missed: int) -> dict[str, float | int]:
    """Return true positives, false positives and false negatives with what follows from them."""
    return {
        "tp": right,
        "fp": wrong,
        "fn": missed,
        "precision": _ratio(right, right + wrong),
        "recall": _ratio(right, right + missed),
        "f1": _ratio(2 * right, 2 * right + wrong + missed),
    }


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
