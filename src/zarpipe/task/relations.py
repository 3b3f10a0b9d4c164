"""Where an argument stands from its predicate: DEP, ZAR, or in the same bunsetsu."""

from __future__ import annotations

import enum
from collections.abc import Sequence

import numpy as np

from zarpipe.arrays import Int8, Int64


class Relation(enum.IntEnum):
    """Where a token stands from a predicate; files have the name, arrays the number."""

    DEP = 0
    """In a direct dependency: 太郎が in 太郎が 走った。"""
    ZAR = 1
    """Elsewhere in the sentence, a zero argument: 太郎は 疲れたので 休んだ。 for 疲れた."""
    OWN_BUNSETSU = 2
    """In the predicate's own bunsetsu: 研究 in 研究している。 Never labelled."""


# Those that an argument can have.
ARGUMENT_RELATIONS = (Relation.DEP, Relation.ZAR)


def relation(predicate_bunsetsu: int, argument_bunsetsu: int, heads: Sequence[int]) -> Relation:
    """Return DEP if one of the two different bunsetsu depends directly on the other, else ZAR."""
    linked = heads[predicate_bunsetsu] == argument_bunsetsu or heads[argument_bunsetsu] == predicate_bunsetsu
    return Relation.DEP if linked else Relation.ZAR


def position_category(bunsetsu: Int64, head: Int64, predicate_bunsetsu: Int64, predicate_head: Int64) -> Int8:
    """Classify positions by their bunsetsu: own bunsetsu, direct dependency in either direction, or neither.

    All arguments broadcast; ``head`` is the head of ``bunsetsu``. Gives int8 numbers of `Relation`. Rule:
    golden cases, evaluation notes.
    """
    linked = (bunsetsu == predicate_head) | (head == predicate_bunsetsu)
    elsewhere = np.where(linked, Relation.DEP, Relation.ZAR)
    return np.where(bunsetsu == predicate_bunsetsu, Relation.OWN_BUNSETSU, elsewhere).astype(np.int8)
