"""What the trainings of a recipe's seeds share, whichever way their taggers read sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

from zarpipe.config import TrainingConfig
from zarpipe.tagger.batches import EncodedInstances
from zarpipe.tagger.checkpoint import TrainingState
from zarpipe.task.instances import Instances


@dataclass(frozen=True)
class Work:
    """What is trained, on what, and how a trained model is written.

    Attributes:
        instances: the instances of the training split.
        originals: the same as the tagger reads them.
        draws: their augmented copies, one for each draw.
        dev_instances: the instances of the development split.
        dev: the same as the tagger reads them.
        provenance: what they were made from.
        training: optimiser and schedule.
        new_model: makes the model with the initial weights of a seed.
        write: writes a trained model into a folder, with metadata.
        warm_up: epochs over which the learning rate rises.
    """

    instances: Instances
    originals: EncodedInstances
    draws: list[EncodedInstances]
    dev_instances: Instances
    dev: EncodedInstances
    provenance: dict[str, Any]
    training: TrainingConfig
    new_model: Callable[[int], nn.Module]
    write: Callable[[Path, TrainingState, dict[str, Any]], None]
    warm_up: float = 0.0
