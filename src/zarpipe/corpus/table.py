"""Documents as rows of the corpus Parquet, and the file writer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from zarpipe.corpus.documents import Document, Sentence, Token
from zarpipe.corpus.schema import CORPUS_SCHEMA, SCHEMA_VERSION

# Readers that take one row group at a time stay small, and arrow reads nested columns of larger ones badly.
ROW_GROUP = 8192

_WORD_COLUMNS = ("tokens", "lemmas", "pos", "pos_sub")


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
        path: the file.
        sources: digest of what the rows are made from; becomes the metadata ``zarpipe.sources``.
    """

    def __init__(self, path: Path, sources: str) -> None:
        metadata = {"zarpipe.schema": SCHEMA_VERSION, "zarpipe.sources": sources}
        self._writer = pq.ParquetWriter(
            path, CORPUS_SCHEMA.with_metadata(metadata), compression="zstd", write_page_checksum=True
        )
        self._waiting: list[pa.RecordBatch] = []
        self._rows = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows."""
        self._waiting.append(batch)
        self._rows += batch.num_rows
        if self._rows >= ROW_GROUP:
            self._flush()

    def close(self) -> None:
        """Write what is held back and the end of the file."""
        self._flush()
        self._writer.close()

    def discard(self) -> None:
        """Close the file without its end; it is not readable."""
        self._waiting.clear()
        self._writer.close()

    def _flush(self) -> None:
        table = pa.Table.from_batches(self._waiting, CORPUS_SCHEMA).combine_chunks().cast(self._writer.schema)
        if table.num_rows:
            self._writer.write_table(table, row_group_size=ROW_GROUP)
        self._waiting, self._rows = [], 0


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
    """Turn rows into ``width`` columns, also when there is no row."""
    return list(zip(*rows, strict=True)) if rows else [()] * width
