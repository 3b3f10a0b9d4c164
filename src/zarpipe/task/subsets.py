"""Parts of the documents that a tagger is trained on: nested fractions, and all folds but one.

Documents are what is left out, never single instances: sentences of a document hang together, so that a
tagger that has seen some of them has not quite not seen the others.

A document's rank follows from the subset seed and its identifier alone, by a hash: neither the order of the
corpus nor a library's random numbers change it. So a smaller fraction is part of a larger one of the same
seed, and the folds of a seed are the same for whoever cuts them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from zarpipe.arrays import Bool, Int64
from zarpipe.config.values import Integer, Section, Seed, Share
from zarpipe.errors import ZarpipeError


def document_ranks(seed: int, doc_ids: Sequence[str]) -> Int64:
    """Return the rank of each of D different documents in the order of a subset seed: [D], 0 to D - 1."""
    order = sorted(range(len(doc_ids)), key=lambda place: (_hash(seed, doc_ids[place]), doc_ids[place]))
    ranks = np.empty(len(doc_ids), np.int64)
    ranks[order] = np.arange(len(doc_ids))
    return ranks


class DocumentFraction(Section):
    """The first documents in the order of a seed."""

    fraction: Share
    """Share of the documents, above 0 up to 1; the number of documents is rounded up."""
    seed: Seed
    """Seed of the order."""

    @property
    def name(self) -> str:
        """Part of a recipe's name."""
        return f"fraction{self.fraction}-subset{self.seed}"

    def options(self) -> dict[str, Any]:
        """Return the options of `zarpipe train`."""
        return {"fraction": self.fraction, "subset_seed": self.seed}

    def count(self, documents: int) -> int:
        """Return how many of this many documents it has."""
        # Exact: as floating point numbers, 0.1 times 30 is above 3.
        return math.ceil(Fraction(self.fraction) * documents)

    def chosen(self, doc_ids: Sequence[str]) -> Bool:
        """Tell of each of D different documents whether it belongs to the fraction: [D] bool."""
        return np.asarray(document_ranks(self.seed, doc_ids) < self.count(len(doc_ids)))


class AllButOneFold(Section):
    """All documents but those of one fold, for taggers that have not seen these (cross-fitting)."""

    folds: Annotated[Integer, Field(ge=2)]
    """Number of folds k; fold j has the documents whose rank modulo k is j."""
    without: Annotated[Integer, Field(ge=0)]
    """The fold that is left out, from 0."""
    seed: Seed
    """Seed of the order."""

    @model_validator(mode="after")
    def _fold_is_there(self) -> AllButOneFold:
        if self.without >= self.folds:
            raise ValueError(f"expected a fold from 0 to {self.folds - 1}")
        return self

    @property
    def name(self) -> str:
        """Part of a recipe's name."""
        return f"folds{self.folds}-without{self.without}-subset{self.seed}"

    def options(self) -> dict[str, Any]:
        """Return the options of `zarpipe train`."""
        return {"folds": self.folds, "without_fold": self.without, "subset_seed": self.seed}

    def chosen(self, doc_ids: Sequence[str]) -> Bool:
        """Tell of each of D different documents whether it is trained on: [D] bool.

        Raises ZarpipeError if there are fewer documents than folds.
        """
        if len(doc_ids) < self.folds:
            raise ZarpipeError(
                f"found {_counted(len(doc_ids))} for {self.folds} folds; expected at least one document for "
                "each: take fewer (--folds)"
            )
        return np.asarray(document_ranks(self.seed, doc_ids) % self.folds != self.without)


DocumentPart = DocumentFraction | AllButOneFold


def document_part(
    fraction: str | None, folds: int | None, without_fold: int | None, seed: int
) -> DocumentPart | None:
    """Return the part that these options of a command choose; None for all documents.

    Raises ZarpipeError for options that contradict each other.
    """
    if (folds is None) != (without_fold is None):
        raise ZarpipeError(
            "--folds, --without-fold: found only one of them; expected both, or none for all documents"
        )
    if folds is None or without_fold is None:
        return None if fraction is None else DocumentFraction(fraction=fraction, seed=seed)
    if fraction is not None:
        raise ZarpipeError("--fraction: found with --folds; expected one of the two")
    if without_fold >= folds:
        raise ZarpipeError(f"--without-fold: found {without_fold}; expected a fold from 0 to {folds - 1}")
    return AllButOneFold(folds=folds, without=without_fold, seed=seed)


def _hash(seed: int, doc_id: str) -> bytes:
    return hashlib.blake2b(f"subset\0{seed}\0{doc_id}".encode(), digest_size=16).digest()


def _counted(documents: int) -> str:
    return "1 document" if documents == 1 else f"{documents} documents"
