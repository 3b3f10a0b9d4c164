"""Trainings on a part of the documents, through the whole workflow."""

import csv
import shutil
from pathlib import Path

import pytest

TINY = str(Path(__file__).parent / "tiny.yaml")
TABLE = "results/learning_curve.csv"


@pytest.fixture(scope="module")
def curve(finished, make_workflow):
    """The finished tiny study, copied, with half of its six documents added; and how it was called."""
    workflow = make_workflow()
    shutil.copytree(finished.folder / "results", workflow.folder / "results")
    overlay = workflow.folder / "curve.yaml"
    overlay.write_text(
        "learning_curve: {fractions: [0.5, 1.0], subset_seeds: [3]}\nreport: {permutations: 50}\n",
        encoding="utf-8",
    )
    return workflow, (TABLE, "--configfile", TINY, str(overlay))


def test_a_fraction_is_trained_and_nothing_is_encoded_for_it(curve, finished):
    """Both baselines, CDA and masking, each with both seeds: 1.0 times the encoder tokens of before."""
    workflow, arguments = curve
    assert workflow.planned(*arguments) == {
        "study": 1,
        "train": 8,
        "predict": 4,
        "evaluate": 4,
        "learning_curve": 1,
    }
    workflow.run(*arguments)
    before, after = (sorted((of.folder / "results/features").iterdir()) for of in (finished, workflow))
    assert [path.name for path in before] == [path.name for path in after]
    assert [path.read_bytes() for path in before] == [path.read_bytes() for path in after]
    with (workflow.folder / TABLE).open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert {(row["method"], row["documents"]) for row in rows} == {
        (method, documents)
        for method in ("baseline", "baseline2x", "cda", "masking")
        for documents in ("3", "6")
    }
    # Three documents of dev: too few for an interval, and so for a sentence with a number.
    assert {row["ci_low"] for row in rows} == {row["more_documents"] for row in rows} == {""}
    assert all("so nothing is said" in row["verdict"] for row in rows if row["alpha"])
    assert (workflow.folder / "results/taggers/masking-all-0.5-fraction0.5-subset3/seed2").is_dir()
    assert workflow.planned(*arguments) == {}
