"""Where the variance of an F1, or of an F1 difference, comes from: seeds, documents, or both together.

Every model of a recipe (seed) decides on every document: the two are crossed. The variance of a mean over K
seeds on a test set is ``seed / K + document + rest / K``; on a test set twice as large, the last two are
half as large.

The three are estimated as in a two-way analysis of variance without replication (Searle, Casella and
McCulloch 1992, Variance Components, chapter 4), on the linear parts of F1
(`zarpipe.task.statistics.f1.influences`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zarpipe.arrays import Float64, Int64
from zarpipe.task.statistics.f1 import influences, micro_f1

MIN_DOCUMENTS = 6
"""With five documents no p-value can be below 2 / 2**5 = 0.06, so there is nothing to be found at 5 %."""


@dataclass(frozen=True)
class Components:
    """Variances of an F1 (fractions, squared) of one model on the test set at hand."""

    seed: float  # how the models differ on any documents
    document: float  # how the sample of documents moves all models alike
    rest: float  # how it moves each model by itself
    documents: int  # D, the documents of the test set at hand
    # K, the models that they were estimated from; of one model alone, `seed` and `rest` are 0 and what they
    # would be is in `document`.
    seeds: int

    def variance(self, documents: float, seeds: float) -> float:
        """Return the variance of a mean over this many seeds on this many documents."""
        of_documents = (self.document + self.rest / seeds) * self.documents / documents
        return of_documents + self.seed / seeds


def f1_components(counts: Int64, other_counts: Int64 | None = None) -> list[Components | None]:
    """Estimate the components of a system's F1, or of its F1 difference from another system, in c categories.

    Counts are [D, K, c, 3] int64, right, wrong and missed arguments of D documents by each of K models,
    paired. None where fewer than MIN_DOCUMENTS documents move the F1: there is nothing to estimate from.
    """
    f1, influence = micro_f1(counts.sum(axis=0)), influences(counts)
    if other_counts is not None:
        f1 = f1 - micro_f1(other_counts.sum(axis=0))
        influence = influence - influences(other_counts)
    moved = (influence != 0).any(axis=1).sum(axis=0)
    return [
        components(f1[:, place], influence[:, :, place]) if documents >= MIN_DOCUMENTS else None
        for place, documents in enumerate(moved)
    ]


def components(f1: Float64, influence: Float64) -> Components:
    """Estimate variance components from the F1, or F1 difference, of each model [K] and influences [D, K]."""
    documents, seeds = influence.shape
    small = documents / (documents - 1) if documents > 1 else 1.0
    of_document = influence.mean(axis=1)
    together = small * float((of_document**2).sum())
    if seeds < 2:
        return Components(0.0, together, 0.0, documents, seeds)
    rest = small * float(((influence - of_document[:, None]) ** 2).sum()) / (seeds - 1)
    return Components(
        seed=max(0.0, float(np.var(f1, ddof=1)) - rest),
        document=max(0.0, together - rest / seeds),
        rest=rest,
        documents=documents,
        seeds=seeds,
    )
