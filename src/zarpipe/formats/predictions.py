"""Reads the decided arguments of any system (Parquet, CSV or JSON lines) and checks them against a corpus.

===============  =======  ==============================================================
column           type     meaning
===============  =======  ==============================================================
``sent_id``      string   sentence of the corpus
``predicate``    int32    token index of the target predicate
``case``         string   name of the case, such as ``NOM``
``token``        int32    token index of the decided argument
``probability``  float    what the system gives it, from 0 to 1
===============  =======  ==============================================================

One row per decided argument, in any order; at most one per predicate and case. Further columns are ignored.
A CSV (``.csv``, with a header) or JSON lines file (``.jsonl``, one object a line) needs no ``probability``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from zarpipe import job_folders
from zarpipe.arrays import Bool, Float64, Int64
from zarpipe.errors import FileProblem, ZarpipeError
from zarpipe.formats.corpus import instances_of
from zarpipe.formats.parquet import read_parquet, write_parquet
from zarpipe.formats.text_rows import TEXT_ENDINGS, read_rows
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.instances import Instances

COLUMNS = {
    "sent_id": pa.string(),
    "predicate": pa.int64(),
    "case": pa.string(),
    "token": pa.int64(),
    "probability": pa.float64(),
}
_OPTIONAL = "probability"
# No sentence has so many.
_TOKENS = 2**31


@dataclass(frozen=True)
class Gold:
    """What decisions are checked against and scored by."""

    instances: Instances  # the corpus's instances
    sent_ids: pa.Array  # sentence identifiers, one per row of the corpus

    @classmethod
    def of(cls, table: pa.Table) -> Gold:
        """Return the gold of a corpus Parquet that has been read, all of the columns of annotation."""
        return cls(instances_of(table), table["sent_id"].combine_chunks())


@dataclass(frozen=True)
class _Decisions:
    """Decided arguments of a file: n rows."""

    path: Path
    table: pa.Table  # the columns of COLUMNS, perhaps without ``probability``, without nulls
    lines: list[int] | None = None  # [n] line of each row, for a text file

    def numbers(self, name: str) -> Int64:
        return np.asarray(self.table[name].to_numpy(), np.int64)

    def bad_row(self, row: int, column: str, found: Any, expected: str) -> ZarpipeError:
        """Return the error about a row (from 0); people count lines and rows from 1."""
        sentence = self.table["sent_id"][row].as_py()
        message = f"column {column!r}: found {found}; expected {expected} (sentence {sentence!r})"
        return _bad_row(self.path, row, message, self.lines)

    def place(self, row: int) -> str:
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"


def read_decisions(path: str | Path, gold: Gold) -> Int64:
    """Read decided arguments as [n, C] int64: token index per instance and case, -1 for none.

    Raises ZarpipeError: the file is no prediction file, or a row names something that the corpus does not
    have; the message names file, line or row (counted from 1), column and sentence.
    """
    return read_decided_arguments(path, gold)[0]


def read_decided_arguments(path: str | Path, gold: Gold) -> tuple[Int64, Float64 | None]:
    """Read decided arguments as `read_decisions` does, and their probabilities.

    Returns [n, C] int64, token index per instance and case, -1 for none; [n, C] float64, the probability of
    each, NaN where there is none. None instead if the file has no probabilities.
    """
    decisions = _read(Path(path))
    sentence = _sentences(decisions, gold)
    instance = _instances(decisions, sentence, gold.instances)
    case = _cases(decisions)
    token = _tokens(decisions, instance, gold.instances)
    has_probabilities = _OPTIONAL in decisions.table.column_names
    if has_probabilities:
        _check_probabilities(decisions)
    _check_once(decisions, instance * len(CASE_NAMES) + case)
    decided = np.full((len(gold.instances), len(CASE_NAMES)), -1, np.int64)
    decided[instance, case] = token
    if not has_probabilities:
        return decided, None
    probability = np.full(decided.shape, np.nan)
    probability[instance, case] = decisions.table[_OPTIONAL].to_numpy()
    return decided, probability


def _read(path: Path) -> _Decisions:
    if not path.is_file():
        found = "found a folder" if path.is_dir() else "no such file"
        raise ZarpipeError(
            f"{path}: {found}; expected a file of decided arguments (.parquet, .csv or .jsonl)"
        )
    job_folders.check(path)
    try:
        if path.suffix.lower() in TEXT_ENDINGS:
            return _read_text(path)
        return _Decisions(path, _checked_columns(path, read_parquet(path)))
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise ZarpipeError(f"{path}: cannot be read as a prediction Parquet file ({reason})") from error


def _checked_columns(path: Path, table: pa.Table) -> pa.Table:
    for name in COLUMNS:
        if name not in table.column_names:
            raise ZarpipeError(
                f"{path}: column {name!r} is missing; expected the columns {', '.join(COLUMNS)}"
            )
    return pa.table({name: _column(path, name, table[name]) for name in COLUMNS})


def _column(path: Path, name: str, values: pa.ChunkedArray) -> pa.Array:
    """Return a column without nulls in its own type (whole floats are accepted as integers)."""
    if values.null_count:
        row = int(np.flatnonzero(values.is_null().to_numpy())[0])
        message = f"column {name!r}: found nothing (null); expected a value in every row"
        raise _bad_row(path, row, message, None)
    try:
        return values.cast(COLUMNS[name]).combine_chunks()
    except pa.ArrowException as error:
        raise ZarpipeError(
            f"{path}: column {name!r} has type {values.type} ({str(error).splitlines()[0]}); "
            f"expected {COLUMNS[name]}"
        ) from error


def _read_text(path: Path) -> _Decisions:
    rows = read_rows(path, [name for name in COLUMNS if name != _OPTIONAL])
    names = [name for name in COLUMNS if name != _OPTIONAL or any(name in row for _, row in rows)]
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for line, row in rows:
        for name in names:
            columns[name].append(_value(path, line, name, row.get(name)))
    table = pa.table({name: pa.array(values, COLUMNS[name]) for name, values in columns.items()})
    return _Decisions(path, table, [line for line, _ in rows])


def _value(path: Path, line: int, name: str, value: Any) -> str | int | float:
    """Return a value of a text file in its column's type."""
    expected = {pa.string(): "text", pa.int64(): "a whole number", pa.float64(): "a number"}[COLUMNS[name]]
    if COLUMNS[name] == pa.string():
        if isinstance(value, str):
            return value
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = math.nan
        if COLUMNS[name] == pa.float64():
            return number
        if number.is_integer() and abs(number) < _TOKENS:
            return int(number)
    raise FileProblem(path, line, f"column {name!r}: found {value!r}; expected {expected}")


def _sentences(decisions: _Decisions, gold: Gold) -> Int64:
    sent_ids = decisions.table["sent_id"].combine_chunks()
    places = pc.fill_null(pc.index_in(sent_ids, value_set=gold.sent_ids), -1)
    rows: Int64 = places.to_numpy(zero_copy_only=False).astype(np.int64)
    if (unknown := _first(rows < 0)) is not None:
        name = sent_ids[unknown].as_py()
        expected = "a sentence of the corpus (predictions of another split?)"
        message = f"column 'sent_id': found {name!r}; expected {expected}"
        raise _bad_row(decisions.path, unknown, message, decisions.lines)
    return rows


def _instances(decisions: _Decisions, sentence: Int64, instances: Instances) -> Int64:
    """Find the instance of each (sentence, predicate)."""
    predicate = decisions.numbers("predicate")
    size = int(instances.predicate.max(initial=0)) + 2
    keys = instances.sentence * size + instances.predicate
    order = np.argsort(keys)
    wanted = sentence * size + np.clip(predicate, -1, size - 1)
    place = np.minimum(np.searchsorted(keys[order], wanted), max(len(keys) - 1, 0))
    known = (keys[order][place] == wanted) & (predicate >= 0) if len(keys) else np.zeros(len(wanted), bool)
    if (unknown := _first(~known)) is not None:
        allowed = instances.predicate[instances.sentence == sentence[unknown]].tolist()
        raise decisions.bad_row(
            unknown,
            "predicate",
            predicate[unknown],
            f"the token index of a target predicate of that sentence ({_listed(allowed)})",
        )
    return order[place]


def _cases(decisions: _Decisions) -> Int64:
    cases = decisions.table["case"].combine_chunks()
    places = pc.fill_null(pc.index_in(cases, value_set=pa.array(CASE_NAMES)), -1)
    columns: Int64 = places.to_numpy(zero_copy_only=False).astype(np.int64)
    if (unknown := _first(columns < 0)) is not None:
        raise decisions.bad_row(unknown, "case", repr(cases[unknown].as_py()), ", ".join(CASE_NAMES))
    return columns


def _tokens(decisions: _Decisions, instance: Int64, instances: Instances) -> Int64:
    token = decisions.numbers("token")
    length = instances.lengths[instance]
    if (outside := _first((token < 0) | (token >= length))) is not None:
        allowed = f"a token index of that sentence, 0 to {length[outside] - 1}"
        raise decisions.bad_row(outside, "token", token[outside], allowed)
    return token


def _check_probabilities(decisions: _Decisions) -> None:
    probability = decisions.table["probability"].to_numpy()
    # A comparison with NaN is false, so the good ones are asked for.
    if (bad := _first(~((probability >= 0) & (probability <= 1)))) is not None:
        raise decisions.bad_row(bad, "probability", probability[bad], "a number from 0 to 1")


def _check_once(decisions: _Decisions, slots: Int64) -> None:
    _, first, back = np.unique(slots, return_index=True, return_inverse=True)
    if (again := _first(first[back] != np.arange(len(slots)))) is not None:
        found = f"a second argument of the predicate and case of {decisions.place(int(first[back][again]))}"
        raise decisions.bad_row(again, "case", found, "at most one row per predicate and case")


def _first(flags: Bool) -> int | None:
    return int(np.argmax(flags)) if flags.any() else None


def _listed(numbers: list[int]) -> str:
    return ", ".join(str(number) for number in numbers) or "it has none"


def _bad_row(path: Path, row: int, message: str, lines: list[int] | None) -> ZarpipeError:
    if lines is not None:
        return FileProblem(path, lines[row], message)
    return ZarpipeError(f"{path}: row {row + 1}, {message}")


def write_decisions(
    path: Path,
    decided: Int64,  # [n, C], token index of each case's argument, -1 for none
    probability: Float64,  # [n, C], the candidates' probabilities
    instances: Instances,
    sent_ids: pa.Array,  # sentence identifiers, one per row of the corpus
) -> None:
    """Write decided arguments as a prediction Parquet, in the order of instances and cases."""
    instance, case = np.nonzero(decided >= 0)
    table = pa.table(
        {
            "sent_id": sent_ids.take(pa.array(instances.sentence[instance])),
            "predicate": pa.array(instances.predicate[instance], pa.int32()),
            "case": pa.array(np.array(CASE_NAMES)[case], pa.string()),
            "token": pa.array(decided[instance, case], pa.int32()),
            "probability": pa.array(probability[instance, case].astype(np.float32)),
        }
    )
    write_parquet(path, table)
