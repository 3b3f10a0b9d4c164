"""What a conversion tells when it is done."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from zarpipe.errors import FileProblem
from zarpipe.task.documents import Remark


@dataclass
class Summary:
    """What a conversion did.

    Attributes:
        documents, sentences, predicates, tokens: counts per split.
        skipped: problems of the documents that were left out (``on_error="skip"``).
        remarks: what was read but looks wrong.
        left_out: documents that no id list names.
    """

    documents: Counter[str] = field(default_factory=Counter)
    sentences: Counter[str] = field(default_factory=Counter)
    predicates: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    skipped: list[FileProblem] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    left_out: int = 0
