"""Trained taggers, read from their folders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zarpipe.config import TaggerConfig
from zarpipe.errors import ZarpipeError
from zarpipe.formats.tagger import WEIGHTS_NAME, read_tensors
from zarpipe.tagger.model import FLAGS, Tagger


@dataclass(frozen=True)
class TaggerFile:
    """A trained tagger as read from its folder.

    Attributes:
        model: the tagger with its weights.
        config: layers, size, output bias, acceptance rule.
        thresholds: case -> threshold, tuned on the development set.
        provenance: what it was trained on and with.
    """

    model: Tagger
    config: TaggerConfig
    thresholds: dict[str, float]
    provenance: dict[str, Any]


def read_tagger(folder: str | Path) -> TaggerFile:
    """Read a tagger from its folder. Raises ZarpipeError when it is missing, damaged or of another kind."""
    path = Path(folder) / WEIGHTS_NAME
    if not path.is_file() and any(Path(folder).glob(f"seed*/{WEIGHTS_NAME}")):
        raise ZarpipeError(
            f"{folder}: the folder of a recipe; expected that of one tagger, such as {folder}/seed1"
        )
    tensors, metadata = read_tensors(path)
    missing = [name for name in ("config", "thresholds", "provenance") if name not in metadata]
    if missing or "layers.0.weight_ih_l0" not in tensors:
        raise ZarpipeError(
            f"{path}: not a tagger of zarpipe: its metadata lack {', '.join(missing) or 'weights'}"
        )
    config = TaggerConfig.model_validate(metadata["config"])
    model = Tagger(tensors["layers.0.weight_ih_l0"].shape[1] - FLAGS, config)
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        raise ZarpipeError(f"{path}: its weights do not fit its configuration ({error})") from error
    return TaggerFile(model.eval(), config, metadata["thresholds"], metadata["provenance"])
