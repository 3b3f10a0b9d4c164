"""Describe which masked language model a study uses: ``zarpipe describe-mlm``."""

from __future__ import annotations

from pathlib import Path

from zarpipe.config import MlmConfig
from zarpipe.files import write_json
from zarpipe.mlm.files import file_digests, model_digest, model_folder, model_name
from zarpipe.mlm.loading import check_vocabulary, configured_vocabulary, load_tokenizer


def describe_mlm(mlm: MlmConfig, output: Path) -> None:
    """Write the model's name, its digest and the digest of each of its files as JSON.

    Raises:
        ZarpipeError: the model or its weights cannot be found, or its tokenizer has entries that the model
            does not know.
    """
    files = file_digests(mlm)
    check_vocabulary(model_folder(mlm), load_tokenizer(mlm), configured_vocabulary(mlm))
    write_json(output, {"name": model_name(mlm), "digest": model_digest(mlm), "files": files})
