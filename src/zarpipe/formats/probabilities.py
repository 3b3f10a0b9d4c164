"""The probabilities file beside a prediction Parquet: all probabilities of all tokens.

===================  ===============  ===================================================================
name                 type             meaning
===================  ===============  ===================================================================
``probabilities``    [N, C + 1]       float32: the C cases, then NONE, for each token of each instance
``offsets``          [n + 1] int64    tokens of instance i are ``offsets[i]:offsets[i + 1]``, in corpus order
===================  ===============  ===================================================================

It is an HDF5 file, ``A.probabilities.h5`` beside ``A.parquet``, that `zarpipe.tagger.predict` writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from zarpipe import job_folders
from zarpipe.arrays import Float32, Int64
from zarpipe.errors import ZarpipeError
from zarpipe.files import whole_stream
from zarpipe.formats.hdf5 import own_dataset
from zarpipe.task.cases import LABELS

# The probabilities of a token are a softmax in float32.
_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Probabilities:
    """Probabilities of one tagger on one split."""

    values: Float32  # [N, LABELS]
    offsets: Int64  # [n + 1]


def probabilities_path(predictions: str | Path) -> Path:
    """Return the probabilities file of a prediction Parquet."""
    return Path(predictions).with_suffix(".probabilities.h5")


def read_probabilities(path: str | Path) -> Probabilities:
    """Read a probabilities file. Raises ZarpipeError when it is missing, damaged, or holds something else."""
    job_folders.check(path)
    try:
        with h5py.File(path, "r", locking=False) as file:
            values, offsets = own_dataset(file, "probabilities", 2)[()], own_dataset(file, "offsets", 1)[()]
    except (OSError, KeyError, ValueError, RuntimeError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ZarpipeError(
            f"{path}: cannot be read as probabilities ({reason}); make it again with `zarpipe predict`"
        ) from error
    result = Probabilities(values, offsets)
    problem = _shape_problem(result) or _range_problem(values)
    if problem:
        raise ZarpipeError(f"{path}: {problem}; make it again with `zarpipe predict`")
    return result


def write_probabilities(path: Path, probabilities: Float32, offsets: Int64) -> None:
    """Write [N, LABELS] probabilities and [n + 1] offsets so that the file is never half-written."""
    with whole_stream(path) as stream, h5py.File(stream, "w") as file:
        file["probabilities"], file["offsets"] = probabilities, offsets


def _shape_problem(read: Probabilities) -> str | None:
    values, offsets = read.values, read.offsets
    if values.dtype != np.float32 or values.ndim != 2 or offsets.dtype != np.int64 or offsets.ndim != 1:
        return f"found {values.dtype} and {offsets.dtype}; expected [N, {LABELS}] float32 and [n + 1] int64"
    covers = len(offsets) and offsets[0] == 0 and (np.diff(offsets) >= 0).all()
    if not covers or values.shape != (offsets[-1], LABELS):
        return f"shapes do not fit: {values.shape} probabilities, whose offsets do not cover them"
    return None


def _range_problem(values: Float32) -> str | None:
    # A comparison with NaN is false, so the good ones are asked for.
    good = ((values >= 0) & (values <= 1 + _TOLERANCE)).all(axis=1)
    good &= np.abs(values.sum(axis=1, dtype=np.float64) - 1) <= _TOLERANCE
    if good.all():
        return None
    row = int(np.argmin(good))
    shown = ", ".join(f"{value:g}" for value in values[row])
    return f"row {row} (from 0): found {shown}; expected probabilities from 0 to 1 with the sum 1"
