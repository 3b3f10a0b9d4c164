"""The commands ``zarpipe pretrain`` and ``zarpipe describe-mlm``."""

from __future__ import annotations

import argparse
from pathlib import Path

from zarpipe.config import MlmConfig, PretrainingConfig
from zarpipe.config.options import HelpFormatter, add_options

_PRETRAIN_EXAMPLE = """\
example:
  zarpipe pretrain sample/unlabelled.txt --output mlm/model --threads 2
"""
_DESCRIBE_EXAMPLE = """\
example:
  zarpipe describe-mlm tohoku-nlp/bert-base-japanese-v3 --output mlm/manifest.json
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``pretrain`` and ``describe-mlm`` to the parser."""
    _register_pretrain(subparsers)
    _register_describe(subparsers)


def run_pretrain(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe pretrain``."""
    from zarpipe.config.options import read_options
    from zarpipe.errors import ZarpipeError
    from zarpipe.log import start_logging

    start_logging()
    if arguments.threads < 1:
        raise ZarpipeError(f"--threads: found {arguments.threads}, expected 1 or more")
    settings = read_options(arguments, PretrainingConfig)

    from zarpipe.mlm.pretrain import pretrain

    pretrain(arguments.text, arguments.output, settings, arguments.threads)


def run_describe(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe describe-mlm``."""
    from zarpipe.config.options import read_options
    from zarpipe.mlm.describe import describe_mlm

    mlm = read_options(arguments, MlmConfig).model_copy(update={"path": arguments.mlm})
    describe_mlm(mlm, arguments.output)


def _register_pretrain(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "pretrain",
        help="pretrain a small masked language model on unlabelled text",
        description="Train a WordPiece vocabulary and a small BERT on a text, with masked tokens to "
        "predict, and "
        "write both as a Hugging Face model folder that `zarpipe encode` and `zarpipe augment` take. About a "
        "minute on two cores with the default settings and 20,000 short sentences. It is meant for the "
        "embedded study; for results worth reporting use a published model.",
        epilog=_PRETRAIN_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "text",
        type=Path,
        metavar="TEXT",
        help="UTF-8 text, one sentence per line, tokens separated by one space",
    )
    parser.add_argument(
        "--output", required=True, type=Path, metavar="DIR", help="model folder to write; must not exist"
    )
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="CPU threads (default: 1)")
    add_options(parser, PretrainingConfig)
    parser.set_defaults(run=run_pretrain)


def _register_describe(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "describe-mlm",
        help="record which masked language model is used",
        description="Write the model's name and a digest of its weight, tokenizer and configuration files as "
        "JSON. A hub model is downloaded unless it is in the local cache.",
        epilog=_DESCRIBE_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("mlm", metavar="MLM", help="hub name or folder of the masked language model")
    parser.add_argument("--output", required=True, type=Path, metavar="FILE", help="JSON file to write")
    add_options(parser, MlmConfig, exclude=("path",))
    parser.set_defaults(run=run_describe)
