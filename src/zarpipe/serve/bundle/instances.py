"""The instances of sentences that are analysed: one for each predicate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from zarpipe.arrays import Bool, Int64
from zarpipe.serve.bundle.states import ComputedStates
from zarpipe.tagger.batches import EncodedInstances
from zarpipe.task.cases import NONE_LABEL

WINDOW = 512
"""Words of a sentence that a tagger reads for one predicate; of a longer one, those around the predicate."""


@dataclass(frozen=True)
class AnalysedInstances:
    """The predicates of some sentences: n of them, with N tokens in all.

    Attributes:
        sentence: [n] int64.
        start: [n] int64, the first token of the sentence that the instance reads.
        predicate: [n] int64, the predicate's token, counted from there.
        offsets: [n + 1] int64, first token of each instance.
        is_predicate: [N] bool, whether a token is any predicate of its sentence.
    """

    sentence: Int64
    start: Int64
    predicate: Int64
    offsets: Int64
    is_predicate: Bool

    @classmethod
    def of(cls, lengths: Sequence[int], predicates: Iterable[Sequence[int]]) -> AnalysedInstances:
        """Make the instances of sentences, of which it has the numbers of words, and the predicates."""
        rows = [
            (number, max(0, min(token - WINDOW // 2, lengths[number] - WINDOW)), token, those)
            for number, those in enumerate(predicates)
            for token in those
        ]
        sentence, start, token = (np.array([row[place] for row in rows], np.int64) for place in range(3))
        sizes = np.minimum(np.array(lengths, np.int64)[sentence], WINDOW)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        flags = np.zeros(int(offsets[-1]), bool)
        for instance, (_, first, _, those) in enumerate(rows):
            inside = np.array(those, np.int64) - first
            flags[offsets[instance] + inside[(inside >= 0) & (inside < sizes[instance])]] = True
        return cls(sentence, start, token - start, offsets, flags)

    def encoded(self, states: ComputedStates) -> EncodedInstances:
        """Return the instances with their hidden states; those that read the same ones share them."""
        sizes = np.diff(self.offsets)
        parts, part_of = np.unique(np.stack([self.sentence, self.start, sizes]), axis=1, return_inverse=True)
        return EncodedInstances(
            states.part(*parts),
            part_of.reshape(-1),
            self.offsets[:-1],
            sizes,
            self.predicate,
            np.zeros(len(sizes), bool),
            np.full(len(self.is_predicate), NONE_LABEL, np.int8),
            self.is_predicate,
        )
