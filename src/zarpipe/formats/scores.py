"""The scores JSON: counts, precision, recall and F1 by category and case."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json
from zarpipe.task.cases import CASES
from zarpipe.task.relations import Relation
from zarpipe.task.scores import ALL

_ZAR, _DEP = Relation.ZAR.name, Relation.DEP.name

# Column of a table -> (category, case) of a scores file.
F1_COLUMNS = {
    "zar_f1": (_ZAR, ALL),
    **{f"zar_{case.column}": (_ZAR, case.name) for case in CASES},
    "dep_f1": (_DEP, ALL),
    "all_f1": (ALL, ALL),
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
