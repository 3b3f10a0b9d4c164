"""The tagger file: weights in safetensors, with configuration and provenance as JSON in its metadata."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from zarpipe.config import TaggerConfig
from zarpipe.errors import ZarpipeError
from zarpipe.files import whole_file
from zarpipe.tagger.model import FLAGS, Tagger

WEIGHTS_NAME = "tagger.safetensors"
THRESHOLDS_NAME = "thresholds.json"
HISTORY_NAME = "history.csv"

_METADATA = "zarpipe"
_DIGEST = "sha256"


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


def write_tensors(path: str | Path, tensors: dict[str, Tensor], metadata: dict[str, Any]) -> None:
    """Write tensors and metadata (as JSON text) so that the file is never half-written."""
    # One entry: safetensors writes several in random order, and equal taggers should be equal files.
    digest = _digest(tensors, metadata)
    texts = {_METADATA: json.dumps({**metadata, _DIGEST: digest}, ensure_ascii=False)}
    with whole_file(path) as temporary:
        # As bytes: the library's own files can be read by their owner only.
        temporary.write_bytes(save({name: tensor.contiguous() for name, tensor in tensors.items()}, texts))


def read_tensors(path: str | Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what `write_tensors` wrote. Raises ZarpipeError when the file is missing or damaged."""
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
            metadata = json.loads((file.metadata() or {}).get(_METADATA, "{}"))
    except (OSError, ValueError, SafetensorError) as error:
        reason = str(error).splitlines()[0]
        raise ZarpipeError(
            f"{path}: cannot be read as a tagger ({reason}); train it again with `zarpipe train`"
        ) from error
    if metadata.pop(_DIGEST, None) != _digest(tensors, metadata):
        raise ZarpipeError(
            f"{path}: damaged: its contents do not fit its checksum; delete it and train it again"
        )
    return tensors, metadata


def _digest(tensors: dict[str, Tensor], metadata: dict[str, Any]) -> str:
    """Return the SHA-256 of names, weights and metadata."""
    digest = hashlib.sha256(json.dumps(metadata, ensure_ascii=False).encode())
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


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
