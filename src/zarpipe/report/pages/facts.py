"""What was run on what, where and when: the lead of the page, with what makes a study small."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import zarpipe
from zarpipe import job_folders
from zarpipe.config import SPLITS, Config
from zarpipe.errors import ZarpipeError
from zarpipe.report.table import Table, counted
from zarpipe.study.jobs import with_all_they_read
from zarpipe.study.plan import duration
from zarpipe.study.study import Study

PAPER_EPOCHS, PAPER_SEEDS = 150, 10
"""Konno et al. (2020), appendix: at most so many epochs, so many seeds of each model."""
_FORMATS = {"ntc": "NAIST Text Corpus format", "knp": "KNP format"}
# Folders that say what a corpus is made of, not which one it is.
_PLAIN_FOLDERS = frozenset({"knp", "ntc", "dat", "data", "corpus", "corpora", ""})
_GIT_SECONDS = 10
BIBTEX = """\
@inproceedings{konno-etal-2020-empirical,
  title     = {An Empirical Study of Contextual Data Augmentation for {J}apanese Zero Anaphora Resolution},
  author    = {Konno, Ryuto and Matsubayashi, Yuichiroh and Kiyono, Shun and Ouchi, Hiroki and
               Takahashi, Ryo and Inui, Kentaro},
  booktitle = {Proceedings of the 28th International Conference on Computational Linguistics},
  year      = {2020},
}
"""


def facts(study: Study, counts: Table | None, made: Sequence[Path]) -> dict[str, Any]:
    """Return what the lead says."""
    documents = _documents(counts)
    whole = _whole_corpus(study) if _is_cut(study.config) else {}
    return {
        "setting": _setting(study.config, documents, whole),
        "limits": _limits(study.config, documents, whole),
        "made": _made(study, made),
        "commit": _commit(),
        "bibtex": BIBTEX,
    }


def corpus_name(path: str | None) -> str:
    """Return what a corpus is called: its folder's name, not where that lies."""
    if path is None:
        return "the small made corpus that comes with zarpipe, so the numbers say nothing about Japanese"
    parts = [part for part in Path(path).absolute().parts if part.lower() not in _PLAIN_FOLDERS]
    return parts[-1] if parts and parts[-1] != os.sep else Path(path).name or path


def _setting(config: Config, documents: Mapping[str, int], whole: Mapping[str, int]) -> str:
    """Say in a few sentences what was run on what."""
    kind = _FORMATS.get(config.corpus.format, f"format {config.corpus.format}")
    found = ", ".join(
        f"{_of_whole(documents[split], whole.get(split))} {split}" for split in SPLITS if split in documents
    )
    mlm = Path(config.mlm.path).name if config.mlm.path else "the small model that comes with zarpipe"
    seeds = counted(len(config.training.seeds), "random seed")
    return (
        f"Corpus: {corpus_name(config.corpus.path)} ({kind}{f'; documents: {found}' if found else ''}). "
        f"MLM: {mlm}. {seeds}, at most {config.training.epochs} epochs."
    )


def _limits(config: Config, documents: Mapping[str, int], whole: Mapping[str, int]) -> list[str]:
    """Say what makes this study smaller than a whole one."""
    found = []
    if _is_cut(config):
        cut = [
            f"{_of_whole(documents[split], whole.get(split))} {split} documents"
            for split in SPLITS
            if split in documents and getattr(config.corpus.limit, split) is not None
        ]
        found.append(f"the corpus is cut: {', '.join(cut)}" if cut else "the corpus is cut")
    if config.training.epochs < PAPER_EPOCHS:
        found.append(f"at most {config.training.epochs} epochs (the paper: {PAPER_EPOCHS})")
    seeds = len(config.training.seeds)
    if seeds < PAPER_SEEDS:
        found.append(f"{counted(seeds, 'seed')} (the paper: {PAPER_SEEDS})")
    return found


def _is_cut(config: Config) -> bool:
    return any(getattr(config.corpus.limit, split) is not None for split in SPLITS)


def _of_whole(count: int, whole: int | None) -> str:
    """Write a count, and of how many: ``200 of 3,915``."""
    return f"{count:,} of {whole:,}" if whole is not None and whole != count else f"{count:,}"


def _documents(counts: Table | None) -> dict[str, int]:
    rows = counts.rows if counts else ()
    return {str(row["split"]): int(str(row["documents"])) for row in rows}


def _whole_corpus(study: Study) -> dict[str, int]:
    """Count the documents of each split of the whole corpus; nothing when it is not there any more."""
    from zarpipe.readers.convert import plan_documents  # loads pyarrow
    from zarpipe.readers.summary import Summary

    corpus = study.config.corpus
    if corpus.path is None or corpus.format == "parquet":
        return {}
    try:
        ids = study.jobs.ids_folder() if corpus.split == "ids" else None
        plan = plan_documents(corpus.path, corpus.format, corpus.split, ids, "skip", Summary())
    except (ZarpipeError, OSError):
        return {}
    return {split: len(places) for split, places in plan.items()}


def _made(study: Study, tables: Sequence[Path]) -> str:
    """Say when, on what machine and how long the study was run."""
    newest = max((path.stat().st_mtime for path in tables if path.is_file()), default=None)
    parts = []
    if newest is not None:
        parts.append(datetime.datetime.fromtimestamp(newest, datetime.UTC).strftime("%Y-%m-%d"))
    parts.append(_machine())
    jobs = with_all_they_read(read.job for read in study.scores(study.test_recipes, "test"))
    seconds = sum(job_folders.seconds(job.folder) or 0.0 for job in jobs.values())
    if seconds:
        parts.append(f"jobs of {duration(seconds)} altogether")
    return "; ".join(parts)


def _machine() -> str:
    """Name the machine by its processor, which says more than its name."""
    return f"{job_folders.processor()}, {counted(os.cpu_count() or 1, 'core')}, {platform.system()}"


def _commit() -> str:
    """Return the commit of zarpipe's code if it is run from a checkout of its own, else nothing."""
    folder = Path(zarpipe.__file__).resolve().parents[2]
    if not (folder / ".git").exists():
        return ""
    described = ["git", "-C", str(folder), "describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(described, capture_output=True, text=True, timeout=_GIT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
