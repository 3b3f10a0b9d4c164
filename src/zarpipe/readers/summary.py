"""What a conversion tells when it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from zarpipe.config import SPLITS
from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import FileProblem
from zarpipe.task.documents import Projection, Remark, Removal


@dataclass
class Summary:
    """What a conversion did.

    Attributes:
        documents, sentences, predicates, tokens: counts per split.
        removed: per split, (case, rule) -> annotated arguments that are not labelled.
        skipped: problems of the documents that cannot be read (left out with ``on_error="skip"``).
        remarks: what was read but looks wrong.
        left_out: documents that no id list names.
        segmenter: what cut the sentences into words; None if they are the corpus's own.
        projection: per split, what became of the annotation then.
        tagset: whose parts of speech the corpus has, and the first file that says so.
    """

    documents: Counter[str] = field(default_factory=Counter)
    sentences: Counter[str] = field(default_factory=Counter)
    predicates: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    removed: dict[str, Counter[tuple[str, Removal]]] = field(
        default_factory=lambda: {name: Counter() for name in SPLITS}
    )
    skipped: list[FileProblem] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    left_out: int = 0
    tagset: tuple[Tagset, str] | None = None
    segmenter: str | None = None
    projection: dict[str, Counter[Projection]] = field(
        default_factory=lambda: {name: Counter() for name in SPLITS}
    )

    @property
    def repairs(self) -> list[Remark]:
        """The remarks on what was repaired."""
        return [remark for remark in self.remarks if remark.repaired]


def projection_lines(segmenter: str, projection: Mapping[str, Mapping[Projection, int]]) -> list[str]:
    """Say what became of the annotation in the words of another dictionary.

    Args:
        segmenter: what cut the sentences into words.
        projection: the counts of each split.

    Returns:
        A heading, and a line for each split.
    """
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
