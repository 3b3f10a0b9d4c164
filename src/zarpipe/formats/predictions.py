"""Reads the prediction Parquet (decided arguments) of any system and checks it against a corpus.

===============  =======  ==============================================================
column           type     meaning
===============  =======  ==============================================================
``sent_id``      string   sentence of the corpus
``predicate``    int32    token index of the target predicate
``case``         string   ``NOM``, ``ACC`` or ``DAT``
``token``        int32    token index of the decided argument
``probability``  float    what the system gives it, from 0 to 1
===============  =======  ==============================================================

One row per decided argument, in any order; at most one per predicate and case. Further columns are ignored.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from zarpipe.arrays import Bool, Float64, Int64
from zarpipe.errors import ZarpipeError
from zarpipe.files import whole_stream
from zarpipe.formats.parquet import read_parquet
from zarpipe.task.cases import CASES
from zarpipe.task.instances import Instances

COLUMNS = {
    "sent_id": pa.string(),
    "predicate": pa.int64(),
    "case": pa.string(),
    "token": pa.int64(),
    "probability": pa.float64(),
}


@dataclass(frozen=True)
class Gold:
    """What decisions are checked against and scored by.

    Attributes:
        instances: the corpus's instances.
        sent_ids: sentence identifiers, one per row of the corpus.
    """

    instances: Instances
    sent_ids: pa.Array


def read_decisions(path: str | Path, gold: Gold) -> Int64:
    """Read decided arguments as [n, 3] int64: token index per instance and case, -1 for none.

    Raises:
        ZarpipeError: the file is no prediction file, or a row names something that the corpus does not have;
            the message names file, row (counted from 0) and column.
    """
    table = _read_table(path)
    sentence = _sentences(path, table["sent_id"], gold)
    instance = _instances(path, sentence, table["predicate"].to_numpy(), gold.instances)
    case = _cases(path, table["case"])
    token = _tokens(path, table["token"].to_numpy(), instance, gold.instances)
    _check_probabilities(path, table["probability"].to_numpy())
    _check_once(path, instance * len(CASES) + case)
    decided = np.full((len(gold.instances), len(CASES)), -1, np.int64)
    decided[instance, case] = token
    return decided


def _read_table(path: str | Path) -> pa.Table:
    try:
        table = read_parquet(path)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise ZarpipeError(f"{path}: cannot be read as a prediction Parquet file ({reason})") from error
    for name in COLUMNS:
        if name not in table.column_names:
            raise ZarpipeError(
                f"{path}: column {name!r} is missing; expected the columns {', '.join(COLUMNS)}"
            )
    return pa.table({name: _column(path, name, table[name]) for name in COLUMNS})


def _column(path: str | Path, name: str, values: pa.ChunkedArray) -> pa.Array:
    """Return a column without nulls in its own type (whole floats are accepted as integers)."""
    if values.null_count:
        row = int(np.flatnonzero(values.is_null().to_numpy())[0])
        raise _bad_row(path, row, name, "nothing (null)", "a value in every row")
    try:
        return values.cast(COLUMNS[name]).combine_chunks()
    except pa.ArrowException as error:
        raise ZarpipeError(
            f"{path}: column {name!r} has type {values.type} ({str(error).splitlines()[0]}); "
            f"expected {COLUMNS[name]}"
        ) from error


def _sentences(path: str | Path, sent_ids: pa.Array, gold: Gold) -> Int64:
    rows: Int64 = pc.fill_null(pc.index_in(sent_ids, value_set=gold.sent_ids), -1).to_numpy().astype(np.int64)
    if (unknown := _first(rows < 0)) is not None:
        name = sent_ids[unknown].as_py()
        raise _bad_row(
            path, unknown, "sent_id", repr(name), "a sentence of the corpus (predictions of another split?)"
        )
    return rows


def _instances(path: str | Path, sentence: Int64, predicate: Int64, instances: Instances) -> Int64:
    """Find the instance of each (sentence, predicate)."""
    size = int(instances.predicate.max(initial=0)) + 2
    keys = instances.sentence * size + instances.predicate
    order = np.argsort(keys)
    wanted = sentence * size + np.clip(predicate, -1, size - 1)
    place = np.minimum(np.searchsorted(keys[order], wanted), max(len(keys) - 1, 0))
    known = (keys[order][place] == wanted) & (predicate >= 0) if len(keys) else np.zeros(len(wanted), bool)
    if (unknown := _first(~known)) is not None:
        allowed = instances.predicate[instances.sentence == sentence[unknown]].tolist()
        raise _bad_row(
            path,
            unknown,
            "predicate",
            predicate[unknown],
            f"the token index of a target predicate of that sentence ({_listed(allowed)})",
        )
    return order[place]


def _cases(path: str | Path, cases: pa.Array) -> Int64:
    columns: Int64 = (
        pc.fill_null(pc.index_in(cases, value_set=pa.array(CASES)), -1).to_numpy().astype(np.int64)
    )
    if (unknown := _first(columns < 0)) is not None:
        raise _bad_row(path, unknown, "case", repr(cases[unknown].as_py()), ", ".join(CASES))
    return columns


def _tokens(path: str | Path, token: Int64, instance: Int64, instances: Instances) -> Int64:
    length = instances.lengths[instance]
    if (outside := _first((token < 0) | (token >= length))) is not None:
        allowed = f"a token index of that sentence, 0 to {length[outside] - 1}"
        raise _bad_row(path, outside, "token", token[outside], allowed)
    return token


def _check_probabilities(path: str | Path, probability: Float64) -> None:
    # A comparison with NaN is false, so the good ones are asked for.
    if (bad := _first(~((probability >= 0) & (probability <= 1)))) is not None:
        raise _bad_row(path, bad, "probability", probability[bad], "a number from 0 to 1")


def _check_once(path: str | Path, slots: Int64) -> None:
    _, first, back = np.unique(slots, return_index=True, return_inverse=True)
    if (again := _first(first[back] != np.arange(len(slots)))) is not None:
        raise _bad_row(
            path,
            again,
            "case",
            f"a second argument of the predicate and case of row {first[back][again]}",
            "at most one row per predicate and case",
        )


def _first(flags: Bool) -> int | None:
    return int(np.argmax(flags)) if flags.any() else None


def _listed(numbers: list[int]) -> str:
    return ", ".join(str(number) for number in numbers) or "it has none"


def _bad_row(path: str | Path, row: int, column: str, found: Any, expected: str) -> ZarpipeError:
    return ZarpipeError(f"{path}: row {row}, column {column!r}: found {found}; expected {expected}")


def write_decisions(
    path: Path,
    decided: Int64,
    probability: Float64,
    instances: Instances,
    sent_ids: pa.Array,
    provenance: dict[str, Any],
) -> None:
    """Write decided arguments as a prediction Parquet, in the order of instances and cases.

    Args:
        path: the Parquet file.
        decided: [n, 3] int64, token index of each case's argument, -1 for none.
        probability: [n, 3], the candidates' probabilities.
        instances: the split's instances.
        sent_ids: sentence identifiers, one per row of the corpus.
        provenance: what the decisions were made from; stored in the metadata as JSON
            (``zarpipe.study.digests``), the corpus digest also as ``zarpipe.corpus``.
    """
    instance, case = np.nonzero(decided >= 0)
    table = pa.table(
        {
            "sent_id": sent_ids.take(pa.array(instances.sentence[instance])),
            "predicate": pa.array(instances.predicate[instance], pa.int32()),
            "case": pa.array(np.array(CASES)[case], pa.string()),
            "token": pa.array(decided[instance, case], pa.int32()),
            "probability": pa.array(probability[instance, case].astype(np.float32)),
        }
    )
    metadata = {
        "zarpipe.corpus": str(provenance.get("corpus")),
        "zarpipe.study.digests": json.dumps(provenance, sort_keys=True),
    }
    with whole_stream(path) as stream:
        pq.write_table(
            table.replace_schema_metadata(metadata), stream, compression="zstd", write_page_checksum=True
        )
