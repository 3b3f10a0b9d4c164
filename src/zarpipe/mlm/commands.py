"""The commands ``zarpipe pretrain``, ``describe-mlm``, ``choose-compute-dtype``, ``token-probabilities``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Annotated

from zarpipe.config import EncodingConfig, MlmConfig, PretrainingConfig
from zarpipe.config.encoding import TOKEN_KEYS
from zarpipe.config.options import Argument, add_command, add_options, read_options
from zarpipe.config.values import Name, Positive, Section
from zarpipe.light_imports import light_imports, without_collection
from zarpipe.mlm.options import add_encoding_options, read_encoding

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

_CHOICE_DESCRIPTION = """\
Run a masked language model over a sample of a corpus in float32 and in bfloat16, and write as JSON which of
them `--compute-dtype auto` stands for: bfloat16 where GPU or CPU have instructions for it and the hidden
states change by at most 3 % of their spread (root mean square; no single value by more than half of it)."""

_CHOICE_EXAMPLE = """\
example:
  zarpipe choose-compute-dtype corpus/train.parquet --mlm mlm/model --output mlm/compute_dtype.json
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


class CorpusAndMlm(Section):
    """A corpus for a masked language model."""

    corpus: Annotated[Path, Argument("CORPUS", positional=True)]
    """Corpus Parquet of the training split."""
    mlm: Annotated[Name, Argument("MLM")]
    """Hub name or folder of the masked language model."""
    threads: Annotated[Positive, Argument("N")] = 1
    """CPU threads."""


class ProbabilityFiles(CorpusAndMlm):
    """The corpus, the model, and the file of probabilities."""

    output: Annotated[Path, Argument("FILE")]
    """Parquet to write."""


class ChoiceFiles(CorpusAndMlm):
    """The corpus, the model, and the file of the choice."""

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
    choice = add_command(
        subparsers,
        "choose-compute-dtype",
        run_choose_compute_dtype,
        ChoiceFiles,
        summary="choose the number format of a masked language model's computation",
        description=_CHOICE_DESCRIPTION,
        example=_CHOICE_EXAMPLE,
    )
    add_options(choice, MlmConfig, exclude=("path",))
    add_options(choice, EncodingConfig, exclude=("threads", "compute_dtype", *TOKEN_KEYS))
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
    add_encoding_options(probabilities, *TOKEN_KEYS)


def run_token_probabilities(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe token-probabilities``."""
    files = read_options(arguments, ProbabilityFiles)
    mlm = read_options(arguments, MlmConfig).model_copy(update={"path": files.mlm})

    from zarpipe.log import start_logging

    start_logging()
    with light_imports():
        with without_collection():
            from zarpipe.mlm.probabilities import write_probabilities

        encoding = read_encoding(arguments, files.corpus, mlm, files.threads)
        write_probabilities(files.corpus, files.output, mlm, encoding, files.threads)


def run_choose_compute_dtype(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe choose-compute-dtype``."""
    files = read_options(arguments, ChoiceFiles)
    mlm = read_options(arguments, MlmConfig).model_copy(update={"path": files.mlm})
    encoding = read_options(arguments, EncodingConfig)

    from zarpipe.log import start_logging

    start_logging()
    with light_imports():
        with without_collection():
            from zarpipe.mlm.compute_dtype import write_choice

        write_choice(files.corpus, files.output, mlm, encoding, files.threads)


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
