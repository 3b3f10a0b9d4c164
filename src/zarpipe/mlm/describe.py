"""Describe which masked language model a study uses: ``zarpipe describe-mlm``."""

from __future__ import annotations

from pathlib import Path

from zarpipe.config import MlmConfig
from zarpipe.files import file_digest, write_json
from zarpipe.mlm.files import model_digest, model_files, model_name


def describe_mlm(mlm: MlmConfig, output: Path) -> None:
    """Write the model's name, its digest and the digest of each of its files as JSON.

    Raises:
        ZarpipeError: the model or its weights cannot be found.
    """
    files = {file.name: file_digest(file) for file in model_files(mlm)}
    write_json(output, {"name": model_name(mlm), "digest": model_digest(mlm), "files": files})
