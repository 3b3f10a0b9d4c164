"""The scores JSON: counts, precision, recall and F1 by category and case."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json

# Column of a table -> (category, case) of a scores file.
F1_COLUMNS = {
    "zar_f1": ("ZAR", "ALL"),
    "zar_nom": ("ZAR", "NOM"),
    "zar_acc": ("ZAR", "ACC"),
    "zar_dat": ("ZAR", "DAT"),
    "dep_f1": ("DEP", "ALL"),
    "all_f1": ("ALL", "ALL"),
}


def read_f1(path: Path) -> dict[str, float]:
    """Read a scores file as F1 in percent by column. Raises ZarpipeError when it is none."""
    try:
        return f1_columns(read_json(path))
    except (KeyError, TypeError) as error:
        raise ZarpipeError(
            f"{path}: not a scores file: {error} is missing; make it with `zarpipe evaluate`"
        ) from error


def f1_columns(scores: Mapping[str, Any]) -> dict[str, float]:
    """Return the F1 of every column of F1_COLUMNS, in percent."""
    return {
        column: 100 * float(scores[category][case]["f1"]) for column, (category, case) in F1_COLUMNS.items()
    }
