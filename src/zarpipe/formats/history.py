"""What `zarpipe train` wrote down after each epoch."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from zarpipe.errors import ZarpipeError
from zarpipe.files import whole_text


@dataclass(frozen=True)
class History:
    """What a training wrote after each epoch.

    Attributes:
        epochs: epoch numbers, from 1.
        loss: training loss of each epoch.
        dev_f1: ALL F1 on dev after each epoch, in percent.
    """

    epochs: list[int]
    loss: list[float]
    dev_f1: list[float]


def read_history(path: Path) -> History:
    """Read a ``history.csv``. Raises ZarpipeError when it is missing or damaged."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        return History(
            [int(row["epoch"]) for row in rows],
            [float(row["loss"]) for row in rows],
            [100 * float(row["dev_f1"]) for row in rows],
        )
    except OSError as error:
        raise ZarpipeError(f"{path}: cannot read this file ({error.strerror})") from error
    except (KeyError, TypeError, ValueError) as error:
        raise ZarpipeError(
            f"{path}: not a training history ({error}); expected the columns epoch, loss and dev_f1 "
            "from `zarpipe train`"
        ) from error


def write_history(path: Path, rows: Sequence[Mapping[str, float | int | str]]) -> None:
    """Write a training's history, one row per epoch."""
    with whole_text(path) as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
