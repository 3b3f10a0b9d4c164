"""The table of predicates and bunsetsu, from scores that were written by hand."""

import json

import pytest

from zarpipe.errors import ZarpipeError
from zarpipe.formats.segmentation_scores import read_segmentation_scores, write_segmentation_scores
from zarpipe.report.table import read_table
from zarpipe.task.scores import score
from zarpipe.task.segmentation import PARTS


@pytest.fixture
def segmented(made):
    """A study of two seeds that has the scores of both on dev and test."""
    made.configure(segmentation={"seeds": [1, 2], "table": True})
    for split in ("dev", "test"):
        made.corpus(split, 3)
        # F1 of the seeds: 2 x 3 / (6 + 1 + 1) = 0.75 and 2 x 1 / (2 + 2) = 0.5
        for seed, counts in ((1, (3, 1, 1)), (2, (1, 1, 1))):
            path = made.path("segmentation_scores", seed, split)
            write_segmentation_scores(path, {part: score(*counts) for part in PARTS})
    return made


def test_means_and_deviations_are_those_made_by_hand(segmented):
    segmented.report("segmentation")
    table = read_table(segmented.output("segmentation.json"))
    assert [(row["split"], row["found"]) for row in table.rows] == [
        (split, part)
        for split in ("dev", "test")
        for part in ("predicates", "bunsetsu boundaries", "whole bunsetsu")
    ]
    for row in table.rows:
        assert (row["precision"], row["recall"], row["f1"]) == (62.5, 62.5, 62.5)
        assert row["f1_sd"] == pytest.approx(25 / 2**0.5)
        assert row["seeds"] == 2
    runs = segmented.output("segmentation_runs.csv").read_text(encoding="utf-8").splitlines()
    assert len(runs) == 1 + 2 * 2 * 3
    assert "means over 2 seeds" in segmented.output("segmentation.md").read_text(encoding="utf-8")


def test_one_seed_has_no_deviation(segmented):
    segmented.configure(segmentation={"seeds": [1], "table": True})
    segmented.report("segmentation")
    table = read_table(segmented.output("segmentation.json"))
    assert {(row["f1"], row["f1_sd"], row["seeds"]) for row in table.rows} == {(75, None, 1)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"tp": 4}, "predicates.precision"), ({"fp": -1}, "expected a whole number"), ({}, "is missing")],
)
def test_other_numbers_than_the_counts_give_are_refused(segmented, changes, message):
    path = segmented.path("segmentation_scores", 1, "dev")
    content = json.loads(path.read_text(encoding="utf-8"))
    if changes:
        content["predicates"] |= changes
    else:
        del content["bunsetsu"]
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ZarpipeError, match=message):
        read_segmentation_scores(path)
