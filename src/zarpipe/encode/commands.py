"""The commands ``zarpipe encode`` and ``zarpipe cache``."""

from __future__ import annotations

import argparse
from pathlib import Path

from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.config.options import HelpFormatter, add_options
from zarpipe.light_imports import light_imports, without_collection

_ENCODE_EXAMPLE = """\
examples:
  zarpipe encode corpus/train.parquet --mlm models/bert --output features/train.h5
  zarpipe encode corpus/train.parquet --mlm models/bert --variant variants/masking-all-0.5.parquet \\
      --originals features/train.h5 --output features/masking-all-0.5.h5
  zarpipe encode corpus/train.parquet --mlm models/bert --all-sentences \\
      --originals features/train.h5 --output features/train-sentences.h5
"""
_CACHE_EXAMPLE = """\
example:
  zarpipe cache features/train.h5
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``encode`` and ``cache`` to the parser."""
    _register_encode(subparsers)
    _register_cache(subparsers)


def run_encode(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe encode``."""
    from zarpipe.config.options import read_options
    from zarpipe.errors import ZarpipeError
    from zarpipe.log import start_logging

    start_logging()
    if arguments.all_sentences and arguments.variant is not None:
        raise ZarpipeError("--all-sentences: found with --variant; expected one of the two")
    if arguments.originals is not None and arguments.variant is None and not arguments.all_sentences:
        raise ZarpipeError(
            "--originals belongs to a variant or to all sentences: give --variant or --all-sentences too"
        )
    if arguments.threads < 1:
        raise ZarpipeError(f"--threads: found {arguments.threads}, expected 1 or more")
    mlm = read_options(arguments, MlmConfig).model_copy(update={"path": arguments.mlm})

    with light_imports():
        with without_collection():
            from zarpipe.encode.encoder import encode

        encode(
            arguments.corpus,
            mlm,
            read_options(arguments, EncodingConfig),
            arguments.output,
            variant=arguments.variant,
            originals=arguments.originals,
            threads=arguments.threads,
            all_sentences=arguments.all_sentences,
        )


def run_cache(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe cache``."""
    from zarpipe.encode.cache import describe_and_verify

    for file in arguments.files:
        print(describe_and_verify(file))


def _register_encode(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "encode",
        help="write the hidden states of a masked language model to HDF5",
        description="Run the frozen masked language model over every distinct sentence that has a "
        "predicate, or "
        "over the sequences of a variant that are not among the originals, and keep the final hidden state "
        "of each token (float16) in one HDF5 file. A manifest (same name, .json) says what the file was "
        "made from. A run that was interrupted goes on where it stopped.",
        epilog=_ENCODE_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("corpus", type=Path, metavar="CORPUS", help="corpus Parquet (from `zarpipe convert`)")
    parser.add_argument(
        "--mlm", required=True, metavar="PATH", help="hub name or folder of the masked language model"
    )
    parser.add_argument("--output", required=True, type=Path, metavar="FILE", help="HDF5 file to write (.h5)")
    parser.add_argument(
        "--variant", type=Path, metavar="FILE", help="variant Parquet (from `zarpipe augment`) to encode"
    )
    parser.add_argument(
        "--originals",
        type=Path,
        metavar="FILE",
        help="feature file of the original sentences: sequences of the variant, or sentences, that are in it "
        "are not encoded again",
    )
    parser.add_argument(
        "--all-sentences",
        action="store_true",
        help="encode every sentence once, also those without a predicate (for `zarpipe train-segmenter`)",
    )
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="CPU threads (default: 1)")
    add_options(parser, MlmConfig, exclude=("path",))
    add_options(parser, EncodingConfig, exclude=("threads",))
    parser.set_defaults(run=run_encode)


def _register_cache(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "cache",
        help="print and verify feature files",
        description="Print what a feature file was made from and what it holds, read every row, and verify "
        "the "
        "checksum of each block, the digest over all data sets and the manifest. Exit status 1 if anything "
        "is wrong.",
        epilog=_CACHE_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="feature files (.h5)")
    parser.set_defaults(run=run_cache)
