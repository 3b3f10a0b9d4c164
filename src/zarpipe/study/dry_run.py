"""What Snakemake would run: a dry run in this process, as plain records.

Snakemake reports each planned job as a structured log record (the interface of its logger plugins). Why a job
runs is told by the folders of the same rule and name, not by Snakemake's text.
"""

from __future__ import annotations

import contextlib
import functools
import io
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json
from zarpipe.job_folders import JOB_FILE, folders_of, is_there, read_job
from zarpipe.study.study import PLANS

# Reasons, in the order in which they are told.
SETTINGS = "settings changed"
FORCED = "forced"
MISSING = "not there yet"
FOLLOWS = "follows from these"
REASONS = (SETTINGS, FORCED, MISSING, FOLLOWS)


@dataclass(frozen=True)
class PlannedJob:
    """One job that Snakemake would run."""

    rule: str  # its rule
    output: tuple[str, ...]  # its files
    threads: int  # CPU threads
    # What its files depend on: settings, and the keys of the jobs that it reads.
    made_from: Mapping[str, Any] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Where its files would stand."""
        return Path(self.output[0]).parent

    @functools.cached_property
    def others(self) -> list[dict[str, Any]]:
        """The ``job.json`` of the jobs of the same rule and name that have run."""
        name = self.folder.name.rpartition("@")[0]
        return [read_job(path) for path in folders_of(self.folder.parent, name) if path != self.folder]

    @property
    def reason(self) -> str:
        """The strongest reason why it runs."""
        if is_there(self.folder):
            return FORCED
        if not self.others:
            return MISSING
        return SETTINGS if self.changed_settings else FOLLOWS

    @functools.cached_property
    def changed_settings(self) -> dict[str, tuple[str, str]]:
        """What differs from the most like of the others: (before, now) by name."""
        now = self.made_from.get("settings", {})
        return min((_differences(one["settings"], now) for one in self.others), key=len, default={})


@dataclass
class _Listener(logging.Filter):
    """Keeps Snakemake's records and lets none through to the terminal."""

    jobs: list[PlannedJob] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(getattr(record, "event", None), "value", None) == "job_info":
            self.jobs.append(_planned(record))
        elif record.levelno >= logging.ERROR:
            self.errors.append(str(record.msg))
        return False


def planned_jobs(arguments: Sequence[str]) -> list[PlannedJob]:
    """Return the jobs that ``snakemake`` would run with these arguments (targets and options), in its order.

    Rules that run nothing (such as ``all``) are left out. Raises ZarpipeError if Snakemake refuses the
    configuration, the targets or an option.
    """
    from snakemake.cli import args_to_api, parse_args
    from snakemake.exceptions import print_exception

    said = io.StringIO()
    with _listening() as listener, contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            parser, options = parse_args(["--dry-run", *arguments])
            done = args_to_api(options, parser)
        except SystemExit as error:
            done = not error.code
        except Exception as error:  # Snakemake's own command prints any of them as its message
            print_exception(error)
            done = False
    if not done:
        raise ZarpipeError(_refusal(listener.errors, said.getvalue()))
    planned = _last_plan()
    jobs = [job for job in listener.jobs if job.output and job.output[0].endswith(JOB_FILE)]
    return [replace(job, made_from=planned.get(job.folder.name, {})) for job in jobs]


def _last_plan() -> dict[str, Any]:
    """Return what the jobs of the dry run's plan are made from, by the names of their folders."""
    plan = max(Path(PLANS, "plans").glob("*.json"), key=lambda path: path.stat().st_mtime, default=None)
    jobs = read_json(plan)["jobs"].values() if plan else ()
    return {Path(f"{job['name']}@{job['key']}").name: job for job in jobs}


@contextlib.contextmanager
def _listening() -> Iterator[_Listener]:
    # A filter of the logger itself: Snakemake takes foreign handlers away.
    from snakemake.logging import logger

    listener = _Listener()
    logger.addFilter(listener)
    try:
        yield listener
    finally:
        logger.removeFilter(listener)


def _refusal(errors: list[str], said: str) -> str:
    text = "\n".join(map(_without_traceback, errors)) or said
    # Where in the rule files a message arises is of no use to who wrote the configuration.
    noise = ("Using ", "  File ", "WorkflowError in ")
    lines = [line for line in text.strip().splitlines() if line.strip() and not line.startswith(noise)]
    return "Snakemake cannot plan this:\n" + "\n".join(lines[-20:])


def _without_traceback(error: str) -> str:
    """Return the last line of what Python itself says; Snakemake's own messages are kept as they are."""
    return error.strip().splitlines()[-1] if "Traceback (most recent call last)" in error else error


def _planned(record: Any) -> PlannedJob:
    # Snakemake writes a file's flags behind its name.
    output = tuple(str(file).split(" (")[0] for file in record.output or ())
    return PlannedJob(rule=record.rule_name, output=output, threads=int(record.threads))


def _differences(before: dict[str, Any], now: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {
        name: (_shown(before.get(name)), _shown(now.get(name)))
        for name in [*before, *(name for name in now if name not in before)]
        if before.get(name) != now.get(name)
    }


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return "none" if value in (None, "") else str(value)
