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
        files: ``RESULTS/features/VARIANT.h5``, not made yet.

    Returns:
        None for no file, or while the corpus is not converted and encoded yet.
    """
    if not files:
        return None
    features = files[0].parent
    try:
        size = int(read_json(features / "train.json")["hidden_size"])
        tokens = int(read_instances(features.parent / "corpus" / "train.parquet").offsets[-1])
    except (ZarpipeError, KeyError, TypeError, ValueError):
        return None
    return len(files) * tokens * size * _BYTES
