"""What Snakemake would run: a dry run in this process, as plain records.

Snakemake reports each planned job as a structured log record (the interface of its logger plugins). Why a job
runs is read from its job file and the records beside the results, not from Snakemake's text.
"""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zarpipe.errors import ZarpipeError
from zarpipe.study.records import FOLDER, recorded

# Reasons, in the order in which they are told.
SETTINGS = "settings changed"
UNKNOWN = "no record of what they were made from"
FORCED = "forced, or stopped before their end"
MISSING = "not there yet"
FOLLOWS = "follows from these"
REASONS = (SETTINGS, UNKNOWN, FORCED, MISSING, FOLLOWS)


@dataclass(frozen=True)
class PlannedJob:
    """One job that Snakemake would run.

    Attributes:
        rule: its rule.
        wildcards: their values.
        output: its files.
        threads: CPU threads.
        benchmark: where its run time is recorded, or None.
        job_file: its job file, or None for a rule that has none.
    """

    rule: str
    wildcards: dict[str, str]
    output: tuple[str, ...]
    threads: int
    benchmark: str | None
    job_file: str | None = None

    @property
    def reason(self) -> str:
        """The strongest reason why it runs."""
        if not all(Path(path).exists() for path in self.output):
            return MISSING
        pairs = self._before_and_now()
        if pairs and not any(before for before, _ in pairs):
            return UNKNOWN
        if self.changed_settings:
            return SETTINGS
        return FORCED if all(before.get("key") == now.get("key") for before, now in pairs) else FOLLOWS

    @property
    def changed_settings(self) -> dict[str, tuple[str, str]]:
        """What has changed in the job's own spec: (before, now) by name."""
        found: dict[str, tuple[str, str]] = {}
        for before, now in self._before_and_now():
            if before:
                found |= _differences(before.get("spec", {}), now.get("spec", {}))
        return found

    def _before_and_now(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Return the record beside the results and today's, for each job that the command stands for."""
        if self.job_file is None:
            return []
        records = recorded(self.job_file).get("records", {})
        return [(recorded(path), now) for path, now in records.items()]


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

    Rules that run nothing (such as ``all``) are left out.

    Raises:
        ZarpipeError: Snakemake refuses the configuration, the targets or an option.
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
    return [job for job in listener.jobs if job.output]


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
    inputs = [str(file).split(" (")[0] for file in record.input or ()]
    return PlannedJob(
        rule=record.rule_name,
        wildcards={name: str(value) for name, value in (record.wildcards or {}).items()},
        output=tuple(str(file).split(" (")[0] for file in record.output or ()),
        threads=int(record.threads),
        benchmark=str(record.benchmark) if record.benchmark else None,
        job_file=next((path for path in inputs if path.startswith(f"{FOLDER}/")), None),
    )


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
