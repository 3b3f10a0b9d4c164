"""Recipes that the configuration names: what they are, their names and jobs, and what is refused."""

import json

import pytest
from pydantic import ValidationError

from zarpipe.config import Config
from zarpipe.study.recipe import Recipe, Variant, masking, recipes_of
from zarpipe.study.study import Study

DROP = {"use": "drop", "probability": 0.1}
RECIPES = {
    "four_draws": {"use": "masking", "draws": 4, "per_epoch": True},
    "three": {"use": "masking", "alpha": 0.3, "draws": 3},
    "near": {"use": "masking", "policy": "near", "alpha": 0.5, "ratio": [2, 1]},
    "filled": {"use": "cda", "policy": "noun", "alpha": 0.5},
    "two_stages": {"use": "masking", "alpha": 0.5, "stages": "masked_first"},
    "dropped": {"perturb": DROP},
    "control": {"use": "masking", "alpha": 0.5, "perturb": {"use": "noise", "shuffled": True}},
    "more_text": {"use": "masking", "alpha": 0.5, "extra": ["a/more 文.parquet"], "ratio": [1, 2]},
    "text_alone": {"extra": ["b.parquet"], "stages": "masked_first"},
    "agreeing": {"use": "masking", "alpha": 0.5, "consistency": 1},
}


def study(recipes=None):
    config = {"recipes": RECIPES if recipes is None else recipes, "policies": {"near": {"use": "distance"}}}
    augmentation = {"alphas": [0.3, 0.5], "pos_sets": ["all"]}
    return Study(Config.model_validate(config | {"augmentation": augmentation}))


def keys(of):
    recipes = of.grid.recipes()
    jobs = [of.jobs.augment(variant) for recipe in recipes for variant in recipe.variants]
    jobs += [job for recipe in recipes for job in of.jobs.taggers(recipe)]
    return {job.id: job.key for job in jobs}


def test_names_and_baselines_with_as_many_updates():
    names = {
        label: [(recipe.name, recipe.equal_updates.name) for recipe in recipes]
        for label, recipes in study().grid.named().items()
    }
    assert names == {
        "four_draws": [(f"masking-all-{alpha}-draws4-per_epoch", "baseline2x") for alpha in (0.3, 0.5)],
        "three": [("masking-all-0.3-draws3", "baseline4x")],
        "near": [("masking-near-0.5-ratio2to1", "baseline3x")],
        "filled": [("cda-noun-0.5-multi-argmax", "baseline2x")],
        "two_stages": [("masking-all-0.5-masked_first", "baseline2x")],
        "dropped": [("drop-0.1", "baseline2x")],
        "control": [("masking-all-0.5-noise-shuffled", "baseline2x")],
        "more_text": [
            (
                "masking-all-0.5-extra-more__-a4ebc8-ratio1to2",
                "baseline3x-as-extra-more__-a4ebc8-ratio3to2",
            )
        ],
        "text_alone": [("baseline-extra-b-5bf441-masked_first", "baseline-as-extra-b-5bf441")],
        "agreeing": [("masking-all-0.5-consistency1.0", "baseline2x")],
    }
    of_text = ["baseline3x-as-extra-more__-a4ebc8-ratio3to2", "baseline-as-extra-b-5bf441"]
    baselines = ["baseline", "baseline2x", "baseline4x", "baseline3x", *of_text]
    assert list(study().grid.named_and_baselines()) == [*baselines, *RECIPES]


def test_a_plain_recipe_is_the_one_that_it_always_was():
    plain = study({"plain": {"use": "masking", "alpha": 0.5}})
    assert plain.grid.named()["plain"] == [masking("all", "0.5")]
    assert keys(plain) == keys(study({}))


def test_named_recipes_add_their_own_jobs_and_change_no_other():
    before, after = keys(study({})), keys(study())
    assert {name: key for name, key in after.items() if name in before} == before
    added = {name for name in after if name not in before and not name.startswith("train/")}
    draws = {f"augment/masking-all-{alpha}-draw{draw}" for alpha in (0.3, 0.5) for draw in (2, 3, 4)}
    assert added == draws | {"augment/masking-near-0.5", "augment/cda-noun-0.5-multi-argmax"}


def test_every_definition_reads_back():
    for recipe in study().grid.recipes():
        read = recipes_of({recipe.name: json.loads(json.dumps(recipe.definition()))})
        assert read == {recipe.name: recipe}


def test_the_variants_of_a_recipe_are_its_draws():
    recipe = study().grid.named()["three"][0]
    names = ["masking-all-0.3", "masking-all-0.3-draw2", "masking-all-0.3-draw3"]
    assert [variant.name for variant in recipe.variants] == names
    assert recipe.variants[0] == Variant(method="masking", alpha="0.3")
    options = study().jobs.train(recipe, 1).options
    assert "--copies=1 --variant-copies=1 --per-epoch=false --stages=together" in options
    assert "/encode_variant/masking-all-0.3-draw3@" in options


def test_the_baseline_of_a_filtered_recipe_sees_the_originals_of_its_copies_again():
    of = study({"mine": {"use": "masking", "alpha": 0.5, "draws": 2, "ratio": [1, 2], "filtered": True}})
    ((recipe,),) = of.grid.named().values()
    equal = recipe.equal_updates
    assert equal.name == "baseline-kept-masking-all-0.5-draws2-ratio1to2"
    assert not equal.variants
    assert equal.equal_updates == equal
    kept = [one.path for one in of.kept_copies(recipe)]
    assert [one.path for one in of.kept_copies(equal)] == kept
    assert len(kept) == 2
    options = of.jobs.train(equal, 1).options
    assert all(path in options for path in kept)
    assert "variant-features" not in options
    assert list(of.grid.named_and_baselines()) == ["baseline", equal.name, "mine"]


def test_a_recipe_of_another_architecture_is_compared_with_that_architecture():
    recipe = Recipe(perturb={"use": "drop", "probability": 0.1}, architecture="linear")
    assert (recipe.name, recipe.equal_updates.name) == ("drop-0.1-linear", "baseline2x-linear")


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ({}, "expected use, such as"),
        ({"perturb": DROP, "draws": 2}, "draws means nothing without use"),
        ({"perturb": DROP, "alpha": 0.5}, "alpha means nothing without use"),
        ({"perturb": DROP | {"probability": 1.0}}, "expected a probability between 0 and 1"),
        ({"perturb": DROP | {"probability": 0}}, "expected a probability between 0 and 1"),
        ({"perturb": 0.1}, "expected what it uses and the options"),
        ({"perturb": {"use": "nois"}}, "did you mean 'noise'"),
        ({"perturb": {"use": "cut", "shares": 0.1}}, "did you mean 'share'"),
        ({"perturb": {"use": "noise"}}, "found 'noise' without use"),
        ({"use": "cda", "perturb": {"use": "interpolate"}}, "expected one of fixed and beta"),
        ({"use": "cda", "perturb": {"use": "interpolate", "fixed": 2}}, "less than or equal to 1"),
        ({"extra": ["a.parquet"], "alpha": 0.5}, "alpha means nothing without use"),
        ({"extra": ["a.parquet"], "consistency": 1}, "expected neither of them"),
        ({"extra": "a.parquet"}, "list"),
        ({"use": "cda", "consistency": 0}, "greater than 0"),
        ({"use": "cda", "consistency": 1, "ratio": [1, 2]}, "not each original has one copy"),
        ({"use": "cda", "consistency": 1, "draws": 2}, "not each original has one copy"),
        ({"use": "masking", "per_epoch": True}, "per_epoch means nothing with one draw"),
        ({"use": "masking", "policy": "nea"}, "did you mean 'near'"),
        ({"use": "masking", "ratio": [1]}, "at least 2"),
        ({"use": "masking", "ratio": [0, 1]}, "greater than or equal to 1"),
        ({"use": "mask"}, "'masking' or 'cda'"),
        ({"use": "masking", "draw": 2}, "Extra inputs"),
    ],
)
def test_what_no_recipe_is_is_refused(definition, message):
    with pytest.raises(ValidationError, match=message):
        study({"mine": definition})


def test_more_text_is_encoded_once_apart_from_dev_and_test():
    recipe = study().grid.named()["more_text"][0]
    jobs = study().jobs
    (encode,) = [job for job in jobs.encoded_for(recipe) if "extra" in job.name]
    apart = " ".join(jobs.corpus(split) for split in ("dev", "test"))
    assert encode.options.startswith(f"'a/more 文.parquet' --apart-from {apart} --mlm=")
    options = jobs.train(recipe, 1).options
    assert "--extra 'a/more 文.parquet'" in options
    assert f"--extra-features {encode.path('features.h5')}" in options
    baseline = jobs.train(recipe.equal_updates, 1)
    assert "--in-place=true" in baseline.options
    assert "--extra-features" not in baseline.options
    assert not [job for job in baseline.reads if "extra" in job.name]


@pytest.mark.parametrize(
    ("key", "given"), [("extra", ["a"]), ("perturb", {"use": "noise"}), ("consistency", 1)]
)
def test_what_taggers_that_train_the_mlm_cannot_be_given_is_refused(key, given):
    config = {"recipes": {"mine": {"use": "masking", key: given}}, "tagger": {"architecture": "finetuned"}}
    with pytest.raises(ValidationError, match=rf"recipes\.mine\.{key}"):
        Config.model_validate(config)
    Config.model_validate(config | {"tagger": {"architecture": "linear"}})


@pytest.mark.parametrize("name", ["baseline", "baseline3x", "masking", "Mine", "two-draws"])
def test_names_that_are_taken_or_no_names_are_refused(name):
    with pytest.raises(ValidationError, match=r"choose another name|expected a name"):
        study({name: {"perturb": DROP}})
