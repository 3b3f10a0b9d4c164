"""Print and verify a feature file: ``zarpipe cache``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from zarpipe.errors import ZarpipeError
from zarpipe.formats.features import Features


def describe_and_verify(path: Path) -> str:
    """Return a description of a feature file, after every row was read and every checksum compared.

    Raises ZarpipeError: the file is damaged (with the first damaged rows).
    """
    features = Features.open(path)
    _verify(features)
    return "\n".join([f"{path}", *_lines(features), "  all checksums are right"])


def _verify(features: Features) -> None:
    remedy = "delete it and make it again with `zarpipe encode`"
    damaged = features.damaged_blocks()
    if damaged:
        start, end = features.block_offsets[damaged[0] : damaged[0] + 2].tolist()
        raise ZarpipeError(
            f"{features.path}: {len(damaged)} of {len(features.block_sha256)} blocks are damaged, the first "
            f"holds the rows {start} to {end - 1}; {remedy}"
        )


def _lines(features: Features) -> list[str]:
    size = features.path.stat().st_size
    shared = int(np.count_nonzero(features.instance_sequence < 0))
    lines = [f"  {key}: {value}" for key, value in sorted(features.provenance.items())]
    lines += [
        f"  rows: {len(features.hidden)} x {features.hidden_size} float16",
        f"  instances: {len(features.instance_sequence)} ({shared} use rows of the originals' file)",
        f"  size: {size} bytes ({_ratio(size, features)})",
    ]
    return lines


def _ratio(size: int, features: Features) -> str:
    bare = features.hidden.size * 2
    return f"{100 * (size - bare) / bare:.2f} % more than the hidden states alone" if bare else "no rows"
