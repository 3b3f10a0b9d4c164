"""Write a feature file and its manifest; the reader is ``zarpipe.encode.features``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from zarpipe.encode.features import (
    FORMAT_VERSION,
    Float16,
    Int64,
    UInt8,
    block_checksum,
    datasets_digest,
    manifest_path,
)
from zarpipe.files import whole_file, write_json

_PAGE_BYTES = 4096


def write_features(
    path: str | Path,
    blocks: Iterable[Float16],
    hidden_size: int,
    offsets: Int64,
    instance_sequence: Int64,
    provenance: dict[str, Any],
) -> dict[str, Any]:
    """Write a feature file, then its manifest; both appear only when whole.

    Args:
        path: the HDF5 file; the manifest is beside it with the ending ``.json``.
        blocks: [rows, D] float16 arrays that make up ``hidden`` in order, one checksum each. They may be read
            lazily: one block is in memory at a time.
        hidden_size: D.
        offsets: [S + 1] int64, rows of each sequence.
        instance_sequence: [n] int64, sequence of each instance.
        provenance: what the file was made from; ``format_version``, ``hidden_size`` and ``digest`` are added.

    Returns:
        The provenance as stored.
    """
    with whole_file(path) as temporary, _page_aligned(temporary) as file:
        hidden = file.create_dataset("hidden", (int(offsets[-1]), hidden_size), np.float16)
        block_offsets, block_sha256 = _write_blocks(hidden, blocks)
        digest = datasets_digest(hidden_size, offsets, instance_sequence, block_offsets, block_sha256)
        fixed = {"format_version": FORMAT_VERSION, "hidden_size": hidden_size}
        stored = {**fixed, **provenance, "digest": digest}
        file["offsets"], file["instance_sequence"] = offsets, instance_sequence
        file["block_offsets"], file["block_sha256"] = block_offsets, block_sha256
        file.attrs["provenance"] = json.dumps(stored, ensure_ascii=False, sort_keys=True)
    write_json(manifest_path(path), dict(sorted(stored.items())))
    return stored


def _page_aligned(path: Path) -> h5py.File:
    """Create a file whose rows begin at a page of memory."""
    page = {"alignment_threshold": _PAGE_BYTES, "alignment_interval": _PAGE_BYTES}
    return h5py.File(path, "w", locking=False, **page)


def _write_blocks(hidden: h5py.Dataset, blocks: Iterable[Float16]) -> tuple[Int64, UInt8]:
    bounds, checksums = [0], [np.empty((0, 32), np.uint8)]
    for block in blocks:
        hidden[bounds[-1] : bounds[-1] + len(block)] = block
        bounds.append(bounds[-1] + len(block))
        checksums.append(np.frombuffer(block_checksum(block), np.uint8)[None])
    if bounds[-1] != len(hidden):
        raise ValueError(f"the blocks hold {bounds[-1]} rows, the offsets {len(hidden)}")
    return np.array(bounds, np.int64), np.concatenate(checksums)
