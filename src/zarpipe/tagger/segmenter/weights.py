"""Trained segmenters, read from their folders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from torch import nn

from zarpipe.config import SegmentationConfig
from zarpipe.errors import ZarpipeError
from zarpipe.formats.features import token_states
from zarpipe.formats.tagger import WEIGHTS_NAME, read_tensors
from zarpipe.tagger.segmenter.model import build_segmenter
from zarpipe.tagger.weights import check_thresholds, loaded
from zarpipe.task.segmentation import PREDICATE

# What tells it from a tagger of arguments, where that names its architecture.
_ARCHITECTURE = {"architecture": "segmenter"}


@dataclass(frozen=True)
class SegmenterFile:
    """A trained segmenter as read from its folder."""

    model: nn.Module  # the model with its weights
    threshold: float  # of predicates, tuned on the development set
    provenance: dict[str, Any]  # what it was trained on and with


def configuration(segmentation: SegmentationConfig) -> dict[str, Any]:
    """Return what is written down of a model: how it is built."""
    return _ARCHITECTURE | segmentation.model_dump(exclude={"seeds", "table"})


def read_segmenter(folder: str | Path) -> SegmenterFile:
    """Read a segmenter from its folder. Raises ZarpipeError: it is missing, damaged or something else."""
    path = Path(folder) / WEIGHTS_NAME
    weights, metadata = read_tensors(path)
    config = metadata.get("config")
    if not isinstance(config, dict) or not config.items() >= _ARCHITECTURE.items():
        raise ZarpipeError(f"{path}: not a segmenter; expected what `zarpipe train-segmenter` wrote")
    check_thresholds(Path(folder), metadata.get("thresholds"), [PREDICATE])
    try:
        shape = SegmentationConfig.model_validate(
            {key: value for key, value in config.items() if key not in _ARCHITECTURE}
        )
    except ValidationError as error:
        raise ZarpipeError(
            f"{path}: a segmenter of another version of zarpipe; train it again with `zarpipe "
            "train-segmenter`"
        ) from error
    model = build_segmenter(
        shape.layers,
        shape.hidden_size,
        int(metadata["input_size"]),
        mixed_layers=token_states(metadata["provenance"])["mixed_layers"],
    )
    threshold = float(metadata["thresholds"][PREDICATE])
    return SegmenterFile(loaded(model, path, weights), threshold, metadata["provenance"])
