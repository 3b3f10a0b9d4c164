"""The JSON of a segmenter's scores on a split.

{"predicates" | "bunsetsu_boundaries" | "bunsetsu": {tp, fp, fn, precision, recall, f1}, "made_from":
{"corpus", "segmenter": SHA-256 of the corpus Parquet and of the weights}}
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from zarpipe import seals
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json, write_json
from zarpipe.formats.scores import MADE_FROM, recomputed
from zarpipe.task.segmentation import PARTS

SegmentationScores = Mapping[str, Mapping[str, float | int]]


def write_segmentation_scores(
    path: str | Path, scores: SegmentationScores, corpus: str, segmenter: str
) -> None:
    """Write scores.

    Args:
        path: the JSON file.
        scores: as `zarpipe.task.segmentation.count` returns them.
        corpus: SHA-256 of the corpus Parquet.
        segmenter: SHA-256 of the weights.
    """
    write_json(path, {**scores, MADE_FROM: {"corpus": corpus, "segmenter": segmenter}})


def read_segmentation_scores(path: str | Path) -> tuple[SegmentationScores, dict[str, str]]:
    """Read scores, and the SHA-256 of what they were made from.

    Raises:
        ZarpipeError: the file is missing or is none, or its numbers do not follow from its counts.
    """
    seals.check(path)
    content = read_json(path)
    remedy = "make it with `zarpipe evaluate-segmenter`"
    try:
        scores = {part: recomputed(part, content[part]) for part in PARTS}
        return scores, {str(key): str(value) for key, value in content[MADE_FROM].items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise ZarpipeError(f"{path}: not the scores of a segmenter: {error} is missing; {remedy}") from error
    except ValueError as error:
        raise ZarpipeError(f"{path}: {error}; {remedy}") from error
