"""The learning curve's recipes, and what is refused of its configuration before anything runs."""

import pytest

from zarpipe.config import Config
from zarpipe.errors import ZarpipeError
from zarpipe.study.checks import check_inputs
from zarpipe.study.recipe import BASELINE, BASELINE_TWICE, masking
from zarpipe.study.study import Study


def study(**curve):
    return Study(Config.model_validate({"learning_curve": curve}))


def test_no_fractions_no_recipes():
    assert all(line == {} for line in study().grid.learning_curve().values())
    assert not any(recipe.documents for recipe in study().grid.recipes())


def test_each_method_at_each_fraction_and_subset():
    line = study(fractions=[1, 0.50, 0.5, 0.25], subset_seeds=[4, 5, 4]).grid.learning_curve()
    assert list(line) == ["baseline", "baseline2x", "cda", "masking"]
    assert all(list(points) == ["0.25", "0.5", "1.0"] for points in line.values())
    assert [recipe.name for recipe in line["masking"]["0.25"]] == [
        "masking-all-0.5-fraction0.25-subset4",
        "masking-all-0.5-fraction0.25-subset5",
    ]
    # All documents: the taggers of the other tables.
    assert (line["baseline"]["1.0"], line["baseline2x"]["1.0"]) == ([BASELINE], [BASELINE_TWICE])
    assert line["masking"]["1.0"] == [masking("all", "0.5")]


@pytest.mark.parametrize(
    ("alphas", "expected"),
    [([0.9, 0.1], "0.1"), ([0.3, 0.7], "0.3"), ([0.7, 0.3], "0.3"), ([1.0, 0.6], "0.6")],
)
def test_the_alpha_is_the_one_next_to_a_half(alphas, expected):
    curve = {"fractions": [0.5], "cda_alpha": alphas[0]}
    line = Study(Config(augmentation={"alphas": alphas}, learning_curve=curve)).grid.learning_curve()
    assert line["masking"]["0.5"][0].alpha == expected
    assert line["cda"]["0.5"][0].alpha == str(alphas[0])


def test_a_fraction_needs_no_variant_and_no_hidden_state_of_its_own():
    """So all fractions together cost exactly the encoder tokens of the full set."""
    without, with_curve = study(), study(fractions=[0.1, 0.25, 0.5, 1.0])
    variants = [
        {one.variant.name for one in of.grid.recipes() if one.variant} for of in (without, with_curve)
    ]
    assert variants[0] == variants[1]
    recipe = with_curve.grid.learning_curve()["masking"]["0.1"][0]
    needs = {read.id for read in with_curve.jobs.train(recipe, 1).reads}
    assert needs == {"convert/corpus", "encode/train", "encode/dev", "encode_variant/masking-all-0.5"}


def test_subset_seeds_are_in_the_keys_of_their_trainings_and_of_no_others():
    without, line = study(), study(fractions=[0.5, 1.0], subset_seeds=[1, 2])
    for recipe in without.grid.recipes():
        assert line.jobs.train(recipe, 1).key == without.jobs.train(recipe, 1).key
    one, other = line.grid.learning_curve()["baseline"]["0.5"]
    assert line.jobs.train(one, 1).key != line.jobs.train(other, 1).key


@pytest.mark.parametrize(
    ("limit", "same"), [(10, "0.25 and 0.3, both 3 of the 10"), (3, "0.05 and 0.25, both 1 of the 3")]
)
def test_fractions_that_are_the_same_documents_are_refused_before_anything_runs(limit, same):
    config = Config(corpus={"limit": {"train": limit}}, learning_curve={"fractions": [0.05, 0.25, 0.3]})
    with pytest.raises(ZarpipeError, match=f"learning_curve.fractions: found {same} training documents"):
        check_inputs(Study(config))
    check_inputs(study(fractions=[0.1, 0.25, 0.5, 1.0]))
