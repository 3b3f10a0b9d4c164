"""What a conversion tells when it is done."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from zarpipe.config import SPLITS
from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import FileProblem
from zarpipe.task.documents import Remark, Removal
from zarpipe.task.projection import Projection


@dataclass
class Summary:
    """What a conversion did; counts are those of each split."""

    documents: Counter[str] = field(default_factory=Counter)
    sentences: Counter[str] = field(default_factory=Counter)
    predicates: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    # (case, rule) -> annotated arguments that are not labelled.
    removed: dict[str, Counter[tuple[str, Removal]]] = field(
        default_factory=lambda: {name: Counter() for name in SPLITS}
    )
    skipped: list[FileProblem] = field(default_factory=list)  # of documents that cannot be read
    remarks: list[Remark] = field(default_factory=list)  # on what was read but looks wrong
    left_out: int = 0  # documents that no id list names
    tagset: tuple[Tagset, str] | None = None  # the corpus's, and the first file that says so
    segmenter: str | None = None  # what cut the sentences into words; None if they are the corpus's own
    projection: dict[str, Counter[Projection]] = field(
        default_factory=lambda: {name: Counter() for name in SPLITS}
    )

    def count(self, split: str, rows: pa.RecordBatch | pa.Table) -> None:
        """Count rows of a split."""
        self.sentences[split] += rows.num_rows
        for counts, column in ((self.predicates, "predicates"), (self.tokens, "tokens")):
            counts[split] += pc.sum(pc.list_value_length(rows[column])).as_py() or 0

    @property
    def repairs(self) -> list[Remark]:
        """The remarks on what was repaired."""
        return [remark for remark in self.remarks if remark.repaired]
