"""The change of antecedents, from the corpus to the sheet."""

import csv
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from workflow_copy import Workflow

TINY = str(Path(__file__).parent / "tiny.yaml")
TARGETS = ("results/antecedents.csv", "results/filtered.csv", "results/antecedents-sheet.html")


def options(policies):
    chosen = f"{{policies: [{policies}], folds: 2, seeds: [1], filtered: true, sheet_items: 8}}"
    return ["--configfile", TINY, "--config", f"antecedents={chosen}"]


@pytest.fixture(scope="module")
def measured(finished, tmp_path_factory):
    """The tiny study with its antecedents measured."""
    folder = tmp_path_factory.mktemp("antecedents") / "workflow"
    shutil.copytree(finished.folder, folder, symlinks=True)
    workflow = Workflow(folder)
    workflow.run(*TARGETS, *options("noun"))
    return workflow


def rows(workflow, name):
    with (workflow.folder / "results" / name).open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def table(workflow, pattern):
    (path,) = (workflow.folder / "results/jobs").glob(pattern)
    return pq.read_table(path)


def test_the_control_changes_nothing_and_copies_are_kept(measured):
    found = rows(measured, "antecedents.csv")
    assert {(row["policy"], row["alpha"], row["seeds"]) for row in found} == {("noun", "0.5", "1")}
    assert {row["control_percent"] for row in found if row["antecedent"] == "all"} <= {"0.0", ""}
    kept = table(measured, "filter_copies/cda-noun-0.5-multi-argmax@*/copies.parquet")
    masked = table(measured, "augment/masking-noun-0.5@*/variant.parquet")
    refilled = table(measured, "augment/cda-noun-0.5-multi-argmax@*/variant.parquet")
    # The copy that is trained on and the one that is decided mask the same tokens.
    assert masked["masked"].equals(refilled["masked"])
    assert kept["sent_id"].equals(masked["sent_id"])
    shares = {row["copies"]: row["kept_percent"] for row in rows(measured, "filtered.csv")}
    share = 100 * sum(kept["kept"].to_pylist()) / len(kept)
    assert float(shares["filtered"]) == pytest.approx(share)
    compared = {row["copies"]: row["difference"] != "" for row in rows(measured, "filtered.csv")}
    assert compared == {"": False, "all": False, "filtered": True}
    assert float(shares["all"]) == 100
    sheet, key = rows(measured, "antecedents-sheet.csv"), rows(measured, "antecedents-sheet-key.csv")
    assert [row["item"] for row in sheet] == [row["item"] for row in key]


def test_another_policy_trains_no_tagger_of_a_fold_again(measured):
    planned = measured.planned("results/antecedents.csv", *options("noun, verb"))
    assert "train" not in planned
    assert planned["predict_held_out"] == 1
    assert planned["augment"] == planned["encode_variant"] == 1
    assert measured.planned(*TARGETS, *options("noun")) == {}
