"""Where the MLM's files are, and the digest that names exactly this model (without importing torch)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from zarpipe import job_folders
from zarpipe.characters import escaped
from zarpipe.config import MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json

_CONFIGURATION = "config.json"
_TOKENIZER_PATTERNS = (
    "tokenizer*.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab*.txt",
    "vocab.json",
    "merges.txt",
    "bpe.codes",
    "*.model",
)
_INDEX_ENDING = ".index.json"
# The files that transformers looks for, in its order, and what the hub has of them.
_SAFE_WEIGHTS = ("model.safetensors", f"model.safetensors{_INDEX_ENDING}")
_PICKLED_WEIGHTS = ("pytorch_model.bin", f"pytorch_model.bin{_INDEX_ENDING}")
_SAFE_PATTERNS = ("*.safetensors", f"*.safetensors{_INDEX_ENDING}")
_PICKLED_PATTERNS = ("pytorch_model*.bin", f"pytorch_model.bin{_INDEX_ENDING}")


def model_name(mlm: MlmConfig) -> str:
    """Return the hub name, or a folder's own name (never an absolute path)."""
    path = required_path(mlm)
    return Path(path).resolve().name if Path(path).is_dir() else path


def required_path(mlm: MlmConfig) -> str:
    """Return ``mlm.path``. Raises ZarpipeError when it is not set."""
    if mlm.path is None:
        raise ZarpipeError(
            "mlm.path: no masked language model given; give a folder or a hub name, "
            "for example tohoku-nlp/bert-base-japanese-v3"
        )
    return mlm.path


def model_folder(mlm: MlmConfig) -> Path:
    """Return the folder with the model's files: ``mlm.path`` itself, or the hub's local snapshot.

    A hub model that is not in the local cache is downloaded (unless ``HF_HUB_OFFLINE=1``).

    Raises ZarpipeError: no such folder, and no such model in the cache or on the hub.
    """
    path = required_path(mlm)
    if Path(path).is_dir():
        return Path(path)
    # A hub name is "name" or "owner/name"; anything else was meant as a folder.
    if path.startswith(("/", ".", "~")) or path.count("/") > 1:
        raise ZarpipeError(
            f"mlm.path: found {path!r}, which is no folder; give a model's folder or a hub name"
        )
    return _snapshot(path, mlm)


def model_digest(mlm: MlmConfig) -> str:
    """Return a SHA-256 over the names and contents of the weight, tokenizer and configuration files."""
    digest = hashlib.sha256()
    for name, file_sha256 in file_digests(mlm).items():
        digest.update(f"{name}:{file_sha256}\n".encode())
    return digest.hexdigest()


def file_digests(mlm: MlmConfig) -> dict[str, str]:
    """Return the SHA-256 of each of the model's files, by its name as seen from the model's folder."""
    folder = model_folder(mlm)
    return {escaped(os.path.relpath(file, folder)): job_folders.digest(file) for file in model_files(mlm)}


def model_files(mlm: MlmConfig) -> list[Path]:
    """Return the files that transformers reads, and that decide what the model computes, by name.

    Weights are those that it takes first, with all parts that their index names, in the folder or elsewhere.
    Other files in the folder (a readme, the hub's .cache, weights of other frameworks) are no part of it.

    Raises ZarpipeError: no configuration, or no weights in the format that ``mlm.allow_pickle`` allows; one
    of these files is not what it should be, or a part of the weights is missing.
    """
    folder = model_folder(mlm)
    if not (folder / _CONFIGURATION).is_file():
        raise ZarpipeError(
            f"mlm.path: {folder} has no config.json; give a Hugging Face model's folder or hub name"
        )
    found = {folder / _CONFIGURATION, *tokenizer_files(mlm), *_weight_files(folder, mlm)}
    return sorted(found, key=lambda file: file.name)


def tokenizer_files(mlm: MlmConfig) -> list[Path]:
    """Return the files of the model's tokenizer, and its own code where that is trusted, by name."""
    folder, code = model_folder(mlm), ("*.py",) if mlm.trust_remote_code else ()
    patterns = (*_TOKENIZER_PATTERNS, *code)
    found = {file for pattern in patterns for file in folder.glob(pattern) if file.is_file()}
    return sorted(found, key=lambda file: file.name)


def local_model_files(mlm: MlmConfig) -> list[Path] | None:
    """Return the model's files if ``mlm.path`` is a folder, None for a hub name: nothing is downloaded.

    Raises ZarpipeError: as `model_files`.
    """
    return model_files(mlm) if Path(required_path(mlm)).is_dir() else None


def read_settings(file: Path) -> dict[str, Any]:
    """Read one of a model's JSON files. Raises ZarpipeError if it is damaged or holds no settings."""
    settings = read_json(file)
    if not isinstance(settings, dict):
        raise ZarpipeError(
            f"{file}: found a {type(settings).__name__}; expected a JSON object with the model's settings. "
            "Take the model's own file again"
        )
    return settings


def _weight_files(folder: Path, mlm: MlmConfig) -> list[Path]:
    explicit = read_settings(folder / _CONFIGURATION).get("transformers_weights")
    names = [explicit] if isinstance(explicit, str) else _SAFE_WEIGHTS
    weights = _first_there(folder, names) or _first_there(folder, _PICKLED_WEIGHTS)
    if weights is None:
        raise ZarpipeError(f"mlm.path: {folder} has no weights (model.safetensors)")
    files = _with_parts(weights)
    pickled = [file for file in files if not file.name.endswith((".safetensors", _INDEX_ENDING))]
    if pickled and not mlm.allow_pickle:
        raise ZarpipeError(
            f"mlm.path: {folder} has weights as pickle files ({pickled[0].name}), which can run code when "
            "they are read; choose a model with model.safetensors, or set mlm.allow_pickle: true "
            "(--allow-pickle=true) if you trust its authors"
        )
    return files


def _first_there(folder: Path, names: Sequence[str]) -> Path | None:
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _with_parts(weights: Path) -> list[Path]:
    """Return a file of weights, or an index with the files that it names."""
    if not weights.name.endswith(_INDEX_ENDING):
        return [weights]
    parts = read_settings(weights).get("weight_map")
    if not isinstance(parts, dict) or not all(isinstance(name, str) for name in parts.values()):
        raise ZarpipeError(
            f"{weights}: found no weight_map from weights to files; expected the index of a model in parts. "
            "Take the model's own file again"
        )
    files = [weights.parent / name for name in sorted(set(parts.values()))]
    if missing := [file for file in files if not file.is_file()]:
        raise ZarpipeError(
            f"{weights}: names {escaped(str(missing[0]))}, which is not there; is the download complete?"
        )
    return [weights, *files]


def _snapshot(name: str, mlm: MlmConfig) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    pickled = _PICKLED_PATTERNS if mlm.allow_pickle else ()
    code = ("*.py",) if mlm.trust_remote_code else ()
    patterns = [_CONFIGURATION, *_TOKENIZER_PATTERNS, *_SAFE_PATTERNS, *pickled, *code]
    try:
        return Path(snapshot_download(name, revision=mlm.revision, allow_patterns=patterns))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise ZarpipeError(
            f"mlm.path: {name!r} is no folder here, and no model of this name was found in the local cache "
            f"or on the Hugging Face hub ({str(error).splitlines()[0]}); check the name and mlm.revision, "
            "or download the model where there is internet and give its folder"
        ) from error
