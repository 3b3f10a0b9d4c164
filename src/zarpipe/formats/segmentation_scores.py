"""The JSON of a segmenter's scores on a split.

{"predicates" | "bunsetsu_boundaries" | "bunsetsu": {tp, fp, fn, precision, recall, f1}}
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from zarpipe import job_folders
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json, write_json
from zarpipe.formats.scores import recomputed
from zarpipe.task.segmentation import PARTS

SegmentationScores = Mapping[str, Mapping[str, float | int]]


def write_segmentation_scores(path: str | Path, scores: SegmentationScores) -> None:
    """Write scores, as `zarpipe.task.segmentation.count` returns them."""
    write_json(path, dict(scores))


def read_segmentation_scores(path: str | Path) -> SegmentationScores:
    """Read scores.

    Raises ZarpipeError: the file is missing or is none, or its numbers do not follow from its counts.
    """
    job_folders.check(path)
    content = read_json(path)
    remedy = "make it with `zarpipe evaluate-segmenter`"
    try:
        return {part: recomputed(part, content[part]) for part in PARTS}
    except (KeyError, TypeError, AttributeError) as error:
        raise ZarpipeError(f"{path}: not the scores of a segmenter: {error} is missing; {remedy}") from error
    except ValueError as error:
        raise ZarpipeError(f"{path}: {error}; {remedy}") from error
