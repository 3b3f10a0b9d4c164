"""The commands ``zarpipe pretrain``, ``describe-mlm`` and ``token-probabilities``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Annotated

from zarpipe.config import EncodingConfig, MlmConfig, PretrainingConfig
from zarpipe.config.encoding import TOKEN_KEYS
from zarpipe.config.options import Argument, add_command, add_options, read_options
from zarpipe.config.values import Name, Positive, Section
from zarpipe.light_imports import light_imports, without_collection

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


_PROBABILITIES_DESCRIPTION = """\
Mask each token of the sentences that have a target predicate, one at a time, and write the probability that
the masked language model gives it. The masking policy surprisal reads the file. One sequence for each token
goes through the model: about as many times the cost of `zarpipe encode` as a sentence has tokens."""

_PROBABILITIES_EXAMPLE = """\
example:
  zarpipe token-probabilities corpus/train.parquet --mlm mlm/model --output mlm/token_probabilities.parquet
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


class ProbabilityFiles(Section):
    """The corpus, the model, and the file of probabilities."""

    corpus: Annotated[Path, Argument("CORPUS", positional=True)]
    """Corpus Parquet of the training split."""
    mlm: Annotated[Name, Argument("MLM")]
    """Hub name or folder of the masked language model."""
    output: Annotated[Path, Argument("FILE")]
    """Parquet to write."""
    threads: Annotated[Positive, Argument("N")] = 1
    """CPU threads."""


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
    probabilities = add_command(
        subparsers,
        "token-probabilities",
        run_token_probabilities,
        ProbabilityFiles,
        summary="ask a masked language model how probable each token of a corpus is",
        description=_PROBABILITIES_DESCRIPTION,
        example=_PROBABILITIES_EXAMPLE,
    )
    add_options(probabilities, MlmConfig, exclude=("path",))
    add_options(probabilities, EncodingConfig, exclude=("threads", *TOKEN_KEYS))


def run_token_probabilities(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe token-probabilities``."""
    files = read_options(arguments, ProbabilityFiles)
    mlm = read_options(arguments, MlmConfig).model_copy(update={"path": files.mlm})
    encoding = read_options(arguments, EncodingConfig)

    from zarpipe.log import start_logging

    start_logging()
    with light_imports():
        with without_collection():
            from zarpipe.mlm.probabilities import write_probabilities

        write_probabilities(files.corpus, files.output, mlm, encoding, files.threads)


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
