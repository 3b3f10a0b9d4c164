"""Reading and writing of Parquet files, whatever their names look like.

pyarrow takes a name such as ``~/r`` for the home folder and ``a:b`` for a URI, so it gets the open file.

The pages of a file have checksums of their own, its footer has none: one bit there renames a column, or makes
a number another one. So the metadata carry ``zarpipe.columns``, the digest of each column as JSON, and
``zarpipe.sha256``, the digest of all other metadata. A file without them is taken as it is.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from zarpipe.arrays import Int64
from zarpipe.errors import ZarpipeError
from zarpipe.files import whole_stream

_DIGEST = "zarpipe.sha256"
_COLUMNS = "zarpipe.columns"


@contextmanager
def parquet_file(path: str | Path) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file; its pages' checksums are verified. Raises OSError or pyarrow.ArrowException."""
    with pa.OSFile(os.fsencode(path)) as file:
        with _arrow_errors():
            opened = pq.ParquetFile(file, page_checksum_verification=True)
            opened.schema_arrow  # noqa: B018 (read here, where damage is explained)
        yield opened


@contextmanager
def _arrow_errors() -> Iterator[None]:
    """Let whatever pyarrow stumbles over in a damaged file be one kind of error."""
    try:
        yield
    except (pa.ArrowException, OSError):
        raise
    except (ValueError, KeyError, RuntimeError, OverflowError, MemoryError) as error:
        raise pa.ArrowInvalid(str(error)) from error


def read_parquet(path: str | Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a Parquet file, or the named columns of it. Raises OSError or pyarrow.ArrowException."""
    with parquet_file(path) as file, _arrow_errors():
        return file.read(columns=None if columns is None else list(columns))


def write_parquet(path: str | Path, table: pa.Table, metadata: Mapping[str, str]) -> None:
    """Write a table with its digests so that the file is never half-written."""
    digests = ColumnDigests()
    digests.add(table)
    table = table.replace_schema_metadata({**metadata, **digests.metadata(metadata)})
    with whole_stream(path) as stream:
        pq.write_table(table, stream, compression="zstd", write_page_checksum=True)


def check_digests(path: str | Path, table: pa.Table, remedy: str, whole: bool = True) -> None:
    """Raise ZarpipeError when a table is not what was written; one without digests is taken as it is.

    Args:
        path: its file, for the message.
        table: columns of the file, with all of its metadata.
        remedy: the command that makes it again.
        whole: all columns were read, so that none may be missing.
    """
    metadata = dict(table.schema.metadata or {})
    written = metadata.pop(_DIGEST.encode(), None)
    if written is None:
        return
    problem: str | None = "its metadata do not fit their checksum"
    if written == _metadata_digest(metadata).encode():
        wanted = json.loads(metadata[_COLUMNS.encode()])
        problem = _column_problem(wanted, table, whole)
    if problem:
        raise ZarpipeError(
            f"{path}: damaged or changed: {problem}; make it again with {remedy}, or, if you have changed "
            f"it on purpose, write it without the metadata {_DIGEST}"
        )


def json_metadata(path: str | Path, table: pa.Table, key: str, remedy: str) -> dict[str, Any]:
    """Return what a table's metadata say as JSON under a key; empty without the key.

    Args:
        path: its file, for the message.
        table: with its metadata.
        key: such as ``zarpipe.variant``.
        remedy: what to do when it is no JSON object.

    Raises:
        ZarpipeError: it is none.
    """
    try:
        found = json.loads((table.schema.metadata or {}).get(key.encode(), b"{}"))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ZarpipeError(f"{path}: its metadata {key} is no JSON object; {remedy}")
    return found


def one_chunk(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return a column as one array."""
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    return column


def numbers(values: pa.Array) -> Int64:
    """Return numbers, none of them null."""
    return np.asarray(values.to_numpy(zero_copy_only=False), np.int64)


def flat(column: pa.ChunkedArray | pa.Array) -> tuple[Int64, pa.Array]:
    """Return offsets from 0 and the flat values of a column of lists (slices respected)."""
    lists = one_chunk(column)
    offsets = numbers(lists.offsets)
    return offsets - offsets[0] if len(offsets) else np.zeros(1, np.int64), lists.flatten()


class ColumnDigests:
    """Digests of the columns of a table that is written in parts; how it is cut does not matter."""

    def __init__(self) -> None:
        self._leaves: dict[str, dict[str, Any]] = {}

    def add(self, part: pa.Table | pa.RecordBatch) -> None:
        """Take in the next rows."""
        for name in part.schema.names:
            leaves = self._leaves.setdefault(name, {})
            column = part[name]
            chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
            for chunk in chunks or [pa.array([], column.type)]:
                _add_values(leaves, "", chunk)

    def columns(self) -> dict[str, str]:
        """Return the digest of each column."""
        return {name: _combined(leaves) for name, leaves in self._leaves.items()}

    def metadata(self, other: Mapping[str, str]) -> dict[str, str]:
        """Return the metadata that hold the digests.

        Args:
            other: all other metadata of the file, whose digest they hold too.
        """
        columns = json.dumps(self.columns(), ensure_ascii=False, sort_keys=True)
        whole = {key.encode(): value.encode() for key, value in {**other, _COLUMNS: columns}.items()}
        return {_COLUMNS: columns, _DIGEST: _metadata_digest(whole)}


def _column_problem(wanted: Mapping[str, str], table: pa.Table, whole: bool) -> str | None:
    digests = ColumnDigests()
    digests.add(table)
    found = digests.columns()
    if whole and (missing := wanted.keys() - found.keys()):
        return f"column {min(missing)!r} is missing"
    wrong = [name for name in found if name in wanted and found[name] != wanted[name]]
    return f"column {wrong[0]!r} does not fit its checksum" if wrong else None


def _metadata_digest(metadata: Mapping[bytes, bytes]) -> str:
    digest = hashlib.sha256()
    for key, value in sorted(metadata.items()):
        digest.update(b"%d %s %d %s" % (len(key), key, len(value), value))
    return digest.hexdigest()


def _add_values(leaves: dict[str, Any], place: str, values: pa.Array) -> None:
    """Feed an array to the digests of its leaves: lengths, texts, numbers, and which are null."""
    if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        _add_bytes(leaves, f"{place}/lengths", _numbers(pc.list_value_length(values), np.int64))
        _add_values(leaves, f"{place}/items", values.flatten())
    elif pa.types.is_struct(values.type):
        for field, inner in zip(values.type, values.flatten(), strict=True):
            _add_values(leaves, f"{place}/{field.name}", inner)
    elif pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        _add_bytes(leaves, f"{place}/lengths", _numbers(pc.binary_length(values), np.int64))
        _add_bytes(leaves, f"{place}/text", "".join(values.drop_null().to_pylist()).encode())
    else:
        _add_bytes(leaves, f"{place}/{values.type}", _numbers(values, None))
        _add_bytes(leaves, f"{place}/nulls", np.asarray(values.is_null().to_numpy(zero_copy_only=False)))


def _numbers(values: pa.Array, dtype: Any) -> Any:
    """Return numbers without nulls: -1 for a null (which no length is)."""
    filled = values if values.null_count == 0 else pc.fill_null(values, -1)
    return np.ascontiguousarray(filled.to_numpy(zero_copy_only=False), dtype)


def _add_bytes(leaves: dict[str, Any], place: str, values: Any) -> None:
    leaves.setdefault(place, hashlib.sha256()).update(values)


def _combined(leaves: Mapping[str, Any]) -> str:
    digest = hashlib.sha256()
    for place, leaf in sorted(leaves.items()):
        digest.update(f"{place} {leaf.hexdigest()}\n".encode())
    return digest.hexdigest()
