"""Finished blocks of an unfinished feature file, so that an interrupted job goes on where it stopped.

They lie beside the job's folder, whose key says all that decides them. Each is a file of its own that appears
only when whole, with its checksum at the end, so that nothing needs locks.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zarpipe.arrays import Float16
from zarpipe.errors import ZarpipeError
from zarpipe.files import whole_stream
from zarpipe.formats.features import block_checksum

_CHECKSUM_BYTES = 32


@dataclass(frozen=True)
class BlockStore:
    """Keeps blocks of hidden states between runs: in a folder, each with D columns."""

    folder: Path
    hidden_size: int

    def has(self, number: int, rows: int) -> bool:
        """Tell whether a block of this size is there (its checksum is verified when it is read)."""
        try:
            return self._path(number).stat().st_size == rows * self.hidden_size * 2 + _CHECKSUM_BYTES
        except OSError:
            return False

    def write(self, number: int, rows: Float16) -> None:
        """Keep a finished block."""
        try:
            self._write(number, rows)
        except ZarpipeError:
            # Another process at the same work may have finished and removed the folder at this moment.
            self._write(number, rows)

    def _write(self, number: int, rows: Float16) -> None:
        with whole_stream(self._path(number)) as stream:
            stream.write(np.ascontiguousarray(rows).data)
            stream.write(block_checksum(rows))

    def read(self, number: int) -> Float16 | None:
        """Return a block, or None when it is missing or damaged."""
        try:
            content = self._path(number).read_bytes()
        except OSError:
            return None
        if len(content) < _CHECKSUM_BYTES or (len(content) - _CHECKSUM_BYTES) % (2 * self.hidden_size):
            return None
        rows = np.frombuffer(content[:-_CHECKSUM_BYTES], np.float16).reshape(-1, self.hidden_size)
        return rows if block_checksum(rows) == content[-_CHECKSUM_BYTES:] else None

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06d}.block"
