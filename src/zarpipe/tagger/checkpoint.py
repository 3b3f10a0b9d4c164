"""Checkpoints of a training: everything that the next epoch depends on, in one safetensors file.

They lie in a hidden folder beside the seed folders, not among the declared outputs (which a workflow manager
removes when a job fails), under a name made of the seed and a digest of everything that the training depends
on. The order of batches follows from seed and epoch number, so no random state needs to be kept.
"""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from zarpipe.errors import ZarpipeError
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


def checkpoint_path(output: Path, seed: int, digest: str) -> Path:
    """Return the checkpoint's path of one seed's training."""
    return output / ".checkpoints" / f"seed{seed}-{digest[:16]}.safetensors"


def save_checkpoint(path: Path, state: TrainingState) -> None:
    """Write the state whole, replacing the one of the epoch before."""
    tensors = {f"model.{name}": tensor for name, tensor in state.model.state_dict().items()}
    tensors |= {f"best.{name}": tensor for name, tensor in state.best.items()}
    for name, parameter in state.model.named_parameters():
        moments = state.optimizer.state.get(parameter, {})
        tensors |= {f"adam.{part}.{name}": tensor for part, tensor in moments.items()}
    metadata: dict[str, Any] = {
        "schedule": asdict(state.schedule),
        "thresholds": state.thresholds,
        "history": state.history,
        "stage": state.stage,
    }
    write_tensors(path, tensors, metadata)


def load_checkpoint(path: Path, state: TrainingState) -> bool:
    """Put a checkpoint, if there is a sound one, into ``state``; tell whether there was."""
    if not path.is_file():
        return False
    try:
        tensors, metadata = read_tensors(path)
    except ZarpipeError:
        # A checkpoint only saves time: a damaged one is the same as none.
        return False
    state.model.load_state_dict(_under("model.", tensors))
    state.best = {name: tensor.clone() for name, tensor in _under("best.", tensors).items()}
    state.schedule = Schedule(**metadata["schedule"])
    state.thresholds, state.history = metadata["thresholds"], metadata["history"]
    state.stage = metadata["stage"]
    for name, parameter in state.model.named_parameters():
        moments = {
            part: tensors[f"adam.{part}.{name}"].clone()
            for part in ("step", "exp_avg", "exp_avg_sq")
            if f"adam.{part}.{name}" in tensors
        }
        if moments:
            state.optimizer.state[parameter] = {
                part: moment if part == "step" else moment.to(parameter.device)
                for part, moment in moments.items()
            }
    for group in state.optimizer.param_groups:
        group["lr"] = state.schedule.learning_rate
    return True


def remove_checkpoints(output: Path, seed: int) -> None:
    """Remove all checkpoints of a seed, those of other settings too, and the folder when it is empty."""
    folder = output / ".checkpoints"
    for path in folder.glob(f"seed{seed}-*.safetensors"):
        path.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        shutil.rmtree(folder, ignore_errors=True)


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
