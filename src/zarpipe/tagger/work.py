"""What the trainings of a recipe's seeds share, whichever way their taggers read sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

from zarpipe.config import TrainingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.tagger.batches import EncodedInstances
from zarpipe.tagger.checkpoint import TrainingState
from zarpipe.tagger.specs import TrainingFiles
from zarpipe.task.instances import Instances


@dataclass(frozen=True)
class Work:
    """What is trained, on what, and how a trained model is written.

    Attributes:
        instances: the instances of the training split.
        train: the same and an augmented copy of each, if there are any, as the tagger reads them.
        dev_instances: the instances of the development split.
        dev: the same as the tagger reads them.
        provenance: what they were made from.
        training: optimiser and schedule.
        new_model: makes the model with the initial weights of a seed.
        write: writes a trained model into a folder, with metadata.
        warm_up: epochs over which the learning rate rises.
    """

    instances: Instances
    train: EncodedInstances
    dev_instances: Instances
    dev: EncodedInstances
    provenance: dict[str, Any]
    training: TrainingConfig
    new_model: Callable[[int], nn.Module]
    write: Callable[[Path, TrainingState, dict[str, Any]], None]
    warm_up: float = 0.0


def refuse_both(files: TrainingFiles, option: str) -> None:
    """Refuse several copies of the originals where there are augmented ones."""
    if files.copies != 1:
        raise ZarpipeError(f"--copies: found with {option}; expected one of the two recipes")
