"""The command ``zarpipe describe-mlm``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from zarpipe.config.options import Argument, MlmOptions
from zarpipe.config.values import Name, Section


class DescribedModel(Section):
    """The model, and the file that says which it is."""

    mlm: Annotated[Name, Argument("MLM", positional=True)]
    """Hub name or folder of the masked language model."""
    output: Annotated[Path, Argument("FILE")]
    """JSON file to write."""


def describe_mlm(model: DescribedModel, mlm: MlmOptions) -> None:
    """Record which masked language model is used.

    Loads it and tries it on a few subwords, then writes its name and a digest of its weight, tokenizer and
    configuration files as JSON. A hub model is downloaded unless it is in the local cache. A model that
    cannot be used is refused here, before anything is made with it.

    Example:
      zarpipe describe-mlm tohoku-nlp/bert-base-japanese-v3 --output mlm/manifest.json
    """
    from zarpipe.mlm import describe

    describe.describe_mlm(mlm.at(model.mlm), model.output)
