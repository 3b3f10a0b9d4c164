"""Trained taggers, read from their folders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from torch import Tensor, nn

from zarpipe import seals
from zarpipe.config import TaggerConfig
from zarpipe.config.messages import found_text, problem_message
from zarpipe.config.tagger import LIVE
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json
from zarpipe.formats.features import token_states
from zarpipe.formats.tagger import THRESHOLDS_NAME, WEIGHTS_NAME, read_tensors
from zarpipe.tagger.batches import FLAGS, EncodedInstances
from zarpipe.tagger.model import build_model
from zarpipe.task.instances import Instances

# The first weights of a BiGRU whose file, of an earlier zarpipe, says neither architecture nor input size.
_FIRST_WEIGHTS = "layers.0.weight_ih_l0"


@dataclass(frozen=True)
class TaggerFile:
    """A trained tagger as read from its folder.

    Attributes:
        model: the tagger with its weights.
        config: architecture, layers, size, output bias, acceptance rule.
        thresholds: case -> threshold, tuned on the development set.
        provenance: what it was trained on and with.
        read_split: reads the instances of a corpus Parquet, if the MLM is part of the tagger; None: it reads
            feature files.
    """

    model: nn.Module
    config: TaggerConfig
    thresholds: dict[str, float]
    provenance: dict[str, Any]
    read_split: Callable[[Path], tuple[Instances, EncodedInstances]] | None = None


def read_tagger(folder: str | Path, trust_remote_code: bool = False) -> TaggerFile:
    """Read a tagger from its folder.

    Args:
        folder: the folder.
        trust_remote_code: run code that came with the MLM, if that is part of the tagger.

    Raises:
        ZarpipeError: it is missing, damaged or of another kind.
    """
    path = Path(folder) / WEIGHTS_NAME
    if not path.is_file() and any(Path(folder).glob(f"seed*/{WEIGHTS_NAME}")):
        raise ZarpipeError(
            f"{folder}: the folder of a recipe; expected that of one tagger, such as {folder}/seed1"
        )
    weights, metadata = read_tensors(path)
    missing = [name for name in ("config", "thresholds", "provenance") if name not in metadata]
    if missing:
        raise ZarpipeError(f"{path}: not a tagger of zarpipe: its metadata lack {', '.join(missing)}")
    check_thresholds(Path(folder) / THRESHOLDS_NAME, metadata["thresholds"])
    config = _config(path, metadata["config"])
    read = metadata["thresholds"], metadata["provenance"]
    if config.architecture in LIVE:
        live = LIVE.load(config.architecture)
        model, weights, read_split = live.read(Path(folder), config, weights, metadata, trust_remote_code)
        return TaggerFile(loaded(model, path, weights), config, *read, read_split)
    mixed_layers = token_states(metadata["provenance"])["mixed_layers"]
    model = build_model(config, _input_size(path, weights, metadata), mixed_layers=mixed_layers)
    return TaggerFile(loaded(model, path, weights), config, *read)


def loaded(model: nn.Module, path: Path, weights: dict[str, Tensor]) -> nn.Module:
    """Return the model with these weights, for use."""
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise ZarpipeError(f"{path}: its weights do not fit its configuration ({error})") from error
    return model.eval()


def check_thresholds(path: Path, wanted: Any) -> None:
    """Compare the thresholds beside the weights, for people to read, with those that are used."""
    seals.check(path)
    if path.is_file() and read_json(path) != wanted:
        raise ZarpipeError(
            f"{path}: says other thresholds than {WEIGHTS_NAME} beside it, whose are used; delete both and "
            "train the tagger again"
        )


def _config(path: Path, values: dict[str, Any]) -> TaggerConfig:
    """Return a tagger's configuration; one of the last version has no architecture and is a bigru."""
    try:
        return TaggerConfig.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise ZarpipeError(
            f"{path}: tagger.{key}: found {found_text(first['input'])}; {problem_message(first)}; "
            "train it again with `zarpipe train`, or use the zarpipe that it was trained with"
        ) from error


def _input_size(path: Path, weights: dict[str, Tensor], metadata: dict[str, Any]) -> int:
    """Return the size of the hidden states that a tagger reads."""
    if "input_size" in metadata:
        return int(metadata["input_size"])
    if _FIRST_WEIGHTS not in weights:
        raise ZarpipeError(f"{path}: not a tagger of zarpipe: its metadata lack input_size")
    return weights[_FIRST_WEIGHTS].shape[1] - FLAGS
