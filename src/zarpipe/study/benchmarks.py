"""Run times as Snakemake records them beside the results."""

from __future__ import annotations

import csv
from pathlib import Path


def recorded_seconds(file: Path) -> float | None:
    """Return the seconds in one of Snakemake's benchmark files, or None if it cannot be read."""
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            return float(next(csv.DictReader(stream, delimiter="\t"))["s"])
    except (OSError, StopIteration, KeyError, ValueError, TypeError):
        return None
