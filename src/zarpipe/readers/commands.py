"""The commands ``zarpipe convert`` and ``zarpipe check``."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from zarpipe import job_folders
from zarpipe.config import SPLITS, CorpusConfig
from zarpipe.config.corpus import Format
from zarpipe.config.options import Argument, Options
from zarpipe.config.values import Name, Positive, Section
from zarpipe.errors import ZarpipeError

if TYPE_CHECKING:
    from zarpipe.readers import knp, ntc, parquet, unidic
    from zarpipe.readers.reading import Reader, Segmenter, TableReader
    from zarpipe.readers.summary import Summary

    # Whether these modules have what they should is checked with the types.
    _READERS: tuple[Reader | TableReader, ...] = (ntc, knp, parquet)
    _SEGMENTERS: tuple[Segmenter, ...] = (unidic,)

_SHOWN_REMARKS = 3


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ConvertedFiles(Section):
    """The corpus, and what is taken of it."""

    path: Annotated[Path, Argument("PATH", positional=True)]
    """The corpus: the distribution's root, a folder with its files at any depth, or one file."""
    format: Format
    """What the files look like."""
    output: Annotated[Path, Argument("DIR")]
    """Folder for the three Parquet files."""
    split: Literal["taira", "folders", "ids"] | None = None
    """taira: by the date in the file names (Taira et al. 2008), for NTC. folders: by folders or files named
    train, dev, test. ids: by the lists in --ids (default: ids when --ids is given, else taira for ntc and
    folders for knp)."""
    ids: Annotated[Name, Argument("DIR")] | None = None
    """Folder with train.id, dev.id and test.id, one document id a line."""
    jobs: Annotated[Positive, Argument("N"), Field(default_factory=_processors)]
    """Processes, by default one per processor."""
    limit_train: Annotated[Positive, Argument("N")] | None = None
    """Take only the first N documents of train, in the order of the id list or the file names; skipped ones
    do not count."""
    limit_dev: Annotated[Positive, Argument("N")] | None = None
    """The same for dev."""
    limit_test: Annotated[Positive, Argument("N")] | None = None
    """The same for test."""


class CheckedFiles(Section):
    """What is checked."""

    files: Annotated[list[Path], Argument("FILE", positional=True)]
    """Corpus Parquet of one split, or results folder."""


def convert(
    files: ConvertedFiles,
    corpus: Annotated[CorpusConfig, Options(without=("path", "format", "split", "ids", "limit"))],
) -> None:
    """Read a corpus and write train.parquet, dev.parquet and test.parquet.

    Reads an annotated corpus (NAIST Text Corpus 1.5 in either form, a corpus in KNP format such as KWDLC, or
    Parquet files of another program) and writes one Parquet file per split, one row per sentence (columns:
    docs/parquet.md). The three files appear together, or none.

    Examples:
      zarpipe convert NTC_1.5 --format ntc --output results/corpus
      zarpipe convert mine --format parquet --output results/corpus
      zarpipe convert KWDLC --format knp --ids KWDLC/id/split_for_pas --output results/corpus
    """
    from zarpipe.log import start_logging
    from zarpipe.progress import Progress
    from zarpipe.readers import convert as conversion
    from zarpipe.readers.reading import configured_reading, reader

    start_logging()
    with Progress("documents") as progress:
        summary = conversion.convert(
            files.path,
            files.output,
            configured_reading(files.format, corpus),
            files.split or ("ids" if files.ids else reader(files.format).SPLIT),
            files.ids,
            {name: getattr(files, f"limit_{name}") for name in SPLITS},
            files.jobs,
            corpus.on_error,
            progress.update,
        )
    _report(summary, files.output)


def check(files: CheckedFiles) -> None:
    """Check corpus Parquet files that another program wrote, or all files of a results folder.

    Reads corpus Parquet files and tells the first problem of each kind in each of them: row, sentence,
    column, what was found and what is expected. Every command that reads a corpus makes the same checks.
    Columns: docs/parquet.md. Of a results folder, compares every file that a job wrote with what it wrote,
    and lists those that are missing or changed.

    Example:
      zarpipe check mine/train.parquet mine/dev.parquet mine/test.parquet
    """
    found = []
    for file in files.files:
        jobs = list(job_folders.folders(file)) if file.is_dir() else []
        problems = [problem for job in jobs for problem in job_folders.problems(job)]
        remark = f"every file of its {len(jobs)} jobs is what they wrote"
        if not jobs:
            problems, remark = _checked_corpus(file)
        if not problems:
            print(f"{file}: {remark}, no problem")
        found += problems
    if found:
        raise ZarpipeError("\n".join(found))


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


def _report(summary: Summary, output: Path) -> None:
    """Say on standard output what was read, and on standard error what needs a look."""
    from zarpipe.task.projection import projection_lines

    for name in SPLITS:
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


def _report_remarks(summary: Summary, output: Path) -> None:
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
