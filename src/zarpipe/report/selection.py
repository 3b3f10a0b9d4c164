"""How much of a dev score is the choosing itself: nested selection over halves of the dev documents.

The best of many recipes on dev is best there partly by chance. So the recipe is chosen on one half of the
dev documents by mean ZAR F1, and decides the other half; and the other way round. Both decided halves
together are the dev set again, scored as usual. That is repeated over many random halvings (repeated two-fold
cross-validation; Varma and Simon 2006, Bias in error estimation when using cross-validation for model
selection). Where there is nothing to choose from, the result is the plain mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zarpipe.arrays import Float64, Int64
from zarpipe.task.relations import Relation
from zarpipe.task.scores import ALL
from zarpipe.task.statistics.f1 import micro_f1

HALVINGS = 100
# Fixed: tables of the same study, and all rows of a table, see the same halves.
_SEED = 4
# Column of a table -> category; the choice is by the first.
NESTED_CATEGORIES = {"zar_f1": Relation.ZAR.name, "dep_f1": Relation.DEP.name, "all_f1": ALL}


@dataclass(frozen=True)
class Nested:
    """What a choice is worth on documents that it was not made on.

    F1 in percent, by column of NESTED_CATEGORIES; [candidates] share of all choices that fell on each.
    """

    f1: dict[str, float]
    choices: Float64


def nested_selection(candidates: Sequence[Int64]) -> Nested | None:
    """Choose among candidates on halves of the documents, score each choice on the other half.

    ``candidates``: for each, [D, K, c, 3] int64, right, wrong and missed arguments of D documents by each
    of K models in the categories of NESTED_CATEGORIES. Returns means over models and halvings; None for
    fewer than two documents.
    """
    counts = np.stack(candidates)
    documents = counts.shape[1]
    if documents < 2:
        return None
    total = counts.sum(axis=1)
    halves = _halves(documents).astype(np.float64)
    flat = counts.transpose(1, 0, 2, 3, 4).reshape(documents, -1)
    first = np.rint(halves @ flat).astype(np.int64).reshape(len(halves), *total.shape)
    second = total - first
    chosen_on_first, chosen_on_second = _best(first), _best(second)
    halving = np.arange(len(halves))
    decided = second[halving, chosen_on_first] + first[halving, chosen_on_second]
    f1 = 100 * micro_f1(decided).mean(axis=(0, 1))
    chosen = np.bincount(np.concatenate([chosen_on_first, chosen_on_second]), minlength=len(counts))
    return Nested(dict(zip(NESTED_CATEGORIES, f1.tolist(), strict=True)), chosen / chosen.sum())


def _halves(documents: int) -> Int64:
    """Draw which documents stand in the first half: [HALVINGS, documents] of 0 and 1."""
    rng = np.random.default_rng(_SEED)
    in_first = np.arange(documents) < documents // 2
    return rng.permuted(np.tile(in_first, (HALVINGS, 1)), axis=1).astype(np.int64)


def _best(counts: Int64) -> Int64:
    """Return the candidate with the highest mean ZAR F1, the first of equals: [H, R, K, c, 3] -> [H]."""
    return np.asarray(micro_f1(counts[:, :, :, 0]).mean(axis=2).argmax(axis=1), np.int64)
