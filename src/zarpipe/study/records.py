"""Records beside the results: what a job's files were made from, and how Snakemake learns of a change.

Snakemake keeps its own notes in ``.snakemake`` of the working directory, where they do not follow a results
folder that is moved, copied or used from another clone. So each job writes its key and spec to ``records/``
of the results folder, and a seal for each of its files (`zarpipe.seals`). Whether a job is up to date is
decided by comparing its record with today's key.

Snakemake is told by the time of one small input of every job, the *job file* in ``.snakemake/zarpipe``: ages
old when the record has today's key, now when it has not. The job file also tells the command where to write
the record (``zarpipe --job FILE ...``). The rules leave out the other inputs of a job that is up to date.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zarpipe import seals
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json, replacements_announced_to, write_json
from zarpipe.study.digests import spec_digest
from zarpipe.study.jobs import Job

FOLDER = ".snakemake/zarpipe"
_AGES_AGO = 315532800  # 1980, which every file system knows
_ASKED = "asked"


@dataclass(frozen=True)
class Stored:
    """Where the files of a job really lie when studies share them.

    Attributes:
        output: what the command is asked to write.
        stored: what it writes instead.
        links: link in the results folder -> file in the store.
    """

    output: str = ""
    stored: str = ""
    links: Mapping[str, str] = field(default_factory=dict)

    def complete(self) -> bool:
        """Tell whether the files are in the store already (they appear there only when whole)."""
        return bool(self.links) and all(Path(file).is_file() for file in self.links.values())

    def lacks_links(self) -> bool:
        """Tell whether a link is missing."""
        return not all(os.path.lexists(link) for link in self.links)

    def link(self) -> None:
        """Make the links, each in one step."""
        for link, file in self.links.items():
            Path(link).parent.mkdir(parents=True, exist_ok=True)
            temporary = Path(f"{link}.{secrets.token_hex(8)}.link")
            temporary.symlink_to(Path(file).absolute())
            temporary.replace(link)


def recorded(path: str | Path) -> dict[str, Any]:
    """Return a job's record; empty when there is none that can be read."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def up_to_date(job: Job, record: str | Path) -> bool:
    """Tell whether a job's files were made from what they would be made from today."""
    return recorded(record).get("key") == job.key


def all_up_to_date(jobs: Mapping[str, Job], outputs: Sequence[str]) -> bool:
    """Tell whether all of these files are there and were made from what they would be made from today.

    Args:
        jobs: path of the record -> job.
        outputs: the files.
    """
    return all(up_to_date(job, record) for record, job in jobs.items()) and all(map(os.path.exists, outputs))


def announce(jobs: Mapping[str, Job], stored: Stored | None = None, folder: str = FOLDER) -> str:
    """Write the job file of what one command makes, with the time that tells Snakemake whether it must run.

    Args:
        jobs: path of the record -> job; several for the seeds that one command trains.
        stored: where the files lie if studies share them.
        folder: for the job files.

    Returns:
        The job file's path. The keys are part of it, so that a dry run with other settings leaves a running
        workflow alone.
    """
    stored = stored or Stored()
    fresh = all(up_to_date(job, record) for record, job in jobs.items())
    if fresh and stored.complete() and stored.lacks_links():
        # A failed run with other settings has taken them away.
        stored.link()
        _Written({record: job.record() for record, job in jobs.items()}, stored).seal_links()
    path = job_file(list(jobs.values()), folder)
    records = {record: job.record() for record, job in jobs.items()}
    content: dict[str, Any] = {"records": records, "stored": vars(stored)}
    there = recorded(path)
    asked = there.pop(_ASKED, None)
    if there != content or (asked is None) != fresh:
        # Snakemake takes a small input with bytes that it knows for unchanged. So what asks for a job differs
        # from what a finished job leaves, and from what asked for it before.
        _write_quickly(path, content if fresh else content | {_ASKED: time.time_ns()})
    os.utime(path, (_AGES_AGO, _AGES_AGO) if fresh else None)
    return str(path)


def _write_quickly(path: Path, content: Mapping[str, Any]) -> None:
    """Write a job file whole. A dry run has hundreds, and they are made again: none need reach the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{secrets.token_hex(8)}.part")
    with temporary.open("x", encoding="utf-8") as stream:
        json.dump(content, stream, ensure_ascii=False)
    temporary.replace(path)


def job_file(jobs: Sequence[Job], folder: str = FOLDER) -> Path:
    """Return the path of the job file of what one command makes.

    It has a folder of its own: Snakemake lists a folder once, and does not see what is written there later.
    """
    keys = [job.key for job in jobs]
    return Path(folder) / jobs[0].name / (keys[0] if len(keys) == 1 else spec_digest(keys)) / "job.json"


@contextlib.contextmanager
def recording(path: Path) -> Iterator[Stored]:
    """Run a job: its records go when the first of its files is replaced, and come when all files are there.

    So a job that fails before it has written anything leaves files and records as they were, and one that is
    killed between two files leaves no record that could vouch for the mixture. Each file is sealed in the
    end, before the record is written.

    Args:
        path: the job file.

    Yields:
        Where the files are to be written.
    """
    content = read_json(path)
    try:
        written = _Written(dict(content["records"]), Stored(**content["stored"]))
    except (TypeError, KeyError, ValueError) as error:
        raise ZarpipeError(f"{path}: not a job file of the workflow; run snakemake again") from error
    with replacements_announced_to(written.note):
        yield written.stored
    written.seal()
    if written.stored.links:
        written.forget()
        written.stored.link()
        written.seal_links()
    for record, made_from in written.records.items():
        write_json(record, made_from)
    _write_quickly(path, {name: value for name, value in content.items() if name != _ASKED})


class _Written:
    """The files that a job writes.

    Args:
        records: path of the record -> what it will hold; several for the seeds that one command trains.
        stored: where the files lie if studies share them.
    """

    def __init__(self, records: Mapping[str, Mapping[str, Any]], stored: Stored) -> None:
        self.records = records
        self.stored = stored
        self._jobs = {str(made_from["job"]): str(made_from["key"]) for made_from in records.values()}
        # What the results and the store begin with; files elsewhere get no seal.
        self._results = [_results_folder(record, one["job"]) for record, one in records.items()][:1]
        stores = {Path(file).parent for file in stored.links.values()}  # perhaps below the results folder
        self._roots = [*map(_absolute, stores), *map(_absolute, filter(None, self._results))]
        self._files: dict[Path, Path] = {}

    def note(self, path: Path) -> None:
        """Take away what vouches for a file that is about to be replaced; hidden files are no outputs."""
        path = _absolute(path)
        root = next((root for root in self._roots if path.is_relative_to(root)), None)
        if root and any(part.startswith(".") for part in path.relative_to(root).parts):
            return
        self.forget()
        if root:
            seals.remove(root, path)
            self._files[path] = root

    def forget(self) -> None:
        """Remove the records."""
        for record in self.records:
            Path(record).unlink(missing_ok=True)

    def seal(self) -> None:
        """Seal the files that were written."""
        for path, root in self._files.items():
            if path.is_file():
                seals.write(root, path, self._jobs)

    def seal_links(self) -> None:
        """Seal the links into the store."""
        for root in filter(None, self._results):
            for link, file in self.stored.links.items():
                seals.copy(root, link, file, self._jobs)


def _results_folder(record: str, job: str) -> Path | None:
    """Return the results folder to which a job's record belongs."""
    ending = f"{seals.RECORDS}/{job}.json"
    return Path(record.removesuffix(ending) or ".") if record.endswith(ending) else None


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 (links stay as they are)
