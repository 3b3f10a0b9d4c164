"""Records beside the results: what the files of each job were made from, and how Snakemake learns of a change.

Snakemake keeps its own notes in ``.snakemake`` of the working directory, where they do not follow a results
folder that is moved, copied or used from another clone. So each job writes its key and spec to ``records/`` of the
results folder, and whether a job is up to date is decided by comparing that record with today's key.

Snakemake is told by the time of one small input of every job, the *job file* in ``.snakemake/zarpipe``: ages old
when the record has today's key, now when it has not. All other inputs are `ancient`, so no other time counts.
The job file also tells the command where to write the record (``zarpipe --job FILE …``).
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json, replacements_announced_to, write_json
from zarpipe.study.jobs import Job

_AGES_AGO = 315532800  # 1980, which every file system knows
FOLDER = ".snakemake/zarpipe"


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
        """Tell whether another workflow has finished the files (they appear only when whole)."""
        return bool(self.links) and all(Path(file).is_file() for file in self.links.values())

    def link(self) -> None:
        """Make the links, each in one step."""
        for link, file in self.links.items():
            Path(link).parent.mkdir(parents=True, exist_ok=True)
            temporary = f"{link}.{os.urandom(8).hex()}.link"
            os.symlink(Path(file).absolute(), temporary)
            os.replace(temporary, link)


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


def announce(job: Job, record: str, stored: Stored | None = None, folder: str = FOLDER) -> str:
    """Write a job's job file with the time that tells Snakemake whether it must run; return its path.

    The key is part of the name, so that a dry run with other settings leaves a running workflow alone.
    """
    stored = stored or Stored()
    fresh = up_to_date(job, record)
    if fresh and stored.complete() and not all(os.path.lexists(link) for link in stored.links):
        stored.link()  # a failed run with other settings has taken the links away
    path = Path(folder) / f"{job.name}-{job.key}.json"
    content = {"record": record, "made_from": job.record(), "stored": vars(stored)}
    if fresh and path.is_file() and recorded(path) == content:
        os.utime(path, (_AGES_AGO, _AGES_AGO))
        return str(path)
    # Snakemake takes a small input with the bytes that it knows for unchanged: no two stale ones are equal.
    write_json(path, content if fresh else content | {"asked": time.time_ns()})
    if fresh:
        os.utime(path, (_AGES_AGO, _AGES_AGO))
    return str(path)


@contextlib.contextmanager
def recording(job_file: Path) -> Iterator[Stored]:
    """Run a job: its record goes when the first of its files is replaced, and comes when all are there.

    So a job that fails before it has written anything leaves files and record as they were, and one that is killed
    between two files leaves no record that could vouch for the mixture.

    Yields:
        Where the files are to be written.
    """
    content = read_json(job_file)
    try:
        record, made_from, stored = Path(content["record"]), content["made_from"], Stored(**content["stored"])
    except (TypeError, KeyError) as error:
        raise ZarpipeError(f"{job_file}: not a job file of the workflow; run snakemake again") from error
    with replacements_announced_to(lambda: record.unlink(missing_ok=True)):
        yield stored
        stored.link()
    write_json(record, made_from)
