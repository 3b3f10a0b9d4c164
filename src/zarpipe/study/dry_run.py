"""What Snakemake would run, and why: a dry run in this process, as plain records.

Snakemake reports each planned job as a structured log record (the interface of its logger plugins); nothing
is read from text that is meant for people, except the reasons.
"""

from __future__ import annotations

import ast
import contextlib
import io
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from zarpipe.errors import ZarpipeError

# Reasons, as Snakemake words them, in the order in which they are told.
MISSING = "missing"
SETTINGS = "settings"
RULE = "rule"
INPUT = "input"
INPUT_FILES = "input files"
FORCED = "forced"
FOLLOWS = "follows"
_WORDS = {
    "Params have changed": SETTINGS,
    "Code has changed": RULE,
    "Set of input files has changed": INPUT_FILES,
    "Updated input files": INPUT,
    "Forced execution": FORCED,
    "Missing output files": MISSING,
    "Incomplete output files": MISSING,
    "Input files updated by another job": FOLLOWS,
}
# Snakemake writes a file's flags behind its name.
_FLAGS = re.compile(r" \((?:[a-z]+(?:, )?)+\)$")
_PARAMS = re.compile(r"across all output: before: (?P<before>.*?) now: (?P<now>.*?)(?: ;|; |\s*$)", re.DOTALL)


@dataclass(frozen=True)
class PlannedJob:
    """One job that Snakemake would run.

    Attributes:
        rule: its rule.
        wildcards: their values.
        output: its files.
        threads: CPU threads.
        benchmark: where its run time is recorded, or None.
        reason: Snakemake's own words.
    """

    rule: str
    wildcards: dict[str, str]
    output: tuple[str, ...]
    threads: int
    benchmark: str | None
    reason: str

    @property
    def reasons(self) -> tuple[str, ...]:
        """The kinds of reasons that Snakemake gives, the strongest first."""
        return tuple(kind for words, kind in _WORDS.items() if words in self.reason)

    @property
    def changed_settings(self) -> dict[str, tuple[str, str]]:
        """What has changed in the job's spec: (before, now) by name; empty when that cannot be told."""
        found = _PARAMS.search(self.reason)
        if found is None:
            return {}
        try:
            before, now = ast.literal_eval(found["before"]), ast.literal_eval(found["now"])
        except (ValueError, SyntaxError):
            return {}
        return _differences(before, now) if isinstance(before, dict) and isinstance(now, dict) else {}


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
    return PlannedJob(
        rule=record.rule_name,
        wildcards={name: str(value) for name, value in (record.wildcards or {}).items()},
        output=tuple(_FLAGS.sub("", str(file)) for file in record.output or ()),
        threads=int(record.threads),
        benchmark=str(record.benchmark) if record.benchmark else None,
        reason=" ".join(str(record.reason).split()),
    )


def _differences(before: dict[str, Any], now: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Compare two specs; a text of options is compared option by option."""
    found = {}
    for name in [*before, *(name for name in now if name not in before)]:
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        if isinstance(old, str) and isinstance(new, str) and old.startswith("--") and new.startswith("--"):
            found.update(_differences(_by_option(old), _by_option(new)))
        else:
            found[name] = (_shown(old), _shown(new))
    return found


def _by_option(text: str) -> dict[str, str]:
    pairs = (word.removeprefix("--").partition("=") for word in text.split() if word.startswith("--"))
    return {name.replace("-", "_"): value for name, _, value in pairs}


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return "none" if value in (None, "") else str(value)
