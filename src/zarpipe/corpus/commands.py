"""The commands of this stage: ``zarpipe convert``."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from typing import TYPE_CHECKING

from zarpipe.corpus.sample_command import register_sample
from zarpipe.errors import ZarpipeError

if TYPE_CHECKING:
    from zarpipe.corpus.convert import SplitRule, Summary

_SHOWN_REMARKS = 3


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's commands to the parser."""
    register_sample(subparsers)
    _register_convert(subparsers)


def _register_convert(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "convert",
        help="read a corpus and write train.parquet, dev.parquet and test.parquet",
        description="Reads an annotated corpus (NAIST Text Corpus 1.5, or a corpus in KNP format such as "
        "KWDLC) and "
        "writes one Parquet file per split, one row per sentence (columns: docs/parquet.md).",
        epilog="examples:\n"
        "  zarpipe convert NTC_1.5 --format ntc --output results/corpus\n"
        "  zarpipe convert KWDLC --format knp --split ids --ids KWDLC/id/split_for_pas --output "
        "results/corpus",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", metavar="PATH", help="folder of the corpus, or one file")
    parser.add_argument("--format", required=True, choices=["ntc", "knp"], help="what the files look like")
    parser.add_argument("--output", required=True, metavar="DIR", help="folder for the three Parquet files")
    parser.add_argument(
        "--split",
        choices=["taira", "folders", "ids"],
        help="taira: by the date in the file names (Taira et al. 2008), for NTC. folders: by folders or "
        "files named "
        "train, dev, test. ids: by the lists in --ids (default: ids when --ids is given, else taira for "
        "ntc and "
        "folders for knp)",
    )
    parser.add_argument(
        "--ids", metavar="DIR", help="folder with train.id, dev.id and test.id, one document id a line"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=_processors(),
        metavar="N",
        help="processes (default: all processors, %(default)s)",
    )
    parser.add_argument(
        "--on-error",
        choices=["stop", "skip"],
        default="stop",
        help="stop: end at the first malformed document and write nothing. skip: leave it out and list it in "
        "DIR/skipped.csv (default: %(default)s)",
    )
    for name in ("train", "dev", "test"):
        parser.add_argument(
            f"--limit-{name}", type=int, metavar="N", help=f"take only the first N documents of {name}"
        )
    parser.add_argument(
        "--own-bunsetsu",
        choices=["auto", "drop_case", "drop_mention"],
        default="auto",
        help="when one of several mentions of an argument lies in the predicate's own bunsetsu: drop the "
        "whole case, "
        "or only that mention (default: auto, which is drop_case for ntc and drop_mention for knp)",
    )
    parser.add_argument(
        "--predicates",
        choices=["verbal", "verbal_and_nominal"],
        default="verbal",
        help="knp: which annotated base phrases are target predicates: those with a verb, adjective or "
        "copula, or "
        "those without one too (default: %(default)s)",
    )
    parser.add_argument(
        "--coreferent-mentions",
        choices=["true", "false"],
        default="true",
        help="knp: coreferent mentions in the sentence are mentions of the argument too (default: "
        "%(default)s)",
    )
    parser.set_defaults(run=_run_convert)


def _run_convert(arguments: argparse.Namespace) -> None:
    from zarpipe.corpus.convert import convert, reading

    for option in ("jobs", "limit_train", "limit_dev", "limit_test"):
        value = getattr(arguments, option)
        if value is not None and value < 1:
            raise ZarpipeError(f"--{option.replace('_', '-')}: found {value}; expected a number from 1")
    split: SplitRule = arguments.split or _default_split(arguments)
    summary = convert(
        arguments.path,
        arguments.output,
        reading(
            arguments.format,
            arguments.own_bunsetsu,
            arguments.predicates,
            arguments.coreferent_mentions == "true",
        ),
        split,
        arguments.ids,
        {name: getattr(arguments, f"limit_{name}") for name in ("train", "dev", "test")},
        arguments.jobs,
        arguments.on_error,
    )
    _report(summary, arguments.output)


def _default_split(arguments: argparse.Namespace) -> SplitRule:
    if arguments.ids is not None:
        return "ids"
    return "taira" if arguments.format == "ntc" else "folders"


def _report(summary: Summary, output: str) -> None:
    for name in ("train", "dev", "test"):
        print(
            f"{name}: {summary.documents[name]:,} documents, {summary.sentences[name]:,} sentences, "
            f"{summary.predicates[name]:,} predicates, {summary.tokens[name]:,} tokens"
        )
        if not summary.documents[name]:
            print(f"zarpipe: warning: {name} is empty", file=sys.stderr)
    if summary.left_out:
        print(f"{summary.left_out:,} documents of the corpus are in no id list and were left out")
    _print_remarks(summary)
    for problem in summary.skipped:
        print(f"zarpipe: skipped: {problem}", file=sys.stderr)
    if summary.skipped:
        print(f"{len(summary.skipped):,} documents skipped, listed in {output}/skipped.csv")


def _print_remarks(summary: Summary) -> None:
    """Print the first remarks of each kind and how many more there are."""
    shown: Counter[str] = Counter()
    for remark in summary.remarks:
        shown[remark.kind] += 1
        if shown[remark.kind] <= _SHOWN_REMARKS:
            print(f"zarpipe: warning: {remark.path}:{remark.line}: {remark.message}", file=sys.stderr)
    for kind, count in shown.items():
        if count > _SHOWN_REMARKS:
            print(f"zarpipe: warning: {kind}: {count:,} times in all", file=sys.stderr)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
