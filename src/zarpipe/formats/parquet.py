"""Reading of Parquet files, whatever their names look like.

pyarrow takes a name such as ``~/r`` for the home folder and ``a:b`` for a URI, so it gets the open file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


@contextmanager
def parquet_file(path: str | Path) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file; its pages' checksums are verified. Raises OSError or pyarrow.ArrowException."""
    with pa.OSFile(os.fsencode(path)) as file:
        yield pq.ParquetFile(file, page_checksum_verification=True)


def read_parquet(path: str | Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a Parquet file, or the named columns of it. Raises OSError or pyarrow.ArrowException."""
    with parquet_file(path) as file:
        return file.read(columns=None if columns is None else list(columns))
