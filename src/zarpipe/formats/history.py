"""What `zarpipe train` wrote down after each epoch."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zarpipe import job_folders
from zarpipe.errors import ZarpipeError
from zarpipe.files import whole_text


@dataclass(frozen=True)
class History:
    """What a training wrote after each epoch."""

    epochs: list[int]  # epoch numbers, from 1
    loss: list[float]  # training loss of each epoch
    dev_f1: list[float]  # ALL F1 on dev after each epoch, in percent


def read_history(path: Path) -> History:
    """Read a ``history.csv``. Raises ZarpipeError when it is missing or damaged."""
    job_folders.check(path)
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream, strict=True))
        epochs = [int(row["epoch"]) for row in rows]
        losses = [float(row["loss"]) for row in rows]
        f1 = [float(row["dev_f1"]) for row in rows]
        if problem := _problem(rows, epochs, losses, f1):
            raise ValueError(problem)
        return History(epochs, losses, [100 * value for value in f1])
    except OSError as error:
        raise ZarpipeError(f"{path}: cannot read this file ({error.strerror})") from error
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        raise ZarpipeError(
            f"{path}: not a training history ({error}); expected the columns epoch, loss and dev_f1 "
            "from `zarpipe train`"
        ) from error


def _problem(
    rows: Sequence[Mapping[str | None, Any]], epochs: list[int], losses: list[float], f1: list[float]
) -> str | None:
    if not rows:
        return "no epoch"
    if any(None in row or None in row.values() for row in rows):
        return "a row has more or fewer values than the first line"
    if epochs != list(range(1, len(rows) + 1)):
        return "the epochs are not 1, 2, 3, ..."
    if not all(loss >= 0 and math.isfinite(loss) for loss in losses):
        return "a loss is no number from 0"
    return None if all(0 <= value <= 1 for value in f1) else "a dev_f1 is no number from 0 to 1"


def write_history(path: Path, rows: Sequence[Mapping[str, float | int | str]]) -> None:
    """Write a training's history, one row per epoch."""
    with whole_text(path) as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
