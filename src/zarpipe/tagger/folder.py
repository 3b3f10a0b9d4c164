"""From a training to the folder of what was trained."""

from __future__ import annotations

import functools
import logging
import shutil
from pathlib import Path

from zarpipe.files import hidden_folder, write_json
from zarpipe.formats.history import write_history
from zarpipe.formats.tagger import HISTORY_NAME, MODEL_FOLDER, THRESHOLDS_NAME, WEIGHTS_NAME
from zarpipe.job_folders import unfinished_folder
from zarpipe.progress import Progress
from zarpipe.tagger.checkpoint import TrainingState
from zarpipe.tagger.devices import keep_freed_memory
from zarpipe.tagger.epochs import show_epoch
from zarpipe.tagger.loop import Training

_LOG = logging.getLogger(__name__)
_CHECKPOINT = "checkpoint.safetensors"


def train_into(training: Training, output: Path) -> None:
    """Train a model and write its folder, whole; a job that was interrupted goes on from its checkpoint."""
    keep_freed_memory()
    waiting = unfinished_folder(output)
    checkpoint = waiting / _CHECKPOINT if waiting else None
    if checkpoint and checkpoint.is_file():
        _LOG.info("seed %d: going on from %s", training.seed, checkpoint)
    with Progress("batches", lines=False) as progress:
        state = training.run(functools.partial(show_epoch, progress), checkpoint)
    with hidden_folder(output) as hidden:
        _write(training, state, hidden)
        _move_in(hidden, output)


def _write(training: Training, state: TrainingState, folder: Path) -> None:
    states = training.train.encoded.source
    result = {"seed": training.seed, "best_epoch": state.best_epoch, "dev_f1": state.schedule.best_f1}
    metadata = {
        "config": training.config,
        "hidden_states": states.name,
        "thresholds": state.thresholds,
        "provenance": {**training.provenance, **result},
    }
    states.write(folder, state.model, state.best, metadata)
    write_json(folder / THRESHOLDS_NAME, state.thresholds)
    write_history(folder / HISTORY_NAME, state.history)


def _move_in(hidden: Path, folder: Path) -> None:
    """Move the files to their folder, the weights last, and those that stand there away first."""
    folder.mkdir(exist_ok=True)
    (folder / WEIGHTS_NAME).unlink(missing_ok=True)
    shutil.rmtree(folder / MODEL_FOLDER, ignore_errors=True)
    for part in sorted(hidden.iterdir(), key=lambda part: part.name == WEIGHTS_NAME):
        part.replace(folder / part.name)
