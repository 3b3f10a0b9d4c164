"""What becomes of a corpus's annotation in the words of another dictionary."""

from __future__ import annotations

import enum
from collections.abc import Mapping


class Projection(enum.Enum):
    """What is counted when a document is cut into the words of another dictionary; names as in files."""

    WORDS = "words"
    """Gold words."""
    SAME_WORDS = "same words"
    """Gold words that begin and end where new words do."""
    JOINED_BUNSETSU = "joined bunsetsu"
    """Bunsetsu that became a part of the one before them, because a new word lies in both."""
    PREDICATES = "predicates"
    """Gold predicates."""
    LOST_PREDICATES = "lost predicates"
    """Those whose new word is that of the predicate before."""
    ARGUMENTS = "arguments"
    """Gold arguments, a case of a predicate once."""
    LOST_ARGUMENTS = "lost arguments"
    """Those of lost predicates, and those whose mentions came into the predicate's own bunsetsu."""
    OTHER_RELATIONS = "other relations"
    """Arguments that were DEP and are ZAR, or the reverse, because bunsetsu were joined."""


def projection_lines(segmenter: str, projection: Mapping[str, Mapping[Projection, int]]) -> list[str]:
    """Say what became of each split's annotation in the words of a segmenter: a heading, and a line each."""
    return [f"words of {segmenter}:", *(_projection_line(*split) for split in projection.items())]


def _projection_line(split: str, counts: Mapping[Projection, int]) -> str:
    def number(one: Projection) -> str:
        return f"{counts.get(one, 0):,}"

    words = counts.get(Projection.WORDS, 0)
    same = counts.get(Projection.SAME_WORDS, 0) / words if words else 1.0
    return (
        f"{split}: {100 * same:.1f} % of {number(Projection.WORDS)} gold words begin and end where new ones "
        "do; "
        f"lost are {number(Projection.LOST_PREDICATES)} of {number(Projection.PREDICATES)} predicates and "
        f"{number(Projection.LOST_ARGUMENTS)} of {number(Projection.ARGUMENTS)} arguments; "
        f"{number(Projection.JOINED_BUNSETSU)} bunsetsu joined; "
        f"{number(Projection.OTHER_RELATIONS)} arguments changed between DEP and ZAR"
    )
