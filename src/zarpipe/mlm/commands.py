"""The command ``zarpipe describe-mlm``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Annotated

from zarpipe.config import MlmConfig
from zarpipe.config.options import Argument, add_command, add_options, read_options
from zarpipe.config.values import Name, Section

_DESCRIBE_DESCRIPTION = """\
Load a masked language model and try it on a few subwords, then write its name and a digest of its weight,
tokenizer and configuration files as JSON. A hub model is downloaded unless it is in the local cache. A model
that cannot be used is refused here, before anything is made with it."""

_DESCRIBE_EXAMPLE = """\
example:
  zarpipe describe-mlm tohoku-nlp/bert-base-japanese-v3 --output mlm/manifest.json
"""


class DescribedModel(Section):
    """The model, and the file that says which it is."""

    mlm: Annotated[Name, Argument("MLM", positional=True)]
    """Hub name or folder of the masked language model."""
    output: Annotated[Path, Argument("FILE")]
    """JSON file to write."""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's commands to the parser."""
    describe = add_command(
        subparsers,
        "describe-mlm",
        run_describe,
        DescribedModel,
        summary="record which masked language model is used",
        description=_DESCRIBE_DESCRIPTION,
        example=_DESCRIBE_EXAMPLE,
    )
    add_options(describe, MlmConfig, exclude=("path",))


def run_describe(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe describe-mlm``."""
    from zarpipe.mlm.describe import describe_mlm

    model = read_options(arguments, DescribedModel)
    mlm = read_options(arguments, MlmConfig).model_copy(update={"path": model.mlm})
    describe_mlm(mlm, model.output)
