"""models.csv: each architecture's methods, tested against its own baseline with as many updates."""

from pathlib import Path

import numpy as np
import pytest
from report.conftest import read_csv

from zarpipe.files import write_json
from zarpipe.formats.corpus import read_instances
from zarpipe.formats.features import write_features
from zarpipe.report.costs import Costs
from zarpipe.report.scores import read_recipe
from zarpipe.report.significance import CATEGORIES, comparison_rows
from zarpipe.report.systems import Systems
from zarpipe.study.recipe import BASELINE_TWICE
from zarpipe.task.statistics.comparison import holm

SKILLS = {"baseline": 0.4, "baseline2x": 0.5, "cda": 0.55, "masking": 0.8}


def took(made, recipe, seed, seconds):
    """Write how long a training took."""
    job = made.study.jobs.train(made.study.recipe(recipe), seed)
    said = {"rule": job.rule, "name": job.name, "key": job.key, "files": {}}
    write_json(job.path(), {**said, "seconds": seconds})


def encoded(study):
    """The jobs that encode what the recipes read."""
    recipes = study.grid.recipes()
    return {job.id: job for recipe in recipes for job in study.jobs.encoded_for(recipe)}


@pytest.fixture(scope="module")
def compared(make_study):
    """A study with a BiGRU on one layer and on three, and a fine-tuned MLM, of two seeds, whose masking is good."""
    made = make_study("models")
    made.configure(
        augmentation={"alphas": [0.3, 0.5]},
        training={"seeds": [1, 2]},
        tagger={"compare": ["finetuned", {"layers": "mix"}]},
        report={"permutations": 500},
    )
    for split, sentences in (("train", 9), ("dev", 36)):
        made.corpus(split, sentences)
    for job in encoded(made.study).values():
        size = 768 if "mix" in job.name else 256
        tokens = {"train": 72, "dev": 288}.get(job.name.split("/")[-1], 100)
        provenance = {"tokens_encoded": tokens}
        write_features(job.path("features.h5"), [], size, [0], [], provenance)
    for rows in made.study.grid.models().values():
        for method, recipes in rows.items():
            for recipe in recipes:
                better = 0.05 if recipe.alpha == "0.5" else 0.0
                made.runs({recipe.name: SKILLS[method] + better}, "dev")
                for seed in (1, 2):
                    made.tagger(recipe.name, seed, epochs=3 + seed)
    for seed, seconds in ((1, 60), (2, 180)):
        for alpha in ("0.3", "0.5"):
            took(made, f"masking-all-{alpha}-finetuned", seed, seconds)
    for alpha in ("0.3", "0.5"):
        for seed in (1, 2):
            took(made, f"masking-all-{alpha}", seed, 10 * seed)
            took(made, f"masking-all-{alpha}-mix", seed, 20 * seed)
    return made


@pytest.fixture(scope="module")
def rows(compared):
    return read_csv(compared.report("models"))


def kind(row):
    """The name of a row's kind of tagger in the grid."""
    return row["architecture"] + (", mix" if row["layers"] == "mix" else "")


def test_rows_are_kinds_of_taggers_and_categories(rows):
    found = [(kind(row), row["category"]) for row in rows]
    kinds = ("bigru", "finetuned", "bigru, mix")
    assert found == [(name, category) for name in kinds for category in CATEGORIES]
    layers = dict(zip(kinds, ("last", "last", "mix"), strict=True))
    assert {(kind(row), row["layers"], row["pooling"]) for row in rows} == {
        (name, layers[name], "first") for name in kinds
    }


def test_numbers_are_those_of_the_statistics(compared, rows):
    """Each method with the alpha of the best ZAR F1, against the same architecture's doubled baseline."""
    systems = Systems(compared.study, "dev")
    p_values = {}
    for architecture, methods in compared.study.grid.models().items():
        counts = {}
        for method in ("baseline", "baseline2x", "masking", "cda"):
            alpha = next(row for row in rows if kind(row) == architecture).get(f"{method}_alpha")
            recipe = next(one for one in methods[method] if one.alpha in (alpha, ""))
            counts[method] = systems.single(recipe)
        for method in ("masking", "cda"):
            expected = comparison_rows(counts[method], counts[BASELINE_TWICE.name], CATEGORIES, 500, 1)
            for one in expected:
                asked = architecture, one["category"]
                (row,) = [row for row in rows if (kind(row), row["category"]) == asked]
                assert float(row[method]) == one["f1"]
                assert float(row["equal_updates"]) == one["other_f1"]
                for name in ("difference", "ci_low", "ci_high", "p_value"):
                    assert float(row[f"{method}_{name}"]) == one[name]
                p_values[architecture, one["category"], method] = one["p_value"]
    corrected = dict(zip(p_values, holm(np.array(list(p_values.values()))).tolist(), strict=True))
    for row in rows:
        for method in ("masking", "cda"):
            key = (kind(row), row["category"], method)
            assert float(row[f"{method}_p_holm"]) == pytest.approx(corrected[key])


def test_the_better_alpha_is_taken(compared, rows):
    masking = compared.study.grid.models()["finetuned"]["masking"]
    best = max(masking, key=lambda recipe: read_recipe(compared.study, recipe, "dev").mean("zar_f1"))
    assert {row["masking_alpha"] for row in rows if row["architecture"] == "finetuned"} == {best.alpha}
    assert all(float(row["masking_difference"]) > 0 for row in rows if row["category"] == "ALL")


def test_costs(compared, rows):
    """A frozen MLM reads what is encoded; one that is trained reads 2 x 9 sentences with 2 predicates each epoch."""
    tokens = int(read_instances(compared.path("corpus", "train")).offsets[-1])
    dev_tokens = int(read_instances(compared.path("corpus", "dev")).offsets[-1])
    assert (tokens, dev_tokens) == (9 * 2 * 8, 36 * 2 * 8)
    cost = {kind(row): row for row in rows}
    assert float(cost["bigru"]["encoder_tokens"]) == 72 + 288 + 100
    assert float(cost["finetuned"]["encoder_tokens"]) == 4.5 * (2 * tokens + dev_tokens)
    assert float(cost["bigru"]["training_minutes"]) == 30 / 2 / 60
    assert float(cost["finetuned"]["training_minutes"]) == 2
    assert float(cost["bigru, mix"]["training_minutes"]) == 60 / 2 / 60
    assert float(cost["bigru, mix"]["encoder_tokens"]) == 72 + 288 + 100
    megabytes = {name: float(row["feature_megabytes"]) for name, row in cost.items()}
    assert megabytes == {"bigru": 460 * 256 * 2 / 1e6, "bigru, mix": 460 * 768 * 2 / 1e6, "finetuned": 0}


def test_costs_that_are_not_known_are_empty(compared):
    other = compared.copy("without_costs")
    Path(encoded(other.study)["encode/dev"].path("features.h5")).unlink()
    recipe = other.study.grid.models()["bigru"]["masking"][0]
    costs = Costs(other.study)
    assert costs.encoder_tokens(recipe) is costs.feature_megabytes(recipe) is None
    Path(other.study.jobs.train(recipe, 1).path()).unlink()
    assert costs.training_minutes(recipe) is None


@pytest.mark.usefixtures("rows")
def test_the_figure_is_drawn_from_the_table(compared):
    svg = compared.output("models.svg").read_text(encoding="utf-8")
    assert svg.count("<svg") == 1
    assert [name for name in ("bigru", "finetuned", "mix") if f"<!-- {name} -->" not in svg] == []
    assert compared.output("models.pdf").read_bytes().startswith(b"%PDF")
