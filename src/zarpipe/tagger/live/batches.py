"""Batches of a tagger whose MLM is trained too: an optimiser step's instances in parts that memory can hold.

Every instance is a sequence of its own, since its flags are part of what the MLM reads. A sequence over the
model's limit is read in the windows in which `zarpipe encode` reads it; flags of tokens outside of a window
are not seen in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor

from zarpipe.arrays import Int64, expand
from zarpipe.mlm.batches import Batches
from zarpipe.mlm.loading import FrozenMlm
from zarpipe.mlm.sequences import SubwordSequences
from zarpipe.tagger.batches import FLAGS, EncodedInstances, tokens_of


@dataclass(frozen=True)
class LiveBatch:
    """b windows of t subwords, of which r represent tokens."""

    ids: Tensor  # [b, t] int64 vocabulary ids
    attention_mask: Tensor | None  # [b, t] int64, or None when no position is padding
    flags: Tensor  # [b, t, FLAGS] float32, is-target and is-predicate, where subwords represent tokens
    rows: Tensor  # [r] int64, the positions in the flattened [b * t] that represent tokens
    labels: Tensor  # [r] int64
    weights: Tensor  # [r] float32, one over the length of the token's instance
    flat_index: Tensor  # [r] int64, index of each token when instances lie one after the other as given
    zeroed: Tensor  # [r] bool, whether the token's final hidden state is read as zeros

    def to(self, device: torch.device) -> LiveBatch:
        """Return the batch with its tensors on a device."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        there = {name: one.to(device, non_blocking=True) for name, one in values.items() if one is not None}
        return LiveBatch(**{**values, **there})


def live_batches(
    encoded: EncodedInstances,
    instances: Int64,  # [B] which ones
    sequences: SubwordSequences,  # [B] their subwords
    mlm: FrozenMlm,  # the MLM, for its special tokens and its limit
    batch_tokens: int,  # subwords of a batch at most, padding included
) -> Iterator[LiveBatch]:
    """Give instances in batches."""
    order = np.argsort(-sequences.lengths, kind="stable")
    sequences = sequences.take(order)
    lengths = np.diff(sequences.token_offsets)
    member = np.repeat(np.arange(len(order)), lengths)
    tokens = tokens_of(encoded, instances, order, member, expand(np.zeros_like(lengths), lengths))
    flags = np.zeros((len(sequences.ids), FLAGS), np.float32)
    flags[sequences.offsets[member] + sequences.representatives] = tokens["flags"]
    batches = Batches(sequences, mlm, batch_tokens)
    for number in range(len(batches)):
        windows = batches[number]
        of_batch = slice(*batches.token_bounds[number : number + 2].tolist())
        names = ("labels", "weights", "flat_index", "zeroed")
        yield LiveBatch(
            windows.ids,
            windows.attention_mask,
            batches.padded(number, flags),
            windows.rows,
            **{name: torch.from_numpy(tokens[name][of_batch]) for name in names},
        )
