"""The feature file: final hidden states of the frozen MLM, read by memory map.

======================  =================  ============================================================
name                    type               meaning
======================  =================  ============================================================
``hidden``              [N, D] float16     one row per token of every encoded sequence, contiguous; several
                                           layers stand side by side in it, so that those of a sequence are
                                           one block
``offsets``             [S + 1] int64      rows of sequence s are ``offsets[s]:offsets[s + 1]``
``instance_sequence``   [n] int64          sequence of each instance, in the order of ``read_instances``, or
                                           of each sentence where all are encoded; a value v < 0 is sequence
                                           ``-1 - v`` of the originals' file
``block_offsets``       [B + 1] int64      rows of checksum block b
``block_sha256``        [B, 32] uint8      SHA-256 of each block's bytes
======================  =================  ============================================================

The attribute ``provenance`` is JSON text: what the file was made from, and ``digest``, over all data sets, by
which other files name it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import h5py
import numpy as np

from zarpipe import job_folders
from zarpipe.arrays import Float16, Int64, UInt8
from zarpipe.errors import ZarpipeError
from zarpipe.files import parse_json, whole_stream
from zarpipe.formats.hdf5 import own_dataset, read_attribute, write_attribute

FORMAT_VERSION = 1
_PAGE_BYTES = 4096
# What stands for a token, as in the paper; the provenance names what is not.
TOKEN_STATES: dict[str, Any] = {"layers": "last", "pooling": "first", "mixed_layers": None}
# What the provenance says where every sentence is encoded, also those without a predicate.
ALL_SENTENCES = "all_sentences"
# Data sets, and their dimensions.
DATASETS = {"hidden": 2, "offsets": 1, "instance_sequence": 1, "block_offsets": 1, "block_sha256": 2}


@dataclass(frozen=True)
class Features:
    """An opened feature file; nothing of ``hidden`` is in memory until it is touched."""

    path: Path
    hidden: Float16  # [N, D], a read-only memory map
    offsets: Int64  # [S + 1], first row of each sequence
    instance_sequence: Int64  # [n], sequence of each instance; negative values point to the originals' file
    provenance: dict[str, Any]  # what the file was made from (see the module's text)
    block_offsets: Int64  # [B + 1], rows of the checksum blocks
    block_sha256: UInt8  # [B, 32], their checksums
    checked: bool = False  # whether all bytes of the file have been compared with what its job wrote

    @classmethod
    def open(cls, path: str | Path) -> Features:
        """Open a feature file and check that its parts fit together.

        Raises ZarpipeError: the file is missing, damaged, or not a feature file of this version.
        """
        path = Path(path)
        if not path.is_file():
            found = "a folder" if path.is_dir() else "no such file"
            raise ZarpipeError(f"{path}: {found}; expected a feature file of `zarpipe encode`")
        checked = job_folders.check(path)
        try:
            with h5py.File(path, "r", locking=False) as file:
                features = _read(path, file, checked)
        except (OSError, KeyError, ValueError, RuntimeError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ZarpipeError(
                f"{path}: cannot be read as a feature file ({reason}); make it again with `zarpipe encode`"
            ) from error
        features._check_shapes()
        return features

    @property
    def hidden_size(self) -> int:
        """D, the size of a hidden state."""
        return int(self.hidden.shape[1])

    @property
    def lengths(self) -> Int64:
        """[S] int64, tokens of each sequence."""
        return np.diff(self.offsets)

    def check_corpus(self, corpus_digest: str) -> None:
        """Raise ZarpipeError unless the file was made from the corpus Parquet with this SHA-256."""
        if self.provenance.get("corpus") != corpus_digest:
            raise ZarpipeError(
                f"{self.path}: made from another corpus (its corpus digest is "
                f"{str(self.provenance.get('corpus'))[:12]}, the corpus has {corpus_digest[:12]}); "
                "give the corpus that it belongs to, or encode again with `zarpipe encode`"
            )

    def check_originals(self, originals: Features) -> None:
        """Raise ZarpipeError unless ``originals`` is the file that negative sequence numbers point to."""
        wanted, found = self.provenance.get("originals"), originals.provenance.get("digest")
        outside = int(self.instance_sequence.min(initial=0)) < -len(originals.lengths)
        if (wanted is not None and wanted != found) or outside:
            raise ZarpipeError(
                f"{self.path}: belongs to other original features (digest {str(wanted)[:12]}) than "
                f"{originals.path} (digest {str(found)[:12]}); encode the variant again with `zarpipe encode`"
            )

    def gather(self, sequences: Sequence[int] | Int64) -> Float16:
        """Copy the rows of these sequences, one after the other, to a new [M, D] float16 array."""
        numbers = np.asarray(sequences, dtype=np.int64)
        starts, ends = self.offsets[numbers], self.offsets[numbers + 1]
        rows = np.empty((int((ends - starts).sum()), self.hidden.shape[1]), np.float16)
        # A plain view: slicing a memmap object costs as much as copying a short sentence.
        hidden = self.hidden.view(np.ndarray)
        target = 0
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            rows[target : (target := target + end - start)] = hidden[start:end]
        return rows

    def damaged_blocks(self) -> list[int]:
        """Read every row and return the blocks whose checksum is wrong (empty when the file is sound)."""
        bounds = zip(self.block_offsets[:-1].tolist(), self.block_offsets[1:].tolist(), strict=True)
        return [
            block
            for block, (start, end) in enumerate(bounds)
            if block_checksum(self.hidden[start:end]) != self.block_sha256[block].tobytes()
        ]

    def check_whole(self) -> None:
        """Raise ZarpipeError when a block's bytes are not those that were written.

        Nothing is read for a file that has been compared with what its job wrote.
        """
        damaged = [] if self.checked else self.damaged_blocks()
        if damaged:
            raise ZarpipeError(
                f"{self.path}: {len(damaged)} of {len(self.block_sha256)} blocks are damaged (checksum); "
                "delete the file and make it again with `zarpipe encode`"
            )

    def _check_shapes(self) -> None:
        problem = (
            _version_problem(self.provenance)
            or _offsets_problem(self.offsets, len(self.hidden))
            or _offsets_problem(self.block_offsets, len(self.hidden))
            or self._sequence_problem()
        )
        if problem:
            raise ZarpipeError(
                f"{self.path}: not a usable feature file: {problem}; make it again with `zarpipe encode`"
            )

    def _sequence_problem(self) -> str | None:
        numbers = self.instance_sequence
        if len(numbers) and int(numbers.max()) >= len(self.offsets) - 1:
            return f"an instance points to sequence {int(numbers.max())} of {len(self.offsets) - 1}"
        if len(self.block_sha256) != len(self.block_offsets) - 1:
            return "a block has no checksum"
        if len(numbers) and int(numbers.min()) < 0 and self.provenance.get("originals") is None:
            return "an instance points to an originals' file, but the provenance names none"
        return None


def read_provenance(path: str | Path) -> dict[str, Any]:
    """Return what a feature file says that it was made from; the hidden states stay unread.

    Raises ZarpipeError: the file is missing or no feature file.
    """
    try:
        with h5py.File(path, "r", locking=False) as file:
            return _provenance(file)
    except (OSError, KeyError, ValueError) as error:
        raise ZarpipeError(f"{path}: cannot be read as a feature file ({error})") from error


def token_states(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands for a token, of the provenance of features or of what was made of them.

    Returns ``layers`` and ``pooling`` (section `encoding` of the configuration; what was written before there
    was a choice has none, and is as in the paper), and ``mixed_layers``, the number of layers in a row whose
    mean a tagger learns, or None.
    """
    return {key: provenance.get(key, default) for key, default in TOKEN_STATES.items()}


def block_checksum(rows: Float16) -> bytes:
    """Return the SHA-256 of the rows' bytes (32 bytes)."""
    return hashlib.sha256(np.ascontiguousarray(rows).data).digest()


def _datasets_digest(hidden_size: int, *datasets: Int64 | UInt8) -> str:
    """Return one SHA-256 over all data sets; the hidden states enter by their blocks' checksums."""
    digest = hashlib.sha256(f"{FORMAT_VERSION} {hidden_size}".encode())
    for values in datasets:
        digest.update(f"{values.dtype.str} {values.shape}".encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def _read(path: Path, file: h5py.File, checked: bool) -> Features:
    datasets = {name: own_dataset(file, name, dimensions) for name, dimensions in DATASETS.items()}
    numbers = {name: datasets[name][()] for name in DATASETS if name != "hidden"}
    return Features(
        path,
        _memory_map(path, datasets["hidden"]),
        numbers["offsets"].astype(np.int64),
        numbers["instance_sequence"].astype(np.int64),
        _provenance(file),
        numbers["block_offsets"].astype(np.int64),
        numbers["block_sha256"],
        checked,
    )


def _provenance(file: h5py.File) -> dict[str, Any]:
    provenance = parse_json(read_attribute(file, "provenance"))
    if not isinstance(provenance, dict) or not isinstance(provenance.get("digest"), str):
        raise ValueError("its provenance is no JSON object with a digest")
    return provenance


def _memory_map(path: Path, dataset: h5py.Dataset) -> Float16:
    if dataset.dtype != np.float16:
        raise ValueError(f"`hidden` is {dataset.dtype}, expected [N, D] float16")
    if dataset.size == 0:
        return np.empty(dataset.shape, np.float16)
    at = dataset.id.get_offset()
    if at is None:
        raise ValueError("`hidden` is chunked or compressed, expected contiguous rows")
    return np.memmap(path, np.float16, mode="r", offset=at, shape=dataset.shape)


def _version_problem(provenance: dict[str, Any]) -> str | None:
    found = provenance.get("format_version")
    return None if found == FORMAT_VERSION else f"format version {found}, expected {FORMAT_VERSION}"


def _offsets_problem(offsets: Int64, rows: int) -> str | None:
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != rows or (np.diff(offsets) < 0).any():
        return f"its offsets do not cover its {rows} rows"
    return None


def write_features(
    path: str | Path,
    # [rows, D] arrays that make up ``hidden`` in order, one checksum each. They may be read lazily: one block
    # is in memory at a time.
    blocks: Iterable[Float16],
    hidden_size: int,  # D
    offsets: Int64,  # [S + 1], rows of each sequence
    instance_sequence: Int64,  # [n], sequence of each instance
    # what the file was made from; ``format_version``, ``hidden_size`` and ``digest`` are added
    provenance: dict[str, Any],
) -> dict[str, Any]:
    """Write a feature file, which appears only when whole.

    Returns the provenance as stored.
    """
    offsets, instance_sequence = np.asarray(offsets, np.int64), np.asarray(instance_sequence, np.int64)
    with whole_stream(path) as stream, _page_aligned(stream) as file:
        hidden = file.create_dataset("hidden", (int(offsets[-1]), hidden_size), np.float16)
        block_offsets, block_sha256 = _write_blocks(hidden, blocks)
        digest = _datasets_digest(hidden_size, offsets, instance_sequence, block_offsets, block_sha256)
        fixed = {"format_version": FORMAT_VERSION, "hidden_size": hidden_size}
        stored = {**fixed, **provenance, "digest": digest}
        file["offsets"], file["instance_sequence"] = offsets, instance_sequence
        file["block_offsets"], file["block_sha256"] = block_offsets, block_sha256
        write_attribute(file, "provenance", json.dumps(stored, ensure_ascii=False, sort_keys=True))
    return stored


def _page_aligned(stream: BinaryIO) -> h5py.File:
    """Begin a file whose rows begin at a page of memory."""
    page = {"alignment_threshold": _PAGE_BYTES, "alignment_interval": _PAGE_BYTES}
    return h5py.File(stream, "w", **page)


def _write_blocks(hidden: h5py.Dataset, blocks: Iterable[Float16]) -> tuple[Int64, UInt8]:
    bounds, checksums = [0], [np.empty((0, 32), np.uint8)]
    for block in blocks:
        hidden[bounds[-1] : bounds[-1] + len(block)] = block
        bounds.append(bounds[-1] + len(block))
        checksums.append(np.frombuffer(block_checksum(block), np.uint8)[None])
    if bounds[-1] != len(hidden):
        raise ValueError(f"the blocks hold {bounds[-1]} rows, the offsets {len(hidden)}")
    return np.array(bounds, np.int64), np.concatenate(checksums)
