"""The commands of this stage: ``sample``, ``convert``, ``check``, ``count`` and ``show``."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from zarpipe.config import CorpusConfig
from zarpipe.config.options import HelpFormatter, add_options, read_options
from zarpipe.errors import ZarpipeError
from zarpipe.sample.commands import register_sample

if TYPE_CHECKING:
    from zarpipe.readers.convert import SplitRule
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
_COUNT_EXAMPLE = """\
example:
  zarpipe count results/corpus --output-table1 table1.csv --output-table2 table2.csv --published
"""
_SHOW_EXAMPLES = """\
examples:
  zarpipe show results/corpus/dev.parquet | less -R
  zarpipe show results/corpus/dev.parquet 950112005-003
  zarpipe show results/corpus/dev.parquet --predictions results/predictions/baseline/seed1/dev.parquet
  zarpipe show results/corpus/train.parquet --variant results/variants/masking-all-0.5.parquet
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's commands to the parser."""
    register_sample(subparsers)
    _register_convert(subparsers)
    _register_check(subparsers)
    _register_count(subparsers)
    _register_show(subparsers)


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
    parser.add_argument(
        "--format", required=True, choices=["ntc", "knp", "parquet"], help="what the files look like"
    )
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
            help=f"take only the first N documents of {name}, in the order of the id list or the file names",
        )
    add_options(parser, CorpusConfig, exclude=("path", "format", "split", "ids", "limit"))
    parser.set_defaults(run=_convert)


def _register_check(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "check",
        help="check corpus Parquet files that another program wrote",
        description="Reads corpus Parquet files and tells the first problem of each kind in each of them: "
        "row, sentence, column, what was found and what is expected. Every command that reads a corpus makes "
        "the same checks. Columns: docs/parquet.md.",
        epilog=_CHECK_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("files", metavar="FILE", type=Path, nargs="+", help="corpus Parquet of one split")
    parser.set_defaults(run=_check)


def _register_count(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "count",
        help="count arguments and tokens of a converted corpus (Tables 1 and 2)",
        description="Counts the arguments by relation and case, documents, sentences, "
        "predicates and "
        "tokens of "
        "each split (Table 1), and the training tokens of each POS set, a sentence once per predicate "
        "(Table 2).",
        epilog=_COUNT_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("corpus", metavar="CORPUS_DIR", type=Path, help="folder with the three Parquet files")
    parser.add_argument("--output-table1", required=True, type=Path, metavar="CSV", help="Table 1")
    parser.add_argument("--output-table2", required=True, type=Path, metavar="CSV", help="Table 2")
    parser.add_argument(
        "--published",
        action="store_true",
        help="the corpus is NTC 1.5: put the paper's numbers and the differences beside ours, "
        "and say "
        "whether they "
        "match",
    )
    parser.set_defaults(run=_count)


def _register_show(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "show",
        help="show sentences with bunsetsu tree, predicates and arguments",
        description="Shows sentences of a corpus Parquet: the bunsetsu tree, and for every "
        "predicate its "
        "arguments, "
        "in colour in a terminal or as a page for the browser. With --predictions what a tagger decided "
        "stands "
        "beside gold; with --variant what is masked or replaced.",
        epilog=_SHOW_EXAMPLES,
        formatter_class=HelpFormatter,
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
    parser.set_defaults(run=_show)


def _convert(arguments: argparse.Namespace) -> None:
    from zarpipe.progress import progress
    from zarpipe.readers.convert import convert, reading

    for option in ("jobs", *(f"limit_{name}" for name in _SPLITS)):
        _positive(f"--{option.replace('_', '-')}", getattr(arguments, option))
    arguments.split = arguments.split or _default_split(arguments)
    config = read_options(arguments, CorpusConfig)
    how = reading(config.format, config.own_bunsetsu, config.predicates, config.coreferent_mentions)
    limits = {name: getattr(arguments, f"limit_{name}") for name in _SPLITS}
    with progress("documents") as show_progress:
        summary = convert(
            arguments.path,
            arguments.output,
            how,
            config.split,
            arguments.ids,
            limits,
            arguments.jobs,
            config.on_error,
            show_progress,
        )
    _report(summary, arguments.output)


def _check(arguments: argparse.Namespace) -> None:
    from zarpipe.formats.corpus import corpus_problems, read_corpus

    found = []
    for file in arguments.files:
        try:
            problems = corpus_problems(file)
        except ZarpipeError as error:
            problems = [str(error)]
        if not problems:
            print(f"{file}: {len(read_corpus(file, ['sent_id'])):,} sentences, no problem")
        found += problems
    if found:
        raise ZarpipeError("\n".join(found))


def _count(arguments: argparse.Namespace) -> None:
    from zarpipe.report.corpus_counts import write_table1, write_table2

    if arguments.corpus.is_file():
        raise ZarpipeError(
            f"{arguments.corpus}: found a file; expected the folder of the three Parquet files"
        )
    for verdict in (
        write_table1(arguments.corpus, arguments.output_table1, arguments.published),
        write_table2(arguments.corpus, arguments.output_table2, arguments.published),
    ):
        if verdict is not None:
            print(verdict)


def _show(arguments: argparse.Namespace) -> None:
    from zarpipe.report.show.html import write_html
    from zarpipe.report.show.sentences import read_shown
    from zarpipe.report.show.terminal import print_sentences

    _positive("--limit", arguments.limit)
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


def _default_split(arguments: argparse.Namespace) -> SplitRule:
    if arguments.ids is not None:
        return "ids"
    return "taira" if arguments.format == "ntc" else "folders"


def _report(summary: Summary, output: str) -> None:
    """Say on standard output what was read, and on standard error what needs a look."""
    for name in _SPLITS:
        print(
            f"{name}: {summary.documents[name]:,} documents, {summary.sentences[name]:,} sentences, "
            f"{summary.predicates[name]:,} predicates, {summary.tokens[name]:,} tokens"
        )
        if not summary.documents[name]:
            _warn(f"{name} is empty")
    if summary.left_out:
        print(f"{summary.left_out:,} documents of the corpus are in no id list and were left out")
    _report_remarks(summary)
    for problem in summary.skipped:
        print(f"zarpipe: skipped: {problem}", file=sys.stderr)
    if summary.skipped:
        print(f"{len(summary.skipped):,} documents skipped, listed in {output}/skipped.csv")


def _report_remarks(summary: Summary) -> None:
    """Print the first remarks of each kind and how many there are."""
    shown: Counter[str] = Counter()
    for remark in summary.remarks:
        shown[remark.kind] += 1
        if shown[remark.kind] <= _SHOWN_REMARKS:
            _warn(f"{remark.path}:{remark.line}: {remark.message}")
    for kind, count in shown.items():
        if count > _SHOWN_REMARKS:
            _warn(f"{kind}: {count:,} times in all")


def _warn(message: str) -> None:
    print(f"zarpipe: warning: {message}", file=sys.stderr)


def _positive(option: str, value: int | None) -> None:
    if value is not None and value < 1:
        raise ZarpipeError(f"{option}: found {value}; expected a number from 1")


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
