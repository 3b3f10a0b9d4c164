"""The sequences of a tagger whose MLM is trained too: instead of hidden states, what the MLM reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from zarpipe.arrays import Int64
from zarpipe.mlm.loading import FrozenMlm
from zarpipe.mlm.sequences import SubwordSequences
from zarpipe.tagger.batches import EncodedInstances
from zarpipe.tagger.live.batches import LiveBatch, live_batches


@dataclass(frozen=True)
class LiveStates:
    """Sequences of subwords, of which each pass through the MLM makes hidden states anew.

    Attributes:
        mlm: the MLM as it is before training, for its tokenizer and its limit.
        sequences: the sequences; those of augmented copies follow the originals'.
        batch_tokens: subwords that go through the MLM at once, padding included.
    """

    mlm: FrozenMlm
    sequences: SubwordSequences
    batch_tokens: int

    def reading_lengths(self, sequences: Int64) -> Int64:
        """Return the subwords of sequences: [n] numbers -> [n] int64."""
        return self.sequences.lengths[sequences]

    def batches(self, encoded: EncodedInstances, instances: Int64) -> Iterator[LiveBatch]:
        """Give these instances in batches that memory can hold."""
        sequences = encoded.sequence[instances]
        return live_batches(encoded, instances, self.sequences.take(sequences), self.mlm, self.batch_tokens)
