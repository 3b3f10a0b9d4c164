"""Finished blocks of an unfinished feature file, so that an interrupted run goes on where it stopped.

The blocks lie in a hidden folder beside the output (or the job's folder), below a digest of everything that
decides their content. Each is a file of its own that appears only when whole, with its checksum at the end,
so that nothing needs locks: a second process at the same work, on this machine or another, finds what the
first has finished.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from zarpipe.arrays import Float16
from zarpipe.errors import ZarpipeError
from zarpipe.files import whole_stream
from zarpipe.formats.features import block_checksum
from zarpipe.job_folders import unfinished_folder

_CHECKSUM_BYTES = 32


class BlockStore:
    """Keeps blocks of hidden states between runs.

    Args:
        output: the feature file that the blocks are for.
        spec_digest: digest of everything that decides the blocks' content.
        hidden_size: columns of a block.
    """

    def __init__(self, output: Path, spec_digest: str, hidden_size: int) -> None:
        self._output = output
        self.folder = unfinished_folder(output) / spec_digest[:16]
        self._hidden_size = hidden_size

    def has(self, number: int, rows: int) -> bool:
        """Tell whether a block of this size is there (its checksum is verified when it is read)."""
        try:
            return self._path(number).stat().st_size == rows * self._hidden_size * 2 + _CHECKSUM_BYTES
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
        if len(content) < _CHECKSUM_BYTES or (len(content) - _CHECKSUM_BYTES) % (2 * self._hidden_size):
            return None
        rows = np.frombuffer(content[:-_CHECKSUM_BYTES], np.float16).reshape(-1, self._hidden_size)
        return rows if block_checksum(rows) == content[-_CHECKSUM_BYTES:] else None

    def remove(self) -> None:
        """Forget the blocks of this output, those of abandoned runs with other settings too."""
        shutil.rmtree(unfinished_folder(self._output), ignore_errors=True)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06d}.block"
