"""Ragged arrays (offsets and flat values) and the types of arrays that are used everywhere."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bool = npt.NDArray[np.bool_]
Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]
UInt8 = npt.NDArray[np.uint8]
Float16 = npt.NDArray[np.float16]
Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
Floats = npt.NDArray[np.floating]


def expand(starts: Int64, lengths: Int64) -> Int64:
    """Concatenate ``arange(start, start + length)`` for every pair, without a Python loop."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    positions: Int64 = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    return positions


def any_of_each(flags: Bool, offsets: Int64) -> Bool:
    """Tell for each row of a ragged array whether any of its values is flagged: [N, ...] -> [n, ...].

    No row may be empty.
    """
    if len(offsets) == 1:
        return np.zeros((0, *flags.shape[1:]), bool)
    found: Bool = np.logical_or.reduceat(flags, offsets[:-1], axis=0)
    return found


def float32_digits(number: float) -> float:
    """Return a number without the digits that float32 does not have."""
    return float(f"{number:.6g}")
