"""What a file says that it was made from, compared with what it was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zarpipe.errors import ZarpipeError

_SHOWN = 12


def check_made_from(path: str | Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Compare where both are known.

    Args:
        path: the file, for the message.
        found: what the file says, by key (such as ``corpus``: a SHA-256).
        wanted: what is asked for; None: anything.

    Raises:
        ZarpipeError: naming the first key that differs.
    """
    for key, value in wanted.items():
        if value is not None and found.get(key) is not None and found[key] != value:
            raise ZarpipeError(
                f"{path}: made from another {key} (found {_short(found[key])}, expected {_short(value)}); "
                "give the files that belong together, or make it again"
            )


def _short(value: Any) -> str:
    return str(value)[:_SHOWN]
