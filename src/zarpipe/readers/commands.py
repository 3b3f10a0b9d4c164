"""The commands of this stage: ``convert`` and ``check``."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from zarpipe import seals
from zarpipe.config import CorpusConfig
from zarpipe.config.corpus import READERS
from zarpipe.config.options import HelpFormatter, add_options, read_options
from zarpipe.errors import ZarpipeError

if TYPE_CHECKING:
    from zarpipe.readers.reading import SplitRule
    from zarpipe.readers.summary import Summary

_SPLITS = ("train", "dev", "test")
_SHOWN_REMARKS = 3
_CONVERT_EXAMPLES = """\
examples:
  zarpipe convert NTC_1.5 --format ntc --output results/corpus
  zarpipe convert mine --format parquet --output results/corpus
  zarpipe convert KWDLC --format knp --ids KWDLC/id/split_for_pas --output results/corpus
"""
_CHECK_EXAMPLE = """\
example:
  zarpipe check mine/train.parquet mine/dev.parquet mine/test.parquet
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's commands to the parser."""
    _register_convert(subparsers)
    _register_check(subparsers)


def _register_convert(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "convert",
        help="read a corpus and write train.parquet, dev.parquet and test.parquet",
        description="Reads an annotated corpus (NAIST Text Corpus 1.5 in either form, a corpus in KNP format "
        "such as KWDLC, or Parquet files of another program) and writes one Parquet file per split, one row "
        "per sentence (columns: docs/parquet.md). The three files appear together, or none.",
        epilog=_CONVERT_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "path",
        metavar="PATH",
        help="the corpus: the distribution's root, a folder with its files at any depth, or one file",
    )
    parser.add_argument("--format", required=True, choices=list(READERS), help="what the files look like")
    parser.add_argument("--output", required=True, metavar="DIR", help="folder for the three Parquet files")
    parser.add_argument(
        "--split",
        choices=["taira", "folders", "ids"],
        help="taira: by the date in the file names (Taira et al. 2008), for NTC. folders: by "
        "folders or "
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
        help="processes (default: one per processor, %(default)s here)",
    )
    for name in _SPLITS:
        parser.add_argument(
            f"--limit-{name}",
            type=int,
            metavar="N",
            help=f"take only the first N documents of {name}, in the order of the id list or the file names; "
            "skipped ones do not count",
        )
    add_options(parser, CorpusConfig, exclude=("path", "format", "split", "ids", "limit"))
    parser.set_defaults(run=_convert)


def _register_check(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "check",
        help="check corpus Parquet files that another program wrote, or all files of a results folder",
        description="Reads corpus Parquet files and tells the first problem of each kind in each of them: "
        "row, sentence, column, what was found and what is expected. Every command that reads a corpus makes "
        "the same checks. Columns: docs/parquet.md. Of a results folder, compares every file that a job "
        "wrote with its seal, and lists those that are missing or changed.",
        epilog=_CHECK_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "files", metavar="FILE", type=Path, nargs="+", help="corpus Parquet of one split, or results folder"
    )
    parser.set_defaults(run=_check)


def _convert(arguments: argparse.Namespace) -> None:
    from zarpipe.log import start_logging
    from zarpipe.progress import Progress
    from zarpipe.readers.convert import convert
    from zarpipe.readers.reading import reading

    for option in ("jobs", *(f"limit_{name}" for name in _SPLITS)):
        _positive(f"--{option.replace('_', '-')}", getattr(arguments, option))
    arguments.split = arguments.split or _default_split(arguments)
    config = read_options(arguments, CorpusConfig)
    how = reading(
        config.format,
        config.own_bunsetsu,
        config.predicates,
        config.coreferent_mentions,
        config.construction_mentions,
        config.tokens,
    )
    limits = {name: getattr(arguments, f"limit_{name}") for name in _SPLITS}
    start_logging()
    with Progress("documents") as progress:
        summary = convert(
            arguments.path,
            arguments.output,
            how,
            config.split,
            arguments.ids,
            limits,
            arguments.jobs,
            config.on_error,
            progress.update,
        )
    _report(summary, arguments.output)


def _check(arguments: argparse.Namespace) -> None:
    found = []
    for file in arguments.files:
        problems, remark = _checked_results(file) if seals.has_seals(file) else _checked_corpus(file)
        if not problems:
            print(f"{file}: {remark}, no problem")
        found += problems
    if found:
        raise ZarpipeError("\n".join(found))


def _checked_results(folder: Path) -> tuple[list[str], str]:
    """Return what is wrong with the files of a results folder, and what to say if nothing is."""
    return list(seals.broken(folder)), "every file is what its job wrote"


def _checked_corpus(file: Path) -> tuple[list[str], str]:
    """Return what is wrong with a corpus Parquet, and what to say if nothing is."""
    from zarpipe.formats.corpus import corpus_problems, read_corpus
    from zarpipe.formats.corpus_tags import unknown_tags

    try:
        if problems := corpus_problems(file):
            return problems, ""
        table = read_corpus(file, ["pos"])
        if doubt := unknown_tags(table):
            _warn(f"{file}: {doubt}")
    except ZarpipeError as error:
        return [str(error)], ""
    if not len(table):
        return [f"{file}: no row; expected at least one sentence"], ""
    return [], f"{len(table):,} sentences"


def _default_split(arguments: argparse.Namespace) -> SplitRule:
    if arguments.ids is not None:
        return "ids"
    from zarpipe.readers.reading import reader

    return reader(arguments.format).SPLIT


def _report(summary: Summary, output: str) -> None:
    """Say on standard output what was read, and on standard error what needs a look."""
    from zarpipe.task.projection import projection_lines

    for name in _SPLITS:
        print(
            f"{name}: {summary.documents[name]:,} documents, {summary.sentences[name]:,} sentences, "
            f"{summary.predicates[name]:,} predicates, {summary.tokens[name]:,} tokens"
        )
        if not summary.documents[name]:
            _warn(f"{name} is empty")
    if summary.segmenter is not None:
        print(*projection_lines(summary.segmenter, summary.projection), sep="\n")
    if summary.left_out:
        print(f"{summary.left_out:,} documents of the corpus are in no id list and were left out")
    _report_remarks(summary, output)
    for problem in summary.skipped:
        print(f"zarpipe: skipped: {problem}", file=sys.stderr)
    if summary.skipped:
        print(f"{len(summary.skipped):,} documents skipped, listed in {output}/skipped.csv")


def _report_remarks(summary: Summary, output: str) -> None:
    """Print the first remarks of each kind and how many there are."""
    shown: Counter[str] = Counter()
    for remark in summary.remarks:
        shown[remark.kind] += 1
        if shown[remark.kind] <= _SHOWN_REMARKS:
            _warn(f"{remark.path}:{remark.line}: {remark.message}")
    for kind, count in shown.items():
        if count > _SHOWN_REMARKS:
            _warn(f"{kind}: {count:,} times in all")
    if summary.repairs:
        print(f"faults of the annotation repaired: {len(summary.repairs):,}, listed in {output}/repaired.csv")


def _warn(message: str) -> None:
    print(f"zarpipe: warning: {message}", file=sys.stderr)


def _positive(option: str, value: int | None) -> None:
    if value is not None and value < 1:
        raise ZarpipeError(f"{option}: found {value}; expected a number from 1")


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
