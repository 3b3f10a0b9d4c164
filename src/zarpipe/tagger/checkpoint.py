"""Checkpoints of a training: everything that the next epoch depends on, in one safetensors file.

They lie in a folder beside the output, not in it (a workflow manager removes it when a job fails), under a
name made of everything that the training depends on. The order of batches follows from seed and epoch number,
so no random state needs to be kept.
"""

from __future__ import annotations

import contextlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from zarpipe.errors import ZarpipeError
from zarpipe.files import text_digest
from zarpipe.formats.tagger import read_tensors, write_tensors
from zarpipe.tagger.schedule import Schedule

Row = dict[str, float | int | str]


@dataclass
class TrainingState:
    """A training between two epochs.

    Attributes:
        model: the current weights.
        optimizer: Adam over them.
        schedule: rate, best score, epochs done.
        best: the best epoch's weights.
        thresholds: the best epoch's thresholds.
        history: one row per epoch, those of earlier stages included.
        stage: which stage of the training it is in, from 0.
    """

    model: nn.Module
    optimizer: torch.optim.Adam
    schedule: Schedule
    best: dict[str, Tensor]
    thresholds: dict[str, float]
    history: list[Row]
    stage: int = 0

    @property
    def next_epoch(self) -> int:
        """Number of the next epoch over all stages, from 1."""
        return len(self.history) + 1

    @property
    def best_epoch(self) -> int:
        """Number of the epoch that gave the best weights, over all stages."""
        better = [int(row["epoch"]) for row in self.history if row["event"] == "improve_and_save"]
        return better[-1]


def checkpoint_name(made_from: str) -> str:
    """Return the name of a training's checkpoint: no other training goes on from it."""
    return f"{text_digest(made_from)[:16]}.safetensors"


def save_checkpoint(path: Path, state: TrainingState) -> None:
    """Write the state whole, replacing the one of the epoch before."""
    tensors = {f"model.{name}": tensor for name, tensor in state.model.state_dict().items()}
    tensors |= {f"best.{name}": tensor for name, tensor in state.best.items()}
    for number, moments in state.optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{number}.{part}": tensor for part, tensor in moments.items()}
    metadata: dict[str, Any] = {
        "schedule": asdict(state.schedule),
        "thresholds": state.thresholds,
        "history": state.history,
        "stage": state.stage,
    }
    write_tensors(path, tensors, metadata)


def load_checkpoint(path: Path, state: TrainingState) -> None:
    """Put a checkpoint into ``state``, if there is a sound one."""
    try:
        tensors, metadata = read_tensors(path)
    except ZarpipeError:
        # A checkpoint only saves time: a damaged one is the same as none.
        return
    state.model.load_state_dict(_under("model.", tensors))
    state.best = _under("best.", tensors)
    state.schedule = Schedule(**metadata["schedule"])
    state.thresholds, state.history = metadata["thresholds"], metadata["history"]
    state.stage = metadata["stage"]
    adam: dict[int, dict[str, Tensor]] = {}
    for name, tensor in _under("adam.", tensors).items():
        number, part = name.split(".")
        adam.setdefault(int(number), {})[part] = tensor
    groups = state.optimizer.state_dict()["param_groups"]
    state.optimizer.load_state_dict({"state": adam, "param_groups": groups})
    for group in state.optimizer.param_groups:
        group["lr"] = state.schedule.learning_rate


def remove_checkpoints(folder: Path) -> None:
    """Remove the checkpoints of a folder, those of other settings too, and the folder when it is empty."""
    for path in folder.glob("*.safetensors"):
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder.rmdir()


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
