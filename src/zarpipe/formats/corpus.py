"""The corpus Parquet: one row per sentence, in text order, sentences without a predicate too.

====================  =====================  ==========================================================
column                type                   meaning
====================  =====================  ==========================================================
``doc_id``            string                 document: the file name without its ending
``sent_id``           string                 the S-ID, else ``doc_id`` and a running number; unique
``tokens``            list<string>           surface forms, original code points
``lemmas``            list<string>           base forms (the surface where the corpus gives none)
``pos``               list<string>           major part of speech (JUMAN: 名詞, 動詞, 助詞, 特殊, ...)
``pos_sub``           list<string>           sub part of speech (``*`` for none)
``bunsetsu``          list<int32>            bunsetsu number of each token
``heads``             list<int32>            head bunsetsu of each bunsetsu, -1 for the root
``predicates``        list<struct>           target predicates in text order
``.token``            int32                  token index of the predicate
``.alt``              string or null         voice as annotated (NTC ``alt``)
``.arguments``        list<struct>           one entry per mention, none in the predicate's own bunsetsu
``..case``            string                 ``NOM`` (ga), ``ACC`` (o), ``DAT`` (ni)
``..token``           int32                  token index of the mention
``..relation``        string                 ``DEP`` if the mention's bunsetsu and the predicate's are in
                                             a direct dependency, else ``ZAR``. The argument as a whole
                                             counts as ``DEP`` if any of its mentions is
====================  =====================  ==========================================================

The file's metadata carry ``zarpipe.schema`` (the version below), ``zarpipe.sources`` (a digest of the files
that it was made from), ``zarpipe.tagset`` (whose parts of speech it has: ``juman``, ``ipadic`` or ``unidic``;
``juman`` where it is absent), ``zarpipe.removed`` (annotated arguments that are not labelled, as JSON:
rule -> case -> number), and, in words of another dictionary than the corpus's own, ``zarpipe.projection``
(what became of the annotation, as JSON: ``segmenter``, and a number for each `Projection`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from zarpipe import job_folders
from zarpipe.arrays import Int64
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus_checks import Problem, problems
from zarpipe.formats.parquet import flat, numbers, one_chunk, parquet_file, read_parquet
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.instances import Annotations, Instances, make_instances

SCHEMA_VERSION = "1"
_REMEDY = "make it again with `zarpipe convert`, or, if it is yours, write it as docs/parquet.md says"
# Readers that take one row group at a time stay small, and arrow reads nested columns of larger ones badly.
ROW_GROUP = 8192

_STRINGS = pa.list_(pa.string())
_INTS = pa.list_(pa.int32())
_ARGUMENT = pa.struct([("case", pa.string()), ("token", pa.int32()), ("relation", pa.string())])
_PREDICATE = pa.struct([("token", pa.int32()), ("alt", pa.string()), ("arguments", pa.list_(_ARGUMENT))])

CORPUS_SCHEMA = pa.schema(
    [
        ("doc_id", pa.string()),
        ("sent_id", pa.string()),
        ("tokens", _STRINGS),
        ("lemmas", _STRINGS),
        ("pos", _STRINGS),
        ("pos_sub", _STRINGS),
        ("bunsetsu", _INTS),
        ("heads", _INTS),
        ("predicates", pa.list_(_PREDICATE)),
    ]
)


def read_corpus(path: str | Path, columns: list[str] | None = None) -> pa.Table:
    """Read a corpus Parquet (all columns or the named ones) with its chunks combined, and check it.

    The columns have the types of ``CORPUS_SCHEMA``, whatever other program has written them.

    Raises ZarpipeError: the file is missing, damaged, or lacks a column of the schema, or a row is wrong; the
    message names file, row (from 1), sentence and column.
    """
    table = _read_unchecked(path, CORPUS_SCHEMA.names if columns is None else columns)
    if (problem := next(problems(table), None)) is not None:
        raise ZarpipeError(_told(path, problem))
    return table


def corpus_problems(path: str | Path) -> list[str]:
    """Return the first problem of each kind in a corpus Parquet, one line each.

    Raises ZarpipeError: the file cannot be read as a corpus at all.
    """
    return [_told(path, problem) for problem in problems(_read_unchecked(path, CORPUS_SCHEMA.names))]


def _told(path: str | Path, problem: Problem) -> str:
    sentence = read_parquet(path, ["sent_id"])["sent_id"][problem.row].as_py()
    return (
        f"{path}: row {problem.row + 1} (sentence {sentence!r}), column {problem.column!r}: "
        f"found {problem.found}; expected {problem.expected}"
    )


def _read_unchecked(path: str | Path, columns: Sequence[str]) -> pa.Table:
    check_corpus_file(path, columns)
    try:
        table = read_parquet(path, columns)
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error
    found = {name: _in_schema(path, name, one_chunk(table[name])) for name in columns}
    return pa.table(found, metadata=table.schema.metadata)


def _unreadable(path: str | Path, error: Exception) -> ZarpipeError:
    reason = str(error).splitlines()[0]
    return ZarpipeError(f"{path}: cannot be read as a corpus Parquet file ({reason}); {_REMEDY}")


def _in_schema(path: str | Path, name: str, column: pa.Array) -> pa.Array:
    """Return a column in the schema's type; fields of structs are known by their names."""
    wanted = CORPUS_SCHEMA.field(name).type
    reason = next((f"the field {field!r} is missing" for field in _lacking(column.type, wanted)), None)
    try:
        if reason is None:
            return column.cast(wanted)
    except pa.ArrowException as error:
        reason = str(error).splitlines()[0]
    raise ZarpipeError(f"{path}: column {name!r}: found the type {column.type} ({reason}); expected {wanted}")


def _lacking(found: pa.DataType, wanted: pa.DataType) -> Iterator[str]:
    """Yield the fields of structs that a type lacks."""
    if pa.types.is_list(wanted) and (pa.types.is_list(found) or pa.types.is_large_list(found)):
        yield from _lacking(found.value_type, wanted.value_type)
    elif pa.types.is_struct(wanted) and pa.types.is_struct(found):
        for field in wanted:
            index = found.get_field_index(field.name)
            yield from [field.name] if index < 0 else _lacking(found.field(index).type, field.type)


def check_corpus_file(path: str | Path, columns: Sequence[str]) -> None:
    """Raise ZarpipeError unless ``path`` is one Parquet file that has these columns of a corpus."""
    if Path(path).is_dir():
        raise ZarpipeError(
            f"{path}: found a folder; expected the Parquet file of one split, such as "
            f"{Path(path) / 'dev.parquet'}"
        )
    if not Path(path).is_file():
        raise ZarpipeError(f"{path}: no such file; make it with `zarpipe convert`")
    job_folders.check(path)
    try:
        with parquet_file(path) as file:
            names = file.schema_arrow.names
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error
    missing = [name for name in columns if name not in names]
    if missing:
        raise ZarpipeError(f"{path}: not a corpus Parquet file: column {missing[0]!r} is missing; {_REMEDY}")


def read_instances(path: str | Path) -> Instances:
    """Read the instances of a corpus Parquet, in text order. Raises ZarpipeError for a damaged file."""
    return instances_of(read_corpus(path, ["tokens", "bunsetsu", "heads", "predicates"]))


def instances_of(table: pa.Table) -> Instances:
    """Compute the instances of a corpus table that has tokens, bunsetsu, heads and predicates."""
    token_offsets, bunsetsu = flat_numbers(table["bunsetsu"])
    head_offsets, heads = flat_numbers(table["heads"])
    predicate_offsets, predicates = flat(table["predicates"])
    mention_offsets, mentions = flat(predicates.field("arguments"))
    cases = mentions.field("case").to_numpy(zero_copy_only=False)
    case_numbers = np.full(len(cases), -1, np.int64)
    for number, case in enumerate(CASE_NAMES):
        case_numbers[cases == case] = number
    known = case_numbers >= 0
    owner = np.repeat(np.arange(len(mention_offsets) - 1), np.diff(mention_offsets))[known]
    counts = np.bincount(owner, minlength=len(mention_offsets) - 1)
    return make_instances(
        Annotations(
            token_offsets,
            bunsetsu,
            head_offsets,
            heads,
            predicate_offsets,
            numbers(predicates.field("token")),
            np.concatenate([[0], np.cumsum(counts)]),
            numbers(mentions.field("token"))[known],
            case_numbers[known],
        )
    )


def flat_numbers(column: pa.ChunkedArray | pa.Array) -> tuple[Int64, Int64]:
    """Return offsets from 0, and the flat values of a column of lists of numbers."""
    offsets, values = flat(column)
    return offsets, numbers(values)
