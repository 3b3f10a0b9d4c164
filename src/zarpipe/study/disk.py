"""How much disk the hidden states of a study's variants need."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json
from zarpipe.formats.corpus import read_instances

_BYTES = 2  # float16


def variants_bytes(files: Sequence[Path]) -> int | None:
    """Return how many bytes feature files of variants need at most: when no two sequences are equal.

    Args:
        files: ``RESULTS/features/VARIANT.h5``, or in a folder there for other layers or another pooling; not
            made yet.

    Returns:
        None for no file, or while the corpus is not converted and encoded yet.
    """
    if not files:
        return None
    results = next(folder for folder in files[0].parents if folder.name == "features").parent
    try:
        size = sum(int(read_json(file.parent / "train.json")["hidden_size"]) for file in files)
        tokens = int(read_instances(results / "corpus" / "train.parquet").offsets[-1])
    except (ZarpipeError, KeyError, TypeError, ValueError):
        return None
    return tokens * size * _BYTES
