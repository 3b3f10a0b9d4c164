"""Writes a corpus Parquet (`zarpipe.formats.corpus`), and reads what its metadata say of how it was made."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import ZarpipeError
from zarpipe.files import parse_json
from zarpipe.formats.corpus import CORPUS_SCHEMA, ROW_GROUP, SCHEMA_VERSION, check_corpus_file
from zarpipe.formats.parquet import parquet_file
from zarpipe.task.documents import Document, Removal
from zarpipe.task.projection import Projection

Read = TypeVar("Read")
_REMOVED = "zarpipe.removed"
_PROJECTION = "zarpipe.projection"


def to_batch(documents: Sequence[Document]) -> pa.RecordBatch:
    """Return one row per sentence, in the given order, with the columns of ``CORPUS_SCHEMA``."""
    rows = [
        (
            document.doc_id,
            sentence.sent_id,
            sentence.tokens,
            sentence.lemmas,
            sentence.pos,
            sentence.pos_sub,
            sentence.bunsetsu,
            sentence.heads,
            [(one.token, one.alt, [mention[:3] for mention in one.arguments]) for one in sentence.predicates],
        )
        for document in documents
        for sentence in document.sentences
    ]
    columns = zip(*rows, strict=True) if rows else [()] * len(CORPUS_SCHEMA)
    return pa.record_batch(
        [pa.array(*one) for one in zip(columns, CORPUS_SCHEMA.types, strict=True)], CORPUS_SCHEMA
    )


class CorpusWriter:
    """Writes batches to a corpus Parquet in row groups of at most ``ROW_GROUP`` rows.

    Holds back less than one row group.

    ``sources``, a digest of what the rows are made from, becomes the metadata ``zarpipe.sources``.
    """

    def __init__(self, stream: BinaryIO, sources: str) -> None:
        self._stream = stream
        self._sources = sources
        self._writer: pq.ParquetWriter | None = None
        self._waiting: list[pa.RecordBatch] = []
        self._rows = 0

    def write(self, batch: pa.RecordBatch, tagset: Tagset) -> None:
        """Add rows. All have the same tagset, which becomes the metadata ``zarpipe.tagset``."""
        self._waiting.append(batch)
        self._rows += batch.num_rows
        if self._rows >= ROW_GROUP:
            self._flush(tagset)

    def close(
        self,
        tagset: Tagset,  # the corpus's tagset
        # (case, rule) -> annotated arguments that are not labelled; becomes the metadata ``zarpipe.removed``
        removed: Mapping[tuple[str, Removal], int],
        segmenter: str | None = None,  # what cut the sentences into words; None if they are the corpus's own
        # what became of the annotation then; with the segmenter it becomes the metadata
        # ``zarpipe.projection``
        projection: Mapping[Projection, int] | None = None,
    ) -> None:
        """Write what is held back and the end of the file."""
        writer = self._flush(tagset)
        numbers: dict[str, dict[str, int]] = {}
        for (case, rule), count in sorted(removed.items(), key=lambda item: (item[0][1].value, item[0][0])):
            numbers.setdefault(rule.value, {})[case] = count
        metadata = {_REMOVED: json.dumps(numbers)}
        if segmenter is not None:
            counts = {one.value: (projection or {}).get(one, 0) for one in Projection}
            metadata[_PROJECTION] = json.dumps({"segmenter": segmenter, **counts})
        writer.add_key_value_metadata(metadata)
        writer.close()

    def discard(self) -> None:
        """Close the file without its end; it is not readable."""
        self._waiting.clear()
        if self._writer is not None:
            self._writer.close()

    def _flush(self, tagset: Tagset) -> pq.ParquetWriter:
        if self._writer is None:
            schema = CORPUS_SCHEMA.with_metadata(self._metadata(tagset))
            self._writer = pq.ParquetWriter(
                self._stream, schema, compression="zstd", write_page_checksum=True
            )
        table = pa.Table.from_batches(self._waiting, CORPUS_SCHEMA).combine_chunks().cast(self._writer.schema)
        if table.num_rows:
            self._writer.write_table(table, row_group_size=ROW_GROUP)
        self._waiting, self._rows = [], 0
        return self._writer

    def _metadata(self, tagset: Tagset) -> dict[str, str]:
        return {"zarpipe.schema": SCHEMA_VERSION, "zarpipe.sources": self._sources, "zarpipe.tagset": tagset}


def read_removed(path: str | Path) -> Counter[tuple[str, Removal]]:
    """Read (case, rule) -> annotated arguments that are not labelled; nothing if the file does not say it."""
    return _read_metadata(
        path,
        _REMOVED,
        lambda rules: Counter(
            {
                (case, Removal(rule)): int(count)
                for rule, cases in rules.items()
                for case, count in cases.items()
            }
        ),
    )


def read_projection(path: str | Path) -> tuple[str, Counter[Projection]] | None:
    """Read which program cut the sentences into words, and what became of the annotation.

    Returns None for a corpus in its own words.
    """

    def projection(numbers: dict[str, Any]) -> tuple[str, Counter[Projection]] | None:
        if not numbers:
            return None
        segmenter = str(numbers.pop("segmenter"))
        return segmenter, Counter({Projection(name): int(count) for name, count in numbers.items()})

    return _read_metadata(path, _PROJECTION, projection)


def _read_metadata(path: str | Path, name: str, read: Callable[[dict[str, Any]], Read]) -> Read:
    """Read an object in the metadata of the file's footer; an empty one if there is none."""
    check_corpus_file(path, [])
    with parquet_file(path) as file:
        written = (file.metadata.metadata or {}).get(name.encode(), b"{}")
    try:
        return read(parse_json(written))
    except (ValueError, KeyError, AttributeError, TypeError):
        raise ZarpipeError(
            f"{path}: found other values in the metadata {name} than `zarpipe convert` writes. Convert the "
            "corpus again"
        ) from None
