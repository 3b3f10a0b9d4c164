"""Recipes: one canonical name and definition each."""

import pytest

from zarpipe.study.recipe import BASELINE, BASELINE_TWICE, Recipe, masking, recipes_of, trained_on
from zarpipe.task.subsets import AllButOneFold, DocumentFraction

QUARTER = DocumentFraction(fraction=0.250, seed=2)
FOLD = AllButOneFold(folds=5, without=0, seed=1)
MASKING, MASKED = masking("all", "0.5"), {"variant": {"method": "masking", "alpha": "0.5"}}
LINEAR = Recipe(architecture="linear")


@pytest.mark.parametrize(
    ("recipe", "name", "definition"),
    [
        (trained_on(BASELINE, QUARTER), "baseline-fraction0.25-subset2", {}),
        (trained_on(BASELINE_TWICE, FOLD), "baseline2x-folds5-without0-subset1", {"copies": 2}),
        (trained_on(MASKING, QUARTER), "masking-all-0.5-fraction0.25-subset2", MASKED),
        (trained_on(LINEAR, QUARTER), "baseline-linear-fraction0.25-subset2", {"architecture": "linear"}),
    ],
)
def test_a_part_of_the_documents_is_another_recipe(recipe, name, definition):
    assert recipe.name == name
    documents = {"documents": recipe.documents.model_dump()}
    assert recipe.definition() == definition | documents
    assert recipes_of({name: recipe.definition()}) == {name: recipe}


def test_all_documents_are_the_recipe_itself():
    assert trained_on(BASELINE, DocumentFraction(fraction=1, seed=2)) == BASELINE
    assert BASELINE.definition() == {}
    assert MASKING.definition() == MASKED


def test_the_method_is_the_same_on_a_part():
    assert trained_on(MASKING, QUARTER).method == "masking"
    assert trained_on(BASELINE_TWICE, FOLD).method == "baseline2x"
