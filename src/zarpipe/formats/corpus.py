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
rule -> case -> number), in words of another dictionary than the corpus's own, ``zarpipe.projection``
(what became of the annotation, as JSON: ``segmenter``, and a number for each `Projection`), and digests
(`zarpipe.formats.parquet`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from zarpipe import seals
from zarpipe.arrays import Int8, Int64
from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus_checks import Problem, problems
from zarpipe.formats.parquet import ColumnDigests, check_digests, parquet_file, read_parquet
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.documents import Document, Removal, Sentence, Token
from zarpipe.task.instances import Annotations, Instances, make_instances
from zarpipe.task.projection import Projection
from zarpipe.task.segmentation import labels_of

SCHEMA_VERSION = "1"
_REMOVED = "zarpipe.removed"
_REMEDY = "make it again with `zarpipe convert`, or, if it is yours, write it as docs/parquet.md says"
_PROJECTION = "zarpipe.projection"


# Readers that take one row group at a time stay small, and arrow reads nested columns of larger ones badly.
ROW_GROUP = 8192

_WORD_COLUMNS = ("tokens", "lemmas", "pos", "pos_sub")

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

    Raises:
        ZarpipeError: the file is missing, damaged, or lacks a column of the schema, or a row is wrong; the
            message names file, row (from 1), sentence and column.
    """
    table = _read_unchecked(path, CORPUS_SCHEMA.names if columns is None else columns)
    if (problem := next(problems(table), None)) is not None:
        raise ZarpipeError(_told(path, problem))
    return table


def corpus_problems(path: str | Path) -> list[str]:
    """Return the first problem of each kind in a corpus Parquet, one line each.

    Raises:
        ZarpipeError: the file cannot be read as a corpus at all.
    """
    return [_told(path, problem) for problem in problems(_read_unchecked(path, CORPUS_SCHEMA.names))]


def _told(path: str | Path, problem: Problem) -> str:
    place = f"column {problem.column!r}: found {problem.found}; expected {problem.expected}"
    if problem.row is None:
        return f"{path}: {place}"
    sentence = read_parquet(path, ["sent_id"])["sent_id"][problem.row].as_py()
    return f"{path}: row {problem.row + 1} (sentence {sentence!r}), {place}"


def _read_unchecked(path: str | Path, columns: Sequence[str]) -> pa.Table:
    check_corpus_file(path, columns)
    try:
        table = read_parquet(path, columns)
    except (OSError, pa.ArrowException) as error:
        raise ZarpipeError(
            f"{path}: cannot be read as a corpus Parquet file ({str(error).splitlines()[0]}); {_REMEDY}"
        ) from error
    check_digests(path, table, "`zarpipe convert`", whole=False)
    table = table.combine_chunks()
    return pa.table(
        {name: _in_schema(path, name, table[name]) for name in columns}, metadata=table.schema.metadata
    )


def _in_schema(path: str | Path, name: str, column: pa.ChunkedArray) -> pa.Array:
    """Return a column in one chunk and in the schema's type; fields of structs are known by their names."""
    wanted = CORPUS_SCHEMA.field(name).type
    try:
        return _as_type(_chunk(column), wanted)
    except (pa.ArrowException, KeyError) as error:
        reason = (
            f"the field {error} is missing" if isinstance(error, KeyError) else str(error).splitlines()[0]
        )
        raise ZarpipeError(
            f"{path}: column {name!r}: found the type {column.type} ({reason}); expected {wanted}"
        ) from error


def _as_type(values: pa.Array, wanted: pa.DataType) -> pa.Array:
    if values.type == wanted:
        return values
    if pa.types.is_struct(wanted) and pa.types.is_struct(values.type):
        fields = [_as_type(_field(values, field.name), field.type) for field in wanted]
        return pa.StructArray.from_arrays(fields, fields=list(wanted), mask=values.is_null())
    if pa.types.is_list(wanted) and (pa.types.is_list(values.type) or pa.types.is_large_list(values.type)):
        lengths = _numbers(pc.fill_null(pc.list_value_length(values), 0))
        offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())
        inner = _as_type(values.flatten(), wanted.value_type)
        return pa.ListArray.from_arrays(offsets, inner, mask=values.is_null())
    return values.cast(wanted)


def _field(values: pa.StructArray, name: str) -> pa.Array:
    if values.type.get_field_index(name) < 0:
        raise KeyError(name)
    return values.field(name)


def check_corpus_file(path: str | Path, columns: Sequence[str]) -> None:
    """Raise ZarpipeError unless ``path`` is one Parquet file that has these columns of a corpus.

    Its bytes are compared with its seal.
    """
    if Path(path).is_dir():
        raise ZarpipeError(
            f"{path}: found a folder; expected the Parquet file of one split, such as "
            f"{Path(path) / 'dev.parquet'}"
        )
    if not Path(path).is_file():
        raise ZarpipeError(f"{path}: no such file; make it with `zarpipe convert`")
    seals.check(path)
    try:
        with parquet_file(path) as file:
            names = file.schema_arrow.names
    except (OSError, pa.ArrowException) as error:
        raise ZarpipeError(
            f"{path}: cannot be read as a corpus Parquet file ({str(error).splitlines()[0]}); {_REMEDY}"
        ) from error
    missing = [name for name in columns if name not in names]
    if missing:
        raise ZarpipeError(f"{path}: not a corpus Parquet file: column {missing[0]!r} is missing; {_REMEDY}")


def read_removed(path: str | Path) -> Counter[tuple[str, Removal]]:
    """Read (case, rule) -> annotated arguments that are not labelled; nothing if the file does not say it."""
    numbers = _read_numbers(path, _REMOVED)
    try:
        return Counter(
            {
                (case, Removal(rule)): int(count)
                for rule, cases in numbers.items()
                for case, count in cases.items()
            }
        )
    except (ValueError, AttributeError, TypeError):
        raise _unexpected(path, _REMOVED) from None


def read_projection(path: str | Path) -> tuple[str, Counter[Projection]] | None:
    """Read which program cut the sentences into words, and what became of the annotation.

    Returns:
        None for a corpus in its own words.
    """
    numbers = _read_numbers(path, _PROJECTION)
    if not numbers:
        return None
    try:
        counts = {Projection(name): int(count) for name, count in numbers.items() if name != "segmenter"}
        return str(numbers["segmenter"]), Counter(counts)
    except (ValueError, KeyError, TypeError):
        raise _unexpected(path, _PROJECTION) from None


def _read_numbers(path: str | Path, name: str) -> dict[str, Any]:
    """Read an object in the metadata of the file's footer; an empty one if there is none."""
    check_corpus_file(path, [])
    with parquet_file(path) as file:
        written = (file.metadata.metadata or {}).get(name.encode(), b"{}")
    try:
        numbers = json.loads(written)
    except ValueError:
        raise _unexpected(path, name) from None
    if not isinstance(numbers, dict):
        raise _unexpected(path, name)
    return numbers


def _unexpected(path: str | Path, name: str) -> ZarpipeError:
    return ZarpipeError(
        f"{path}: found other values in the metadata {name} than `zarpipe convert` writes. Convert the "
        "corpus again"
    )


def read_instances(path: str | Path) -> Instances:
    """Read the instances of a corpus Parquet, in text order. Raises ZarpipeError for a damaged file."""
    return instances_of(read_corpus(path, ["tokens", "bunsetsu", "heads", "predicates"]))


def instances_of(table: pa.Table) -> Instances:
    """Compute the instances of a corpus table that has tokens, bunsetsu, heads and predicates."""
    token_offsets, bunsetsu = flat_numbers(table["bunsetsu"])
    head_offsets, heads = flat_numbers(table["heads"])
    predicate_offsets, predicates = _flat_structs(table["predicates"])
    mention_offsets, mentions = _flat_structs(predicates.field("arguments"))
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
            _numbers(predicates.field("token")),
            np.concatenate([[0], np.cumsum(counts)]),
            _numbers(mentions.field("token"))[known],
            case_numbers[known],
        )
    )


def read_segmentation(path: str | Path) -> tuple[Int8, Int64]:
    """Read which tokens are predicates and which begin a bunsetsu.

    Returns:
        [N] int8, the label of each token (`zarpipe.task.segmentation`), and [n + 1] int64, the first token of
        each sentence.

    Raises:
        ZarpipeError: the file is missing or damaged.
    """
    table = read_corpus(path, ["tokens", "bunsetsu", "heads", "predicates"])
    offsets, bunsetsu = flat_numbers(table["bunsetsu"])
    predicate_offsets, predicates = _flat_structs(table["predicates"])
    is_predicate = np.zeros(len(bunsetsu), bool)
    first_token = np.repeat(offsets[:-1], np.diff(predicate_offsets))
    is_predicate[first_token + _numbers(predicates.field("token"))] = True
    begins = np.diff(bunsetsu, prepend=-1) != 0
    begins[offsets[:-1][np.diff(offsets) > 0]] = True
    return labels_of(is_predicate, begins), offsets


def to_batch(documents: Sequence[Document]) -> pa.RecordBatch:
    """Return one row per sentence, in the given order, with the columns of ``CORPUS_SCHEMA``."""
    sentences = [sentence for document in documents for sentence in document.sentences]
    doc_ids = [document.doc_id for document in documents for _ in document.sentences]
    columns = {
        "doc_id": pa.array(doc_ids, pa.string()),
        "sent_id": pa.array([sentence.sent_id for sentence in sentences], pa.string()),
        **_words([sentence.words for sentence in sentences]),
        "bunsetsu": _lists([sentence.bunsetsu for sentence in sentences], pa.int32()),
        "heads": _lists([sentence.heads for sentence in sentences], pa.int32()),
        "predicates": _predicates(sentences),
    }
    return pa.RecordBatch.from_arrays([columns[name] for name in CORPUS_SCHEMA.names], schema=CORPUS_SCHEMA)


class CorpusWriter:
    """Writes batches to a corpus Parquet in row groups of at most ``ROW_GROUP`` rows.

    Holds back less than one row group.

    Args:
        stream: the file, open for writing.
        sources: digest of what the rows are made from; becomes the metadata ``zarpipe.sources``.
    """

    def __init__(self, stream: BinaryIO, sources: str) -> None:
        self._stream = stream
        self._sources = sources
        self._writer: pq.ParquetWriter | None = None
        self._waiting: list[pa.RecordBatch] = []
        self._rows = 0
        self._digests = ColumnDigests()

    def write(self, batch: pa.RecordBatch, tagset: Tagset) -> None:
        """Add rows. All have the same tagset, which becomes the metadata ``zarpipe.tagset``."""
        self._waiting.append(batch)
        self._rows += batch.num_rows
        if self._rows >= ROW_GROUP:
            self._flush(tagset)

    def close(
        self,
        tagset: Tagset,
        removed: Mapping[tuple[str, Removal], int],
        segmenter: str | None = None,
        projection: Mapping[Projection, int] | None = None,
    ) -> None:
        """Write what is held back and the end of the file.

        Args:
            tagset: the corpus's tagset.
            removed: (case, rule) -> annotated arguments that are not labelled; becomes the metadata
                ``zarpipe.removed``.
            segmenter: what cut the sentences into words; None if they are the corpus's own.
            projection: what became of the annotation then; with the segmenter it becomes the metadata
                ``zarpipe.projection``.
        """
        writer = self._flush(tagset)
        numbers: dict[str, dict[str, int]] = {}
        for (case, rule), count in sorted(removed.items(), key=lambda item: (item[0][1].value, item[0][0])):
            numbers.setdefault(rule.value, {})[case] = count
        metadata = {_REMOVED: json.dumps(numbers)}
        if segmenter is not None:
            counts = {one.value: (projection or {}).get(one, 0) for one in Projection}
            metadata[_PROJECTION] = json.dumps({"segmenter": segmenter, **counts})
        written = {**self._metadata(tagset), **metadata}
        writer.add_key_value_metadata({**metadata, **self._digests.metadata(written)})
        writer.close()

    def discard(self) -> None:
        """Close the file without its end; it is not readable."""
        self._waiting.clear()
        if self._writer is not None:
            self._writer.close()

    def _flush(self, tagset: Tagset) -> pq.ParquetWriter:
        writer = self._writer or self._open(tagset)
        table = pa.Table.from_batches(self._waiting, CORPUS_SCHEMA).combine_chunks().cast(writer.schema)
        self._digests.add(table)
        if table.num_rows:
            writer.write_table(table, row_group_size=ROW_GROUP)
        self._waiting, self._rows = [], 0
        return writer

    def _open(self, tagset: Tagset) -> pq.ParquetWriter:
        schema = CORPUS_SCHEMA.with_metadata(self._metadata(tagset))
        self._writer = pq.ParquetWriter(self._stream, schema, compression="zstd", write_page_checksum=True)
        return self._writer

    def _metadata(self, tagset: Tagset) -> dict[str, str]:
        return {
            "zarpipe.schema": SCHEMA_VERSION,
            "zarpipe.sources": self._sources,
            "zarpipe.tagset": tagset,
        }


def _words(rows: Sequence[Sequence[Token]]) -> dict[str, pa.ListArray]:
    """Return the columns of the tokens. One object is converted once, however often it stands there."""
    words = list(chain.from_iterable(rows))
    identities = pa.array(list(map(id, words)), pa.int64()).dictionary_encode()
    known = dict(zip(map(id, words), words, strict=True))
    distinct = [known[identity] for identity in identities.dictionary.to_pylist()]
    offsets = _offsets(rows)
    return {
        name: pa.ListArray.from_arrays(offsets, pa.array(values, pa.string()).take(identities.indices))
        for name, values in zip(_WORD_COLUMNS, _columns(distinct, len(_WORD_COLUMNS)), strict=True)
    }


def _lists(rows: Sequence[Sequence[Any]], kind: pa.DataType) -> pa.ListArray:
    return pa.ListArray.from_arrays(_offsets(rows), pa.array(list(chain.from_iterable(rows)), kind))


def _offsets(rows: Sequence[Sequence[Any]]) -> pa.Array:
    return pa.array(list(accumulate(map(len, rows), initial=0)), pa.int32())


def _predicates(sentences: Sequence[Sentence]) -> pa.ListArray:
    rows = [sentence.predicates for sentence in sentences]
    predicates = [predicate for row in rows for predicate in row]
    arguments = [argument for predicate in predicates for argument in predicate.arguments]
    cases, argument_tokens, relations = _columns(arguments, 3)
    argument_structs = pa.StructArray.from_arrays(
        [
            pa.array(cases, pa.string()),
            pa.array(argument_tokens, pa.int32()),
            pa.array(relations, pa.string()),
        ],
        ["case", "token", "relation"],
    )
    predicate_tokens, voices, argument_lists = _columns(predicates, 3)
    predicate_structs = pa.StructArray.from_arrays(
        [
            pa.array(predicate_tokens, pa.int32()),
            pa.array(voices, pa.string()),
            pa.ListArray.from_arrays(_offsets(argument_lists), argument_structs),
        ],
        ["token", "alt", "arguments"],
    )
    return pa.ListArray.from_arrays(_offsets(rows), predicate_structs)


def _columns(rows: Sequence[Sequence[Any]], width: int) -> list[Sequence[Any]]:
    """Turn the first ``width`` values of rows into columns, also when there is no row."""
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * width
    return columns[:width]


def _chunk(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    return column


def _numbers(array: pa.Array) -> Int64:
    return np.asarray(array.to_numpy(zero_copy_only=False), dtype=np.int64)


def flat_numbers(column: pa.ChunkedArray | pa.Array) -> tuple[Int64, Int64]:
    """Return offsets from 0, and the flat values of a column of lists of numbers."""
    offsets, values = _flat_structs(column)
    return offsets, _numbers(values)


def _flat_structs(column: pa.ChunkedArray | pa.Array) -> tuple[Int64, pa.Array]:
    """Return offsets from 0 and the flat values of a list column (slices respected)."""
    array = _chunk(column)
    offsets = _numbers(array.offsets)
    return offsets - offsets[0] if len(offsets) else np.zeros(1, np.int64), array.flatten()
