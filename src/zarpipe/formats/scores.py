"""The scores JSON: counts, precision, recall and F1 by category and case.

{"ALL" | "DEP" | "ZAR": {a case, such as "NOM" | "ALL": {tp, fp, fn, precision, recall, f1}}}
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zarpipe import job_folders
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json, write_json
from zarpipe.task.cases import CASE_NAMES, CASES
from zarpipe.task.relations import ARGUMENT_RELATIONS, Relation
from zarpipe.task.scores import ALL, Scores, score

_ZAR, _DEP = Relation.ZAR.name, Relation.DEP.name
_COUNTS = ("tp", "fp", "fn")
_CATEGORIES = (ALL, *(relation.name for relation in ARGUMENT_RELATIONS))
# Other programs may round what they write.
_TOLERANCE = 1e-6

# Column of a table -> (category, case) of a scores file.
F1_COLUMNS = {
    "zar_f1": (_ZAR, ALL),
    **{f"zar_{case.column}": (_ZAR, case.name) for case in CASES},
    "dep_f1": (_DEP, ALL),
    "all_f1": (ALL, ALL),
}


def write_scores(path: str | Path, scores: Scores) -> None:
    """Write scores, as `zarpipe.task.scores.scores` returns them."""
    write_json(path, scores)


def read_scores(path: str | Path) -> Scores:
    """Read scores.

    Raises ZarpipeError: the file is missing or is none, or its numbers do not follow from its counts.
    """
    job_folders.check(path)
    content = read_json(path)
    try:
        scores = {category: _category(content[category]) for category in _CATEGORIES}
    except (KeyError, TypeError, AttributeError) as error:
        raise ZarpipeError(
            f"{path}: not a scores file: {error} is missing; make it with `zarpipe evaluate`"
        ) from error
    except ValueError as error:
        raise ZarpipeError(f"{path}: {error}; make it again with `zarpipe evaluate`") from error
    if problem := _sum_problem(scores):
        raise ZarpipeError(f"{path}: {problem}; make it again with `zarpipe evaluate`")
    return scores


def read_f1(path: Path) -> dict[str, float]:
    """Read a scores file as F1 in percent by column. Raises ZarpipeError when it is none."""
    return f1_columns(read_scores(path))


def f1_columns(scores: Mapping[str, Any]) -> dict[str, float]:
    """Return the F1 of every column of F1_COLUMNS, in percent."""
    return {
        column: 100 * float(scores[category][case]["f1"]) for column, (category, case) in F1_COLUMNS.items()
    }


def _category(written: Mapping[str, Any]) -> dict[str, dict[str, float | int]]:
    return {case: recomputed(case, written[case]) for case in (*CASE_NAMES, ALL)}


def recomputed(case: str, written: Mapping[str, Any]) -> dict[str, float | int]:
    """Return the scores that follow from the counts. Raises ValueError if others are written."""
    counts = [written[name] for name in _COUNTS]
    for name, count in zip(_COUNTS, counts, strict=True):
        if type(count) is not int or count < 0:
            raise ValueError(f"{case}.{name}: found {count!r}; expected a whole number from 0")
    computed = score(*counts)
    for name, value in computed.items():
        found = written[name]
        is_number = isinstance(found, (int, float)) and not isinstance(found, bool)
        if not is_number or not math.isclose(found, value, rel_tol=0, abs_tol=_TOLERANCE):
            raise ValueError(f"{case}.{name}: found {found!r}; its counts give {value}")
    return computed


def _sum_problem(scores: Scores) -> str | None:
    """Say which count is not the sum of others that it must be."""
    for category, of_case in scores.items():
        for name in _COUNTS:
            parts = sum(of_case[case][name] for case in CASE_NAMES)
            if of_case[ALL][name] != parts:
                return f"{category}.{ALL}.{name}: found {of_case[ALL][name]}; its cases have {parts}"
    for case in (*CASE_NAMES, ALL):
        for name in _COUNTS:
            found = scores[ALL][case][name]
            parts = sum(scores[relation.name][case][name] for relation in ARGUMENT_RELATIONS)
            # A wrong decision in the predicate's own bunsetsu is neither DEP nor ZAR.
            if found < parts or (name != "fp" and found != parts):
                return f"{ALL}.{case}.{name}: found {found}; {_DEP} and {_ZAR} have {parts}"
    return None
