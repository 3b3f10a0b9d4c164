"""The command ``zarpipe show``."""

from __future__ import annotations

import argparse
from pathlib import Path

from zarpipe.config.options import add_command
from zarpipe.errors import ZarpipeError

_EXAMPLES = """\
examples:
  zarpipe show results/corpus/dev.parquet | less -R
  zarpipe show results/corpus/dev.parquet 950112005-003
  zarpipe show results/corpus/dev.parquet --predictions results/predictions/baseline/seed1/dev.parquet
  zarpipe show results/corpus/train.parquet --variant results/variants/masking-all-0.5.parquet
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command to the parser."""
    parser = add_command(
        subparsers,
        "show",
        _run,
        summary="show sentences with bunsetsu tree, predicates and arguments",
        description="Shows sentences of a corpus Parquet: the bunsetsu tree, and for every predicate its "
        "arguments, in colour in a terminal or as a page for the browser. With --predictions what a tagger "
        "decided stands beside gold; with --variant what is masked or replaced.",
        example=_EXAMPLES,
    )
    parser.add_argument("corpus", metavar="FILE", type=Path, help="corpus Parquet")
    parser.add_argument("sent_id", metavar="SENT_ID", nargs="?", help="one sentence (default: all of them)")
    parser.add_argument("--predictions", type=Path, metavar="PARQUET", help="decisions of zarpipe predict")
    parser.add_argument(
        "--only",
        choices=["gold", "predicted", "both"],
        help="which arguments to show when there are predictions (default: both)",
    )
    parser.add_argument("--variant", type=Path, metavar="PARQUET", help="variant of zarpipe augment")
    parser.add_argument("--html", type=Path, metavar="HTML", help="write a self-contained page instead")
    parser.add_argument("--limit", type=int, metavar="N", help="show only the first N sentences")


def _run(arguments: argparse.Namespace) -> None:
    from zarpipe.serve.show.html import write_html
    from zarpipe.serve.show.sentences import read_shown
    from zarpipe.serve.show.terminal import print_sentences

    if arguments.limit is not None and arguments.limit < 1:
        raise ZarpipeError(f"--limit: found {arguments.limit}; expected a number from 1")
    if arguments.only and not arguments.predictions:
        raise ZarpipeError("--only: found without --predictions; gold arguments are all there is to show")
    sentences = read_shown(
        arguments.corpus,
        arguments.sent_id,
        arguments.predictions,
        arguments.variant,
        arguments.only or "both",
        arguments.limit,
    )
    if arguments.html is None:
        print_sentences(sentences)
    else:
        write_html(sentences, arguments.html, title=arguments.corpus.name)
