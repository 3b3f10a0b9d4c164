"""Hidden states of sentences that are analysed: computed as `zarpipe encode` does, and kept in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from zarpipe.arrays import Int64, expand
from zarpipe.encode.token_states import TokenStates
from zarpipe.errors import ZarpipeError
from zarpipe.mlm.batches import Batches
from zarpipe.mlm.sequences import PieceTable, sentence_sequences
from zarpipe.tagger.batches import StoredStates


@dataclass(frozen=True)
class ComputedStates(StoredStates):
    """Hidden states that were computed just now: [M, D] float16, first row and tokens of each sequence."""

    rows: Tensor
    starts: Int64
    sizes: Int64

    @property
    def size(self) -> int:
        """D, the size of a hidden state."""
        return int(self.rows.shape[1])

    @property
    def lengths(self) -> Int64:
        """[S] int64, tokens of each sequence."""
        return self.sizes

    def part(self, sequence: Int64, start: Int64, size: Int64) -> ComputedStates:
        """Return parts of sequences as sequences of their own.

        [n] int64, its sequence, first token and tokens.
        """
        return replace(self, starts=self.starts[sequence] + start, sizes=size)

    def gather(self, sequences: Int64) -> Tensor:
        """Return the hidden states of sequences, one sequence after the other: [M, D] float32."""
        return self.rows[torch.from_numpy(expand(self.starts[sequences], self.sizes[sequences]))].float()


@torch.inference_mode()
def computed_states(
    states: TokenStates, sentences: Sequence[Sequence[str]], batch_tokens: int
) -> ComputedStates:
    """Run the model over sentences, in words, as `zarpipe encode` does; rounded as its files are.

    Raises ZarpipeError: a hidden state is not a number.
    """
    pieces = PieceTable()
    column = pa.chunked_array([pa.array(sentences, pa.list_(pa.string()))])
    sequences = sentence_sequences(column, states.model.subwords, pieces)
    order = np.argsort(-pieces.subwords(sequences).lengths, kind="stable")
    batches = Batches(pieces.subwords(sequences.take(order)), states.model, batch_tokens)
    rows = [states.of_batch(batches, batch).half().cpu() for batch in range(len(batches))]
    if not all(one.isfinite().all() for one in rows):
        raise ZarpipeError(
            f"{states.model.name}: gives a hidden state that is not a number or is outside float16's range; "
            "choose another masked language model"
        )
    lengths = sequences.lengths
    starts = np.empty(len(order), np.int64)
    starts[order] = np.concatenate([[0], np.cumsum(lengths[order])])[:-1]
    return ComputedStates(torch.cat(rows), starts, lengths)
