"""Reading and writing of Parquet files, whatever their names look like.

pyarrow takes a name such as ``~/r`` for the home folder and ``a:b`` for a URI, so it gets the open file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from zarpipe.arrays import Int64
from zarpipe.files import whole_stream


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


def write_parquet(path: str | Path, table: pa.Table, metadata: Mapping[str, str] | None = None) -> None:
    """Write a table so that the file is never half-written."""
    with whole_stream(path) as stream:
        pq.write_table(
            table.replace_schema_metadata(metadata), stream, compression="zstd", write_page_checksum=True
        )


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
