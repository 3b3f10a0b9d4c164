"""Tables of names: what each stands for, its module imported when asked for, and which name may be meant."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from zarpipe.errors import ZarpipeError

Entry = TypeVar("Entry")


class Registry(dict[str, Entry]):
    """Names, and what each stands for: a module, written as dotted text, or anything else.

    To ask for a name that is not there raises ZarpipeError with the nearest one.

    Args:
        what: what a name names, for the message.
        entries: by name.
    """

    def __init__(self, what: str, entries: Mapping[str, Entry]) -> None:
        super().__init__(entries)
        self.what = what

    def __missing__(self, name: str) -> Entry:
        raise ZarpipeError(f"{name!r} is no {self.what}{did_you_mean(name, self)}")

    def load(self, name: str) -> Any:
        """Return the module that a name stands for."""
        return load(str(self[name]))


def load(module: str) -> Any:
    """Return a module of a table, which is imported now."""
    return importlib.import_module(module)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: ``; did you mean 'ntc'?``, or nothing."""
    close = nearest(name, known)
    return f"; did you mean {close[0]!r}?" if close else ""


def nearest(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """Return the known names that one is most like, at most so many, the most alike first."""
    return difflib.get_close_matches(name, list(known), n=most, cutoff=0.5)
