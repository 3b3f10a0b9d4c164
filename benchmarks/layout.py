"""Measures how fast sequences are read from HDF5 files of different layouts, and how large the files are.

    python benchmarks/layout.py [--rows 200000] [--hidden-size 768]

Each layout holds the same hidden states (float16) and is read by the same random sequences from a warm cache.
The first line is the layout that zarpipe writes and reads; the second reads the same file through h5py.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

Float16 = npt.NDArray[np.float16]
Read = Callable[[int, int], Float16]

_MEAN_LENGTH = 26
_SECONDS = 2.0
# What h5py.File.create_dataset is given.
_LAYOUTS: dict[str, dict[str, Any]] = {
    "contiguous": {},
    "chunks (64, D)": {"chunks": 64},
    "chunks (64, D), fletcher32": {"chunks": 64, "fletcher32": True},
    "automatic chunks": {"chunks": True},
    "chunks (64, D), gzip-1, shuffle": {
        "chunks": 64,
        "compression": "gzip",
        "compression_opts": 1,
        "shuffle": True,
    },
    "chunks (64, D), lzf, shuffle": {"chunks": 64, "compression": "lzf", "shuffle": True},
}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--hidden-size", type=int, default=768)
    arguments = parser.parse_args()
    generator = np.random.default_rng(1)
    hidden = _hidden_states(arguments.rows, arguments.hidden_size, generator)
    lengths = generator.poisson(_MEAN_LENGTH - 1, arguments.rows // _MEAN_LENGTH // 2) + 1
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    print(f"{'layout':40}{'size':>8}{'sequences/s':>14}{'GB/s':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, options in _LAYOUTS.items():
            path = Path(folder) / "layout.h5"
            _write(path, hidden, options)
            readers = (
                {"h5py": _through_h5py} if options else {"memory map": _memory_map, "h5py": _through_h5py}
            )
            for reader, opened in readers.items():
                with opened(path) as read:
                    sequences, rate = _speed(read, offsets, generator)
                size = path.stat().st_size / hidden.nbytes
                print(f"{name + ', ' + reader:40}{size:>8.2f}{sequences:>14,.0f}{rate:>8.2f}", flush=True)


def _hidden_states(rows: int, hidden_size: int, generator: np.random.Generator) -> Float16:
    """Return rows whose columns differ in mean and spread, as the columns of a BERT do."""
    spread = generator.lognormal(-1, 0.5, hidden_size).astype(np.float32)
    mean = generator.standard_normal(hidden_size).astype(np.float32) / 4
    hidden = np.empty((rows, hidden_size), np.float16)
    for start in range(0, rows, 8192):
        block = hidden[start : start + 8192]
        block[:] = generator.standard_normal(block.shape, np.float32) * spread + mean
    return hidden


def _write(path: Path, hidden: Float16, options: dict[str, Any]) -> None:
    given = dict(options)
    if isinstance(given.get("chunks"), int) and given["chunks"] is not True:
        given["chunks"] = (given["chunks"], hidden.shape[1])
    with h5py.File(path, "w") as file:
        file.create_dataset("hidden", data=hidden, **given)


@contextmanager
def _memory_map(path: Path) -> Iterator[Read]:
    with h5py.File(path, "r", locking=False) as file:
        dataset = file["hidden"]
        at, shape = dataset.id.get_offset(), dataset.shape
    hidden = np.memmap(path, np.float16, mode="r", offset=at, shape=shape)
    yield lambda start, end: np.array(hidden[start:end])


@contextmanager
def _through_h5py(path: Path) -> Iterator[Read]:
    with h5py.File(path, "r", locking=False) as file:
        dataset = file["hidden"]
        yield lambda start, end: dataset[start:end]


def _speed(read: Read, offsets: npt.NDArray[np.int64], generator: np.random.Generator) -> tuple[float, float]:
    """Read random sequences for some seconds; return sequences and gigabytes per second."""
    chosen = generator.integers(0, len(offsets) - 1, 100_000)
    bounds = np.stack([offsets[chosen], offsets[chosen + 1]], axis=1).tolist()
    for start, end in bounds[:500]:
        read(start, end)
    size, count, begin = 0, 0, time.perf_counter()
    for start, end in bounds:
        size += read(start, end).nbytes
        count += 1
        if time.perf_counter() - begin > _SECONDS:
            break
    seconds = time.perf_counter() - begin
    return count / seconds, size / seconds / 1e9


if __name__ == "__main__":
    main()
