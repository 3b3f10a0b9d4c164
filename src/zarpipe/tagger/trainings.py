"""A training, and the folder that it becomes."""

from __future__ import annotations

import functools
import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from zarpipe.config import TrainingConfig
from zarpipe.files import announce_replacement, hidden_folder, write_json
from zarpipe.formats.history import write_history
from zarpipe.formats.tagger import HISTORY_NAME, MODEL_FOLDER, THRESHOLDS_NAME, WEIGHTS_NAME
from zarpipe.progress import Progress
from zarpipe.tagger.batches import EncodedInstances
from zarpipe.tagger.checkpoint import (
    TrainingState,
    checkpoint_folder,
    checkpoint_name,
    remove_checkpoints,
)
from zarpipe.tagger.epochs import show_epoch
from zarpipe.tagger.mixture import TrainingInstances
from zarpipe.tagger.training import Goal, train_tagger

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Trainings:
    """What is trained, whatever the seed.

    Attributes:
        train: what each epoch is trained on.
        dev: development instances.
        goal: what is learned.
        training: optimiser and schedule.
        new_model: makes the model with the initial weights of a seed.
        write: writes a trained model into a folder, with metadata.
        config: what kind of model it is, as it is written down.
        provenance: what it is made from, and how.
        warm_up: epochs over which the learning rate rises.
    """

    train: TrainingInstances
    dev: EncodedInstances
    goal: Goal
    training: TrainingConfig
    new_model: Callable[[int], nn.Module]
    write: Callable[[Path, TrainingState, dict[str, Any]], None]
    config: dict[str, Any]
    provenance: dict[str, Any]
    warm_up: float = 0.0


def train_and_write(
    shared: Trainings,
    seed: int,
    output: Path,
    checkpoints: Path | None,
    code: str,
    device: torch.device,
) -> None:
    """Train a model and write its folder, whole.

    An interrupted training goes on from its checkpoint, if that was made by the same code from the same.

    Args:
        shared: what is trained.
        seed: its seed.
        output: the folder.
        checkpoints: folder of the checkpoint; None: beside the output.
        code: digest of the code that trains.
        device: where it is trained.
    """
    folder = checkpoints or checkpoint_folder(output)
    checkpoint = folder / checkpoint_name(f"{seed} {sorted(shared.provenance.items())} {code}")
    if checkpoint.is_file():
        _LOG.info("seed %d: going on from %s", seed, checkpoint)
    model = shared.new_model(seed).to(device)
    with Progress("batches", lines=False) as progress:
        state = train_tagger(
            model,
            shared.train,
            shared.dev,
            shared.goal,
            shared.training,
            seed,
            functools.partial(show_epoch, progress),
            checkpoint,
            shared.warm_up,
        )
    _write_folder(output, shared, state, seed)
    remove_checkpoints(folder)


def _write_folder(folder: Path, shared: Trainings, state: TrainingState, seed: int) -> None:
    """Write a model's files beside the folder, then move them in; the folder appears whole."""
    result = {"seed": seed, "best_epoch": state.best_epoch, "dev_f1": state.schedule.best_f1}
    metadata = {
        "config": shared.config,
        "thresholds": state.thresholds,
        "provenance": {**shared.provenance, **result},
    }
    with hidden_folder(folder) as hidden:
        shared.write(hidden, state, metadata)
        write_json(hidden / THRESHOLDS_NAME, state.thresholds)
        write_history(hidden / HISTORY_NAME, state.history)
        _move_in(hidden, folder)


def _move_in(hidden: Path, folder: Path) -> None:
    """Rename the folder into place, or, where one is there already, replace its files (the weights last)."""
    for file in filter(Path.is_file, hidden.rglob("*")):
        announce_replacement(folder / file.relative_to(hidden))
    try:
        hidden.rename(folder)
    except OSError:
        folder.mkdir(exist_ok=True)
        shutil.rmtree(folder / MODEL_FOLDER, ignore_errors=True)
        for part in sorted(hidden.iterdir(), key=lambda part: part.name == WEIGHTS_NAME):
            part.replace(folder / part.name)
