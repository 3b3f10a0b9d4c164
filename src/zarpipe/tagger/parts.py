"""What goes through a tagger at once: all instances of a step, or some where the MLM is trained too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, Self

import torch
from torch import Tensor

from zarpipe.arrays import Int64
from zarpipe.tagger.batches import EncodedInstances, pack
from zarpipe.tagger.hidden_states import HiddenStates


class Part(Protocol):
    """A batch of any kind: r tokens of some instances.

    Attributes:
        labels: [r] int64.
        weights: [r] float32, one over the length of the token's instance.
        flat_index: [r] int64, each token's index when instances lie one after the other as given.
    """

    @property
    def labels(self) -> Tensor: ...  # noqa: D102
    @property
    def weights(self) -> Tensor: ...  # noqa: D102
    @property
    def flat_index(self) -> Tensor: ...  # noqa: D102

    def to(self, device: torch.device) -> Self:
        """Return the batch with its tensors on a device."""


def parts_of(encoded: EncodedInstances, instances: Int64) -> Iterator[Part]:
    """Give the batches that hold these instances."""
    states = encoded.hidden_states
    if isinstance(states, HiddenStates):
        yield pack(encoded, instances)
    else:
        yield from states.batches(encoded, instances)


def reading_lengths(encoded: EncodedInstances) -> Int64:
    """Return how long each instance is for who reads it, in tokens or in the MLM's subwords: [n] int64."""
    states = encoded.hidden_states
    if isinstance(states, HiddenStates):
        return encoded.lengths
    return states.reading_lengths(encoded.sequence)
