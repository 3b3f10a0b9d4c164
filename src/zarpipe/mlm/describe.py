"""Describe which masked language model a study uses: ``zarpipe describe-mlm``."""

from __future__ import annotations

from pathlib import Path

from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.files import write_json
from zarpipe.mlm.files import file_digests, model_digest, model_name
from zarpipe.mlm.loading import load_mlm


def describe_mlm(mlm: MlmConfig, output: Path) -> None:
    """Write the model's name, its digest and the digest of each of its files as JSON.

    The model is loaded and tried, so that one that cannot be used is refused before anything else runs.

    Raises ZarpipeError: the model cannot be found, read or run.
    """
    files = file_digests(mlm)
    load_mlm(mlm, EncodingConfig(device="cpu"))
    write_json(output, {"name": model_name(mlm), "digest": model_digest(mlm), "files": files})
