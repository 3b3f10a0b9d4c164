"""The one exception that a person is meant to read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from zarpipe.characters import escaped

_LONGEST_MESSAGE = 800


class ZarpipeError(Exception):
    """A problem in what the user gave: shown as its message alone, without a traceback, with exit status 1.

    The message names the place (file and line, or config key), what was found, what was expected and what
    to do. Everything else that is raised is a defect of zarpipe and keeps its traceback.
    """


class FileProblem(ZarpipeError):
    """A problem at a place in an input file; printed as ``FILE:LINE: message``."""

    def __init__(self, path: str | Path, line: int | None, message: str) -> None:
        self.path = escaped(str(path))
        self.line = line
        self.message = escaped(_shortened(message))
        place = self.path if line is None else f"{self.path}:{line}"
        super().__init__(f"{place}: {self.message}")

    def __reduce__(self) -> tuple[type[FileProblem], tuple[str, int | None, str]]:
        """Keep the three parts when the error travels from a worker process."""
        return FileProblem, (self.path, self.line, self.message)


def any_of(names: Iterable[str]) -> str:
    """List names as people do: ``ga, o or ni``."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _shortened(message: str) -> str:
    """Cut out the middle of a message that quotes a very long line."""
    if len(message) <= _LONGEST_MESSAGE:
        return message
    half = _LONGEST_MESSAGE // 2
    return f"{message[:half]} [...] {message[-half:]}"
