"""The trained MLM in the folder of a tagger: a folder as transformers loads it, with its tokenizer."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from zarpipe import job_folders
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.formats.tagger import MODEL_FOLDER, MODEL_WEIGHTS_NAME
from zarpipe.mlm.files import tokenizer_files
from zarpipe.mlm.loading import FrozenMlm, load_mlm

# Larger than any model: all weights are in one file.
_ONE_FILE = "10TB"


def load_for_training(mlm: MlmConfig) -> FrozenMlm:
    """Load the MLM in float32, where its copies are made from."""
    return load_mlm(mlm, EncodingConfig(device="cpu", compute_dtype="float32"))


def write_model_folder(folder: Path, encoder: Any, mlm: MlmConfig) -> None:
    """Write a trained encoder and the tokenizer of the MLM that it was."""
    model_folder = folder / MODEL_FOLDER
    encoder.save_pretrained(model_folder, max_shard_size=_ONE_FILE)
    for file in tokenizer_files(mlm):
        shutil.copyfile(file, model_folder / file.name)
    weights = model_folder / MODEL_WEIGHTS_NAME
    # The library's own files can be read by their owner only.
    weights.chmod((model_folder / "config.json").stat().st_mode)


def read_model_folder(folder: Path, trust_remote_code: bool) -> tuple[FrozenMlm, MlmConfig]:
    """Load what `write_model_folder` wrote into a tagger's folder; return it, and where it comes from.

    Raises ZarpipeError: a file is missing or damaged.
    """
    weights = folder / MODEL_FOLDER / MODEL_WEIGHTS_NAME
    if not weights.is_file():
        raise ZarpipeError(f"{weights}: no such file; the tagger beside it needs it: train it again")
    for file in weights.parent.iterdir():
        job_folders.check(file)
    config = MlmConfig(path=str(folder / MODEL_FOLDER), trust_remote_code=trust_remote_code)
    return load_for_training(config), config
