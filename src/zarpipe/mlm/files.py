"""Where the MLM's files are, and the digest that names exactly this model (without importing torch)."""

from __future__ import annotations

import hashlib
from pathlib import Path

from zarpipe.config import MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest

_CONFIGURATION = "config.json"
# What `zarpipe pretrain` writes; the last says that it did, and with which settings.
PRETRAINED_MARK = "pretraining.json"
MODEL_FILES = ("model.safetensors", "config.json", "tokenizer_config.json", "vocab.txt", PRETRAINED_MARK)
_TOKENIZER_PATTERNS = (
    "tokenizer*.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab*.txt",
    "vocab.json",
    "merges.txt",
    "*.model",
)
_SAFE_WEIGHTS = ("*.safetensors", "*.safetensors.index.json")
_PICKLED_WEIGHTS = ("pytorch_model*.bin", "pytorch_model.bin.index.json")


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

    Raises:
        ZarpipeError: no such folder, and no such model in the cache or on the hub.
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
    for file in model_files(mlm):
        digest.update(f"{file.name}:{file_digest(file)}\n".encode())
    return digest.hexdigest()


def model_files(mlm: MlmConfig) -> list[Path]:
    """Return the files that decide what the model computes, by name.

    Raises:
        ZarpipeError: no configuration, or no weights in the format that ``mlm.allow_pickle`` allows.
    """
    folder = model_folder(mlm)
    if not (folder / _CONFIGURATION).is_file():
        raise ZarpipeError(
            f"mlm.path: {folder} has no config.json; give a Hugging Face model's folder or hub name"
        )
    code = ("*.py",) if mlm.trust_remote_code else ()
    found = {
        file
        for pattern in (_CONFIGURATION, *_TOKENIZER_PATTERNS, *_weight_patterns(folder, mlm), *code)
        for file in folder.glob(pattern)
        if file.is_file()
    }
    return sorted(found, key=lambda file: file.name)


def _weight_patterns(folder: Path, mlm: MlmConfig) -> tuple[str, ...]:
    if any(folder.glob(_SAFE_WEIGHTS[0])):
        return _SAFE_WEIGHTS
    if not any(folder.glob(_PICKLED_WEIGHTS[0])):
        raise ZarpipeError(f"mlm.path: {folder} has no weights (model.safetensors)")
    if not mlm.allow_pickle:
        raise ZarpipeError(
            f"mlm.path: {folder} has its weights as pickle files only, which can run code when they are "
            "read; choose a model with model.safetensors, or set mlm.allow_pickle: true "
            "(--allow-pickle=true) if you trust its authors"
        )
    return _PICKLED_WEIGHTS


def _snapshot(name: str, mlm: MlmConfig) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    pickled = _PICKLED_WEIGHTS if mlm.allow_pickle else ()
    code = ("*.py",) if mlm.trust_remote_code else ()
    patterns = [_CONFIGURATION, *_TOKENIZER_PATTERNS, *_SAFE_WEIGHTS, *pickled, *code]
    try:
        return Path(snapshot_download(name, revision=mlm.revision, allow_patterns=patterns))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise ZarpipeError(
            f"mlm.path: {name!r} is no folder here, and no model of this name was found in the local cache "
            f"or on the Hugging Face hub ({str(error).splitlines()[0]}); check the name and mlm.revision, "
            "or download the model where there is internet and give its folder"
        ) from error
