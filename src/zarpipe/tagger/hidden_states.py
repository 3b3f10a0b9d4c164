"""What taggers read: hidden states, and where they come from (`zarpipe.config.tagger.HIDDEN_STATES`).

A module of that table has ``STATES``, a class that keeps the Protocol `Source`. How to add one:
docs/extending/hidden-states.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

import torch
from torch import Tensor, nn

from zarpipe.arrays import Int64
from zarpipe.config import TaggerConfig, TrainingConfig
from zarpipe.task.instances import Instances

if TYPE_CHECKING:
    from zarpipe.tagger.batches import EncodedInstances
    from zarpipe.tagger.specs import Settings, TrainingFiles


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


class HiddenStates(Protocol):
    """Sequences of tokens, numbered from 0, as a model reads them."""

    lack_of_memory: ClassVar[str]  # the message where memory is short; it may name {batch_size}
    not_a_number: ClassVar[str]  # what to do where a loss is not a number

    def reading_lengths(self, sequences: Int64) -> Int64:
        """Return how long sequences are for who reads them, in tokens or subwords: [n] numbers -> [n]."""

    def parts(self, encoded: EncodedInstances, instances: Int64) -> Iterator[Part]:
        """Give the batches that hold these instances: one, or several where memory does not hold all."""


@dataclass(frozen=True)
class Splits:
    """What a tagger is trained and tuned on."""

    instances: Instances  # the instances of the training split
    originals: EncodedInstances  # the same as the tagger reads them
    draws: list[EncodedInstances]  # their augmented copies, one for each draw
    dev_instances: Instances  # the instances of the development split
    dev: EncodedInstances  # the same as the tagger reads them
    # the instances of other text, file by file: the flat arrays and hidden states of each begin with those of
    # the one before, and of the last draw
    extra: Sequence[EncodedInstances] = ()


# Reads the instances of a corpus; the second argument opens the feature file that was given, if one was.
ReadSplit = Callable[
    [Path, Callable[[], tuple[Instances, "EncodedInstances"]] | None], tuple[Instances, "EncodedInstances"]
]


class TaggerFolder(NamedTuple):
    """A trained tagger's folder, its configuration, and the weights and metadata of its file."""

    path: Path
    config: TaggerConfig
    weights: dict[str, Tensor]
    metadata: dict[str, Any]
    trust_remote_code: bool


class ReadModel(NamedTuple):
    """A tagger's model as read from its folder: without its weights yet, all of these, and what it reads."""

    model: nn.Module
    weights: dict[str, Tensor]
    read_split: ReadSplit


class Source(HiddenStates, Protocol):
    """Hidden states that taggers of some architectures are trained on."""

    name: ClassVar[str]  # in the table; the file of a tagger says it

    @classmethod
    def read_training(cls, files: TrainingFiles, settings: Settings) -> Splits:
        """Read and check what a tagger is trained on."""

    @classmethod
    def read_model(cls, folder: TaggerFolder) -> ReadModel:
        """Build the model of a trained tagger."""

    def new_model(self, config: TaggerConfig, seed: int) -> nn.Module:
        """Return a model with the initial weights of a seed."""

    def training_settings(self, training: TrainingConfig) -> tuple[TrainingConfig, float]:
        """Return the optimiser's settings, and the epochs over which the learning rate rises."""

    def tokens_at_once(self, config: TaggerConfig) -> int | None:
        """Return how many tokens an optimiser's step may have at most; None: any number."""

    def provenance(self) -> dict[str, Any]:
        """Return what a tagger's file says of what it reads."""

    def write(
        self, folder: Path, model: nn.Module, weights: dict[str, Tensor], metadata: dict[str, Any]
    ) -> None:
        """Write a trained model's weights and metadata into its folder."""
