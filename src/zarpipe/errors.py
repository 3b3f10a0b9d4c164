"""The one exception that a person is meant to read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class ZarpipeError(Exception):
    """A problem in what the user gave: shown as its message alone, without a traceback, with exit status 1.

    The message names the place (file and line, or config key), what was found, what was expected and what
    to do. Everything else that is raised is a defect of zarpipe and keeps its traceback.
    """


class FileProblem(ZarpipeError):
    """A problem at a place in an input file; printed as ``FILE:LINE: message``."""

    def __init__(self, path: str | Path, line: int | None, message: str) -> None:
        self.path = str(path)
        self.line = line
        self.message = message
        place = self.path if line is None else f"{self.path}:{line}"
        super().__init__(f"{place}: {message}")

    def __reduce__(self) -> tuple[type[FileProblem], tuple[str, int | None, str]]:
        """Keep the three parts when the error travels from a worker process."""
        return FileProblem, (self.path, self.line, self.message)


def any_of(names: Iterable[str]) -> str:
    """List names as people do: ``ga, o or ni``."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
