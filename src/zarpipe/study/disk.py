"""How much disk the hidden states of a study's variants need."""

from __future__ import annotations

from collections.abc import Sequence

from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import read_instances
from zarpipe.formats.features import read_provenance
from zarpipe.study.dry_run import PlannedJob

_BYTES = 2  # float16


def variants_bytes(jobs: Sequence[PlannedJob]) -> int | None:
    """Return how many bytes the features of variants need at most: when no two sequences are equal.

    Args:
        jobs: that encode the variants.

    Returns:
        None for no job, or while the corpus is not converted and encoded yet.
    """
    try:
        return sum(map(_bytes, jobs)) or None
    except (ZarpipeError, KeyError, TypeError, ValueError, StopIteration):
        return None


def _bytes(job: PlannedJob) -> int:
    root = next(folder for folder in job.folder.parents if folder.name == job.rule).parent
    read = {name: root / f"{name}@{key}" for name, key in job.made_from["reads"].items()}
    originals = next(folder for name, folder in read.items() if name.startswith("encode/"))
    size = int(read_provenance(originals / "features.h5")["hidden_size"])
    tokens = int(read_instances(read["convert/corpus"] / "train.parquet").offsets[-1])
    return tokens * size * _BYTES
