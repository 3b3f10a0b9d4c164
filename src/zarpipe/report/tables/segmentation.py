"""How well predicates and bunsetsu are found, on dev and on test."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from zarpipe.formats.segmentation_scores import SegmentationScores, read_segmentation_scores
from zarpipe.report.table import RUNS_ENDING, TABLE_ENDINGS, Column, Row, Table, counted
from zarpipe.study.study import Input, Study
from zarpipe.task.segmentation import PARTS

NAME = "segmentation"
TITLE = "Predicates and bunsetsu that the segmenter finds"
SHOWS = "Predicates and bunsetsu"
CONTENTS = "Predicates and bunsetsu"
CAPTION = """\
Precision, recall and F1 of the predicates and bunsetsu that the segmenter finds in the words of the corpus,
on the development and the test set. Mean over seeds; SD of F1. The paper has no such table.
"""
GUIDE = """\
How much of raw text can be analysed? What the segmenter does not find, the taggers are not asked about. The
threshold of predicates was chosen on dev; test is the fair number.
"""
ENDINGS: tuple[str, ...] = (*TABLE_ENDINGS, RUNS_ENDING)
SWITCH = "segmentation.table"
_SPLITS = ("dev", "test")
_SCORES = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
_TITLES = {
    "predicates": "predicates",
    "bunsetsu_boundaries": "bunsetsu boundaries",
    "bunsetsu": "whole bunsetsu",
}
_NOTE = (
    "In percent, means over {seeds}; SD is the sample standard deviation of F1 over seeds. Predicates: words "
    "that are target predicates of the corpus. Bunsetsu boundaries: words that begin a bunsetsu, the first "
    "word of a sentence left out. Whole bunsetsu: begin and end are right. All sentences count, also those "
    "without a predicate. Every single run: {name}_runs.csv."
)


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    return [
        study.segmentation_scores_of(seed, split)
        for split in _SPLITS
        for seed in study.config.segmentation.seeds
    ]


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on besides its inputs."""
    return {"seeds": study.config.segmentation.seeds}


def build(study: Study) -> Table:
    """Read the scores of all seeds. Raises ZarpipeError: a file is missing, damaged, or of other files."""
    seeds = study.config.segmentation.seeds
    read = {split: [_read(study, seed, split) for seed in seeds] for split in _SPLITS}
    rows = [
        {"split": split, "found": _TITLES[part], **_means([one[part] for one in of_seeds])}
        for split, of_seeds in read.items()
        for part in PARTS
    ]
    runs = [
        {"split": split, "found": _TITLES[part], "seed": seed, **scores[part]}
        for split, of_seeds in read.items()
        for seed, scores in zip(seeds, of_seeds, strict=True)
        for part in PARTS
    ]
    note = _NOTE.format(seeds=counted(len(seeds), "seed"), name=NAME)
    return Table(NAME, TITLE, _columns(), rows, note, groups=("split",), runs=runs)


def _read(study: Study, seed: int, split: str) -> SegmentationScores:
    return read_segmentation_scores(study.segmentation_scores_of(seed, split).path)


def _means(runs: Sequence[Any]) -> Row:
    """Return the means of a part's scores over seeds in percent, and the deviation of F1."""
    row: Row = {name: 100 * statistics.fmean(run[name] for run in runs) for name in _SCORES}
    deviation = 100 * statistics.stdev(run["f1"] for run in runs) if len(runs) > 1 else None
    return row | {"f1_sd": deviation, "seeds": len(runs)}


def _columns() -> list[Column]:
    return [
        Column("split", "Split"),
        Column("found", "Found"),
        *(Column(name, title, decimals=2) for name, title in _SCORES.items()),
        Column("f1_sd", "SD of F1", decimals=2, detail_for="f1", detail="SD"),
        Column("seeds", "Seeds", numeric=True),
    ]
