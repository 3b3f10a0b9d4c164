"""The command ``zarpipe sample``."""

from __future__ import annotations

import argparse
from pathlib import Path

from zarpipe.config import SampleConfig
from zarpipe.config.options import HelpFormatter, add_options, read_options


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``sample`` to the parser."""
    parser = subparsers.add_parser(
        "sample",
        help="make a small annotated corpus and unlabelled text to try everything on",
        description="Makes a small corpus of Japanese with predicate-argument annotation, in the exact "
        "layout, encoding and file naming of the NAIST Text Corpus 1.5 (DIR/dat/ntc/knp/*.ntc, EUC-JP), and "
        "unlabelled sentences by the same maker (DIR/unlabelled.txt, UTF-8, tokens separated by a space). "
        "The same seed gives the same files; a sample that stands in DIR is replaced.",
        epilog="example:\n  zarpipe sample --output results/sample\n"
        "  zarpipe convert results/sample --format ntc --output results/corpus",
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--output", required=True, metavar="DIR", help="folder for the sample")
    add_options(parser, SampleConfig)
    parser.set_defaults(run=_sample)


def _sample(arguments: argparse.Namespace) -> None:
    from zarpipe.sample.maker import make_sample

    make_sample(read_options(arguments, SampleConfig), Path(arguments.output))
