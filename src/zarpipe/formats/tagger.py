"""The tagger's files: weights in safetensors, with configuration and origin as JSON in its metadata.

Where the MLM was trained too, its weights are not among them, but in a folder, as transformers loads it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe import job_folders
from zarpipe.errors import ZarpipeError
from zarpipe.files import parse_json, whole_stream

if TYPE_CHECKING:
    from torch import Tensor

WEIGHTS_NAME = "tagger.safetensors"
THRESHOLDS_NAME = "thresholds.json"
HISTORY_NAME = "history.csv"

TAGGER_FILES = (WEIGHTS_NAME, THRESHOLDS_NAME, HISTORY_NAME)

MODEL_FOLDER = "mlm"
MODEL_WEIGHTS_NAME = "model.safetensors"
# Of the model's folder, what every model has; names of tokenizer files differ.
LIVE_TAGGER_FILES = (f"{MODEL_FOLDER}/config.json", f"{MODEL_FOLDER}/{MODEL_WEIGHTS_NAME}", *TAGGER_FILES)

_METADATA = "zarpipe"


def write_tensors(path: str | Path, tensors: dict[str, Tensor], metadata: dict[str, Any]) -> None:
    """Write tensors and metadata (as JSON text) so that the file is never half-written."""
    from safetensors.torch import save  # loads PyTorch, which those who only want the names do not need

    # One entry: safetensors writes several in random order, and equal taggers should be equal files.
    texts = {_METADATA: json.dumps(metadata, ensure_ascii=False)}
    with whole_stream(path) as stream:
        # As bytes: the library's own files can be read by their owner only.
        stream.write(save({name: tensor.contiguous() for name, tensor in tensors.items()}, texts))


def read_tensors(path: str | Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what `write_tensors` wrote. Raises ZarpipeError when the file is missing or damaged."""
    from safetensors import SafetensorError, safe_open

    job_folders.check(path)
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
            metadata = parse_json((file.metadata() or {}).get(_METADATA, "{}"))
        if not isinstance(metadata, dict):
            raise ValueError("its metadata are no JSON object")
    except (OSError, ValueError, SafetensorError, RuntimeError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise ZarpipeError(
            f"{path}: cannot be read as a tagger ({reason}); train it again with `zarpipe train`"
        ) from error
    return tensors, metadata
