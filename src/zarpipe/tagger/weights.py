"""Trained taggers, read from their folders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from torch import Tensor, nn

from zarpipe import job_folders
from zarpipe.config import TaggerConfig
from zarpipe.config.messages import found_text, problem_message
from zarpipe.config.tagger import HIDDEN_STATES
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json
from zarpipe.formats.tagger import THRESHOLDS_NAME, WEIGHTS_NAME, read_tensors
from zarpipe.tagger.hidden_states import ReadSplit, Source, TaggerFolder
from zarpipe.task.cases import CASE_NAMES


@dataclass(frozen=True)
class TaggerFile:
    """A trained tagger as read from its folder."""

    model: nn.Module  # the tagger with its weights
    config: TaggerConfig  # architecture, layers, size, output bias, acceptance rule
    thresholds: dict[str, float]  # case -> threshold, tuned on the development set
    provenance: dict[str, Any]  # what it was trained on and with
    read_split: ReadSplit  # reads the instances of a corpus Parquet as the tagger reads them


def read_tagger(folder: str | Path, trust_remote_code: bool = False) -> TaggerFile:
    """Read a tagger from its folder. Raises ZarpipeError: it is missing, damaged or of another kind."""
    path = Path(folder) / WEIGHTS_NAME
    if not path.is_file() and any(Path(folder).glob(f"seed*/{WEIGHTS_NAME}")):
        raise ZarpipeError(
            f"{folder}: the folder of a recipe; expected that of one tagger, such as {folder}/seed1"
        )
    weights, metadata = read_tensors(path)
    missing = [name for name in ("config", "thresholds", "provenance") if name not in metadata]
    if missing:
        raise ZarpipeError(f"{path}: not a tagger of zarpipe: its metadata lack {', '.join(missing)}")
    check_thresholds(Path(folder), metadata["thresholds"], CASE_NAMES)
    config = _config(path, metadata["config"])
    name = metadata.get("hidden_states", config.hidden_states)
    if name not in HIDDEN_STATES:
        raise ZarpipeError(
            f"{path}: reads hidden states {name!r}; expected one of {', '.join(HIDDEN_STATES)}: use the "
            "zarpipe that it was trained with"
        )
    source: type[Source] = HIDDEN_STATES.load(name).STATES
    read = source.read_model(TaggerFolder(Path(folder), config, weights, metadata, trust_remote_code))
    model = loaded(read.model, path, read.weights)
    return TaggerFile(model, config, metadata["thresholds"], metadata["provenance"], read.read_split)


def loaded(model: nn.Module, path: Path, weights: dict[str, Tensor]) -> nn.Module:
    """Return the model with these weights, for use: in float32 whatever the program's default is."""
    broken = [name for name, weight in weights.items() if not weight.isfinite().all()]
    if broken:
        raise ZarpipeError(f"{path}: {broken[0]}: found weights that are not numbers; train it again")
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise ZarpipeError(f"{path}: its weights do not fit its configuration ({error})") from error
    return model.eval().float()


def check_thresholds(folder: Path, wanted: Any, names: Iterable[str]) -> None:
    """Refuse thresholds that are no numbers from 0 to 1, or other ones than those beside the weights."""
    if not (
        isinstance(wanted, dict)
        and {*wanted} == {*names}
        and all(type(value) in (int, float) and 0 <= value <= 1 for value in wanted.values())
    ):
        raise ZarpipeError(
            f"{folder / WEIGHTS_NAME}: thresholds: found {wanted!r}; expected a number from 0 to 1 for each "
            f"of {', '.join(names)}"
        )
    path = folder / THRESHOLDS_NAME
    job_folders.check(path)
    if path.is_file() and read_json(path) != wanted:
        raise ZarpipeError(
            f"{path}: says other thresholds than {WEIGHTS_NAME} beside it, whose are used; delete both and "
            "train the tagger again"
        )


def _config(path: Path, values: dict[str, Any]) -> TaggerConfig:
    """Return a tagger's configuration."""
    try:
        return TaggerConfig.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise ZarpipeError(
            f"{path}: tagger.{key}: found {found_text(first['input'])}; {problem_message(first)}; "
            "train it again with `zarpipe train`, or use the zarpipe that it was trained with"
        ) from error
