"""What people's answers on the sheet say about the meter of changed antecedents."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zarpipe.arrays import Bool, Float64, Int64
from zarpipe.errors import FileProblem, ZarpipeError
from zarpipe.formats.text_rows import read_rows
from zarpipe.report.pages.antecedents_sheet import ANSWERS
from zarpipe.report.table import Column, Row, Table
from zarpipe.task.statistics.agreement import Estimate, agreement

CHANGED, SAME, UNCLEAR = "changed", "same", "unclear"
_KEY_COLUMNS = ("item", "policy", "changed", "stands_for")
_MEASURES = {
    "observed": "agreement: share of the items with the same answer",
    "kappa": "agreement beyond chance: Cohen's kappa",
    "precision": "precision: of what the meter calls changed, the share that is",
    "recall": "recall: of what changed, the share that the meter calls changed",
    "share": "changed, of all arguments that the sheet stands for",
}
_COLUMNS = (
    Column("judge", "Judge"),
    Column("other", "Compared with"),
    Column("measure", "Measure"),
    Column("value", "Value", decimals=3),
    Column("ci_low", "95 % from", decimals=3),
    Column("ci_high", "to", decimals=3),
    Column("items", "Items", numeric=True),
    Column("unclear", "Unclear", numeric=True),
)
_NOTE = (
    "Items that cannot be told are left out. Precision, recall and the share weigh each item by how many "
    "arguments of its policy and of the meter's answer it stands for; agreement and kappa are about the "
    "items of the sheet, of which the meter calls about half changed. Intervals: 95 %, items drawn again "
    "within their strata. The meter is the tagger of the first seed, on arguments that it has right in the "
    "original."
)


@dataclass(frozen=True)
class _Key:
    """What the sheet does not say, for n items: what the meter says, weights, strata."""

    items: list[str]
    changed: Bool
    stands_for: Float64
    strata: Int64


def judge(filled: Sequence[Path], key: Path, samples: int, seed: int) -> Table:
    """Compare the answers of one judge or several with the meter, and with each other.

    Args:
        filled: the filled sheet of each judge, CSV with the columns ``item`` and ``answer``.
        key: the key of the sheet.
        samples: bootstrap samples.
        seed: their seed.

    Raises:
        ZarpipeError: an item that is missing, unknown or answered twice, or an answer that is none.
    """
    known = _read_key(key)
    answers = {path.name: _read_answers(path, known, key) for path in filled}
    if len(answers) < len(filled):
        raise ZarpipeError(
            "FILLED: found two files of the same name; expected names that tell the judges apart"
        )
    rows: list[Row] = []
    for name, of_judge in answers.items():
        clear = of_judge != UNCLEAR
        rows += _rows(name, "meter", of_judge == CHANGED, known.changed, clear, known, samples, seed)
    for (name, one), (other, two) in itertools.combinations(answers.items(), 2):
        clear = (one != UNCLEAR) & (two != UNCLEAR)
        rows += _rows(name, other, one == CHANGED, two == CHANGED, clear, known, samples, seed)[:2]
    return Table("judged", "The meter of changed antecedents, judged", _COLUMNS, rows, _NOTE)


def _rows(
    name: str,
    other: str,
    one: Bool,
    two: Bool,
    clear: Bool,
    key: _Key,
    samples: int,
    seed: int,
) -> list[Row]:
    found = agreement(one[clear], two[clear], key.stands_for[clear], key.strata[clear], samples, seed)
    counted: Row = {"items": int(clear.sum()), "unclear": int((~clear).sum())}
    return [
        {"judge": name, "other": other, "measure": words} | _cells(getattr(found, measure)) | counted
        for measure, words in _MEASURES.items()
    ]


def _cells(estimate: Estimate) -> Row:
    low, high = estimate.interval or (None, None)
    return {"value": estimate.value, "ci_low": low, "ci_high": high}


def _read_key(path: Path) -> _Key:
    rows = _read(path, _KEY_COLUMNS, "the key of a sheet (antecedents-sheet-key.csv)")
    for line, row in rows:
        if row["changed"] not in (CHANGED, SAME):
            expected = f"expected {CHANGED} or {SAME}"
            raise FileProblem(path, line, f"column 'changed': found {row['changed']!r}; {expected}")
    strata = [(row["policy"], row["changed"]) for _, row in rows]
    order = {stratum: number for number, stratum in enumerate(dict.fromkeys(strata))}
    return _Key(
        [row["item"] for _, row in rows],
        np.array([row["changed"] == CHANGED for _, row in rows], bool),
        np.array([_weight(path, line, row["stands_for"]) for line, row in rows]),
        np.array([order[stratum] for stratum in strata], np.int64),
    )


def _weight(path: Path, line: int, text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = 0.0
    if not 0 < weight < float("inf"):
        raise FileProblem(path, line, f"column 'stands_for': found {text!r}; expected a number above 0")
    return weight


def _read_answers(path: Path, key: _Key, key_path: Path) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    """Read the answers in the order of the key: [n] of ANSWERS."""
    expected = ", ".join(ANSWERS)
    answers: dict[str, str] = {}
    known = set(key.items)
    for line, row in _read(path, ("item",), "a filled sheet"):
        item, answer = row["item"], (row.get("answer") or "").strip().lower()
        if item not in known:
            raise FileProblem(
                path,
                line,
                f"found the item {item!r}, which {key_path} does not have; give the sheet's own key",
            )
        if item in answers:
            raise FileProblem(path, line, f"found the item {item!r} a second time; expected each once")
        if answer not in ANSWERS:
            found = repr(answer) if answer else "nothing"
            raise FileProblem(path, line, f"item {item!r}: found {found}; expected {expected}")
        answers[item] = answer
    missing = [item for item in key.items if item not in answers]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ZarpipeError(
            f"{path}: the item {missing[0]!r}{more} of {key_path} is missing; expected a row for each item "
            f"({expected})"
        )
    return np.array([answers[item] for item in key.items], np.str_)


def _read(path: Path, columns: Sequence[str], what: str) -> list[tuple[int, dict[str, str]]]:
    if path.suffix.lower() != ".csv" or not path.is_file():
        found = "no such file" if not path.exists() else "a file that is no .csv"
        raise ZarpipeError(f"{path}: found {found}; expected {what}")
    rows = read_rows(path, columns)
    if not rows:
        raise ZarpipeError(f"{path}: found no items; expected {what}")
    return rows
