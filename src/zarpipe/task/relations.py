"""Where an argument stands from its predicate: DEP, ZAR, or in the same bunsetsu."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zarpipe.arrays import Int8, Int64

# Categories of positions in flat arrays.
DEP, ZAR, OWN_BUNSETSU = 0, 1, 2


def relation(predicate_bunsetsu: int, argument_bunsetsu: int, heads: Sequence[int]) -> str:
    """Return DEP if one of the two different bunsetsu depends directly on the other, else ZAR."""
    linked = heads[predicate_bunsetsu] == argument_bunsetsu or heads[argument_bunsetsu] == predicate_bunsetsu
    return "DEP" if linked else "ZAR"


def position_category(bunsetsu: Int64, head: Int64, predicate_bunsetsu: Int64, predicate_head: Int64) -> Int8:
    """Classify positions by their bunsetsu: own bunsetsu, direct dependency in either direction, or neither.

    All arguments broadcast; ``head`` is the head of ``bunsetsu``. Rule: golden cases, evaluation notes.
    """
    linked = (bunsetsu == predicate_head) | (head == predicate_bunsetsu)
    return np.where(bunsetsu == predicate_bunsetsu, OWN_BUNSETSU, np.where(linked, DEP, ZAR)).astype(np.int8)
