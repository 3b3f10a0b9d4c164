"""The test set is touched by the baselines and the recipes chosen on dev, and by nothing else."""

import contextlib
from collections import Counter
from pathlib import Path

import pytest

from zarpipe.config.files import load_config
from zarpipe.study.jobs import with_all_they_read
from zarpipe.study.study import Study
from zarpipe.workflow import Workflow

PROJECT = Path(__file__).resolve().parents[2]
TINY = Path(__file__).parent / "tiny.yaml"
GRID = {"augmentation": {"alphas": [0.3, 0.5], "pos_sets": ["all", "all_but_verb"]}}
RECIPES = {
    "recipes": {
        "three": {"use": "masking", "draws": 3},
        "dropped": {"perturb": {"use": "drop", "probability": 0.1}},
    }
}
CHOSEN = {"baseline", "baseline2x", "chosen-cda", "chosen-masking"}


@pytest.fixture(scope="module")
def jobs_of(tmp_path_factory):
    """A function that gives the jobs of `all`, by what they are within the study."""

    def jobs(config):
        with contextlib.chdir(tmp_path_factory.mktemp("study")):
            made = Workflow(Study(load_config([PROJECT / "config.yaml", TINY], config)), main=False)
        return with_all_they_read(shown.job for shown in (*made.shown.values(), *made.curves.values()))

    return jobs


def on_test(jobs, rule):
    return {name.split("/")[1] for name in jobs if name.startswith(f"{rule}/") and name.endswith("/test")}


def test_only_the_baselines_and_the_chosen_recipes_are_run_on_test(jobs_of):
    jobs = jobs_of(GRID)
    assert on_test(jobs, "predict") == on_test(jobs, "evaluate") == CHOSEN


def test_the_choice_reads_every_candidate_on_dev_and_nothing_of_test(jobs_of):
    choice = jobs_of(GRID)["report/choose"]
    expected = {f"masking-{pos_set}-{alpha}" for pos_set in ("all", "all_but_verb") for alpha in (0.3, 0.5)}
    expected |= {f"cda-all-{alpha}-multi-argmax" for alpha in (0.3, 0.5)}
    scored = [job.name for job in choice.reads if job.rule == "evaluate"]
    assert sorted(scored) == sorted(f"{name}/dev" for name in expected)
    before = with_all_they_read([choice])
    assert "convert/corpus" in before
    assert not [name for name in before if name.endswith("/test")]


def test_named_recipes_add_their_own_jobs_alone(jobs_of):
    before, after = jobs_of(GRID), jobs_of(GRID | RECIPES)
    assert set(before) <= set(after)
    # Two alphas with two more draws each; they, baseline4x and the dropped tokens with two seeds each.
    draws, trained, seeds = 2 * 2, ("masking-all-0.3-draws3", "masking-all-0.5-draws3", "drop-0.1"), 2
    assert Counter(after[name].rule for name in set(after) - set(before)) == {
        "augment": draws,
        "encode_variant": draws,
        "train": seeds * (len(trained) + 1),
        # On dev these, the control and the chosen copies, on test the copies and the baseline.
        "predict": len(trained) + 1 + 2 + 3,
        "evaluate": len(trained) + 1 + 3,
        "report": 1 + 3,  # the table of recipes, and learning curves
    }
    expected = CHOSEN | {"baseline4x", "chosen-three", "chosen-dropped"}
    assert on_test(after, "predict") == on_test(after, "evaluate") == expected
