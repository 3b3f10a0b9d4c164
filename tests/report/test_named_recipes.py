"""named_recipes.csv: named recipes beside the baseline with as many updates."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from zarpipe.report.paired import PairedRecipes
from zarpipe.report.tables import named_recipes
from zarpipe.study.extra import extra_name
from zarpipe.study.grid import recipes_in
from zarpipe.study.recipe import masking
from zarpipe.task.statistics.comparison import f1_intervals

RECIPES = {
    "three": {"use": "masking", "draws": 3},
    "dropped": {"perturb": {"use": "drop", "probability": 0.1}},
    "text": {"extra": ["more.parquet"]},
}
TEXT_BASELINE = f"baseline-as-{extra_name('more.parquet')}"


@pytest.fixture
def study(made):
    made.configure(
        recipes=RECIPES,
        augmentation={"alphas": [0.3, 0.5], "pos_sets": ["all"]},
        training={"seeds": [1, 2]},
        report={"permutations": 200},
    )
    made.corpus("dev", 60, 1)
    recipes = recipes_in(made.study.grid.named_and_baselines())
    skills = {"baseline": 0.5, "baseline2x": 0.5, "baseline4x": 0.6, "drop-0.1": 0.5}
    skills |= {"masking-all-0.3-draws3": 0.6, "masking-all-0.5-draws3": 0.95}
    made.runs({recipe.name: skills.get(recipe.name, 0.5) for recipe in recipes}, "dev")
    return made


def test_each_recipe_stands_beside_the_baseline_with_as_many_updates(study, read_csv):
    rows = read_csv(study.report("named_recipes"))
    assert [(row["name"], row["alpha"], row["updates"], row["equal_updates"]) for row in rows] == [
        ("baseline", "", "1", ""),
        ("baseline4x", "", "4", ""),
        ("baseline2x", "", "2", ""),
        (TEXT_BASELINE, "", "1 + extra", ""),
        ("three", "0.5", "4", "baseline4x"),
        ("dropped", "", "2", "baseline2x"),
        ("text", "", "1 + extra", TEXT_BASELINE),
    ]
    by_name = {row["name"]: row for row in rows}
    three = by_name["three"]
    difference = float(three["zar_f1"]) - float(by_name["baseline4x"]["zar_f1"])
    assert float(three["difference"]) == pytest.approx(difference)
    assert float(three["ci_low"]) < difference < float(three["ci_high"])
    assert float(three["p_value"]) < 0.05
    assert by_name["baseline"]["difference"] == by_name["baseline"]["p_value"] == ""
    runs = read_csv(study.output("named_recipes_runs.csv"))
    assert {run["recipe"] for run in runs} >= {"masking-all-0.3-draws3", "drop-0.1", "baseline4x"}


def test_the_updates_of_a_filtered_recipe_count_the_kept_copies(tmp_path):
    pq.write_table(pa.table({"kept": [True, False, True, True]}), tmp_path / "copies.parquet")
    lists = [SimpleNamespace(path=tmp_path / "copies.parquet")] * 2
    study = SimpleNamespace(kept_copies=lambda _: lists)
    baseline = masking("all", "0.5").model_copy(update={"filtered": True, "variant_copies": 2}).equal_updates
    assert named_recipes._updates(study, baseline) == 1 + 2 * 1.5
    assert named_recipes._updates(study, baseline.model_copy(update={"per_epoch": True})) == 1 + 2 * 0.75


def test_the_interval_of_one_recipe_holds_its_mean(study):
    paired = PairedRecipes(study.study)
    (recipe,) = study.study.grid.named()["dropped"]
    low, high = paired.interval(recipe)
    f1 = [
        2 * right / (2 * right + wrong + missed) for right, wrong, missed in paired.counts(recipe).sum((0, 2))
    ]
    assert low < np.mean(f1) < high


def test_an_interval_of_few_documents_or_equal_ones_is_unknown():
    counts = np.tile(np.array([3, 1, 1]), (5, 2, 1, 1))
    assert f1_intervals(counts, 50, 1) == [None]
    assert f1_intervals(np.tile(counts, (3, 1, 1, 1)), 50, 1) == [None]


def test_the_interval_of_an_f1_stays_within_0_and_100():
    """Two seeds that find nearly nothing and half: −46 to +46 was printed, for what cannot be below 0."""
    right = np.random.default_rng(0).binomial(10, [0.01, 0.5], (20, 2))
    counts = np.stack([right, 0 * right, 10 - right], axis=-1)[:, :, None]
    ((low, high),) = f1_intervals(counts, 500, 1)
    assert 0 <= low < 0.1
    assert 0.9 < high <= 1
