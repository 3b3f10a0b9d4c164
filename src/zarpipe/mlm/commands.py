"""The commands ``zarpipe pretrain`` and ``zarpipe describe-mlm``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Annotated

from zarpipe.config import MlmConfig, PretrainingConfig
from zarpipe.config.options import Argument, add_command, add_options, read_options
from zarpipe.config.values import Name, Positive, Section

_PRETRAIN_DESCRIPTION = """\
Train a WordPiece vocabulary and a small BERT on a text, with masked tokens to predict, and write both as a
Hugging Face model folder that `zarpipe encode` and `zarpipe augment` take. About a minute on two cores with
the default settings and 20,000 short sentences. It is meant for the embedded study; for results worth
reporting use a published model."""

_PRETRAIN_EXAMPLE = """\
example:
  zarpipe pretrain sample/unlabelled.txt --output mlm/model --threads 2
"""

_DESCRIBE_DESCRIPTION = """\
Load a masked language model and try it on a few subwords, then write its name and a digest of its weight,
tokenizer and configuration files as JSON. A hub model is downloaded unless it is in the local cache. A model
that cannot be used is refused here, before anything is made with it."""

_DESCRIBE_EXAMPLE = """\
example:
  zarpipe describe-mlm tohoku-nlp/bert-base-japanese-v3 --output mlm/manifest.json
"""


class PretrainingFiles(Section):
    """The text, and the model that is made of it."""

    text: Annotated[Path, Argument("TEXT", positional=True)]
    """UTF-8 text, one sentence per line, tokens separated by one space."""
    output: Annotated[Path, Argument("DIR")]
    """Model folder to write; must not exist."""
    threads: Annotated[Positive, Argument("N")] = 1
    """CPU threads."""


class DescribedModel(Section):
    """The model, and the file that says which it is."""

    mlm: Annotated[Name, Argument("MLM", positional=True)]
    """Hub name or folder of the masked language model."""
    output: Annotated[Path, Argument("FILE")]
    """JSON file to write."""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's commands to the parser."""
    add_command(
        subparsers,
        "pretrain",
        run_pretrain,
        PretrainingFiles,
        PretrainingConfig,
        summary="pretrain a small masked language model on unlabelled text",
        description=_PRETRAIN_DESCRIPTION,
        example=_PRETRAIN_EXAMPLE,
    )
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


def run_pretrain(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe pretrain``."""
    files = read_options(arguments, PretrainingFiles)
    settings = read_options(arguments, PretrainingConfig)

    from zarpipe.log import start_logging
    from zarpipe.mlm.pretrain import pretrain

    start_logging()
    pretrain(files.text, files.output, settings, files.threads)


def run_describe(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe describe-mlm``."""
    from zarpipe.mlm.describe import describe_mlm

    model = read_options(arguments, DescribedModel)
    mlm = read_options(arguments, MlmConfig).model_copy(update={"path": model.mlm})
    describe_mlm(mlm, model.output)
