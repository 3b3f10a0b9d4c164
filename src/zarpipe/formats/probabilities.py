"""The probabilities file beside a prediction Parquet: all probabilities of all tokens.

===================  ===============  ===================================================================
name                 type             meaning
===================  ===============  ===================================================================
``probabilities``    [N, C + 1]       float32: the C cases, then NONE, for each token of each instance
``offsets``          [n + 1] int64    tokens of instance i are ``offsets[i]:offsets[i + 1]``, in corpus order
===================  ===============  ===================================================================

It is an HDF5 file, ``A.probabilities.h5`` beside ``A.parquet``. The attribute ``provenance`` is JSON text
with the digests of corpus, features and tagger. The writer is `zarpipe.tagger.predict`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py

from zarpipe.arrays import Float32, Int64
from zarpipe.errors import ZarpipeError
from zarpipe.files import whole_stream
from zarpipe.task.cases import LABELS

FORMAT_VERSION = 1


@dataclass(frozen=True)
class Probabilities:
    """Probabilities of one tagger on one split.

    Attributes:
        values: [N, LABELS] float32.
        offsets: [n + 1] int64.
        provenance: corpus, features and tagger digests.
    """

    values: Float32
    offsets: Int64
    provenance: dict[str, Any]


def probabilities_path(predictions: str | Path) -> Path:
    """Return the probabilities file of a prediction Parquet."""
    return Path(predictions).with_suffix(".probabilities.h5")


def read_probabilities(path: str | Path) -> Probabilities:
    """Read a probabilities file. Raises ZarpipeError when it is missing or damaged."""
    try:
        with h5py.File(path, "r", locking=False) as file:
            result = Probabilities(
                file["probabilities"][()], file["offsets"][()], json.loads(file.attrs["provenance"])
            )
    except (OSError, KeyError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ZarpipeError(
            f"{path}: cannot be read as probabilities ({reason}); make it again with `zarpipe predict`"
        ) from error
    if result.values.shape != (result.offsets[-1], LABELS):
        raise ZarpipeError(f"{path}: shapes do not fit; make it again with `zarpipe predict`")
    return result


def write_probabilities(
    path: Path, probabilities: Float32, offsets: Int64, provenance: dict[str, Any]
) -> None:
    """Write [N, LABELS] probabilities and [n + 1] offsets so that the file is never half-written."""
    with whole_stream(path) as stream, h5py.File(stream, "w") as file:
        file["probabilities"], file["offsets"] = probabilities, offsets
        stored = {"format_version": FORMAT_VERSION, **provenance}
        file.attrs["provenance"] = json.dumps(stored, sort_keys=True)
