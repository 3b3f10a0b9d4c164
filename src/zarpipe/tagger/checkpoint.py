"""Checkpoints of a training: everything that the next epoch depends on, in one safetensors file.

It lies beside the folder of the training's job, whose key says all that the training depends on. The order of
batches follows from seed and epoch number, so no random state needs to be kept.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from zarpipe.errors import ZarpipeError
from zarpipe.formats.tagger import read_tensors, write_tensors
from zarpipe.tagger.schedule import Schedule

Row = dict[str, float | int | str]
_CHECKSUM = "sha256"


@dataclass
class TrainingState:
    """A training between two epochs."""

    model: nn.Module
    optimizer: torch.optim.Adam  # Adam over them
    schedule: Schedule  # rate, best score, epochs done
    best: dict[str, Tensor]  # the best epoch's weights
    thresholds: dict[str, float]  # the best epoch's thresholds
    history: list[Row]  # one row per epoch, those of earlier stages included
    stage: int = 0  # which stage of the training it is in, from 0

    @property
    def next_epoch(self) -> int:
        """Number of the next epoch over all stages, from 1."""
        return len(self.history) + 1

    @property
    def best_epoch(self) -> int:
        """Number of the epoch that gave the best weights, over all stages."""
        better = [int(row["epoch"]) for row in self.history if row["event"] == "improve_and_save"]
        return better[-1]


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
    write_tensors(path, tensors, {**metadata, _CHECKSUM: _checksum(tensors, metadata)})


def load_checkpoint(path: Path, state: TrainingState) -> None:
    """Put a checkpoint into ``state``, if there is a sound one."""
    try:
        tensors, metadata = read_tensors(path)
    except ZarpipeError:
        tensors, metadata = {}, {}
    if metadata.pop(_CHECKSUM, None) != _checksum(tensors, metadata):
        return  # it only saves time: a damaged one is the same as none
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


def _checksum(tensors: dict[str, Tensor], metadata: dict[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps(metadata).encode())
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
