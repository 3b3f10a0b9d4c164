"""Chooses, on dev alone, the recipes that go on to the test set: one of each method, one of each name.

The chosen recipe's taggers are copied to ``taggers/chosen-{method}/``. So the names of all files that touch
the test set are known before the choice, the workflow needs no checkpoint, and no other recipe gets there.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe import seals
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json, whole_file, write_json
from zarpipe.formats.tagger import MODEL_FOLDER
from zarpipe.report.scores import RecipeScores, best_recipe, read_recipe
from zarpipe.study.grid import recipes_in
from zarpipe.study.recipe import chosen_name

if TYPE_CHECKING:
    from zarpipe.study.jobs import Job
    from zarpipe.study.study import Input, Study


def inputs(study: Study) -> list[Input]:
    """Return the files that the choice reads: dev scores, and the taggers that may be copied."""
    recipes = recipes_in(study.grid.candidates())
    return [*study.scores(recipes, "dev"), *study.taggers(recipes)]


def spec(study: Study) -> dict[str, Any]:
    """Return what the choice depends on besides its inputs."""
    return job(study).spec


def job(study: Study) -> Job:
    """Return the job that chooses."""
    return study.jobs.choose()


def choose(study: Study, output: Path) -> None:
    """Choose the recipe with the best mean ZAR F1 on dev of each method and name, and copy its taggers."""
    choices: dict[str, Any] = {}
    for method, recipes in study.grid.candidates().items():
        scores = [read_recipe(study, recipe, "dev") for recipe in recipes]
        choices[method] = _choice(scores, study.seeds)
        for seed in study.seeds:
            _copy_tagger(study, choices[method]["recipe"], chosen_name(method), seed)
    write_json(output, choices)


def read_chosen(study: Study) -> dict[str, str]:
    """Read what was chosen: method -> recipe.

    Raises:
        ZarpipeError: the file is none of `choose`, or the dev scores, where they are there, say otherwise.
    """
    path = Path(study.layout.chosen())
    seals.check(path)
    try:
        choices = {method: dict(choice) for method, choice in read_json(path).items()}
        chosen = {method: str(choice["recipe"]) for method, choice in choices.items()}
        for method, choice in choices.items():
            _check_best(path, method, choice)
            _check_scores(study, path, method, choice)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ZarpipeError(
            f"{path}: not a file of chosen recipes; make it with `zarpipe report choose`"
        ) from error
    return chosen


def read_tested(study: Study) -> dict[str, str]:
    """Read which recipes are run on the test set, by the names of `Grid.tested`."""
    chosen = read_chosen(study)
    for method in study.grid.candidates():
        if method not in chosen:
            raise ZarpipeError(
                f"{study.layout.chosen()}: has no choice for {method!r}; make it again with `zarpipe report "
                "choose`"
            )
    return {name: chosen.get(name, name) for name in study.grid.tested()}


def _check_best(path: Path, method: str, choice: Mapping[str, Any]) -> None:
    """Refuse a choice that is not the best of its own candidates."""
    candidates, recipe = choice["candidates"], choice["recipe"]
    best = max(candidates, key=lambda name: float(candidates[name]))
    if recipe != best or choice["zar_f1"] != candidates[best]:
        raise ZarpipeError(
            f"{path}: {method}: found {recipe!r} with {choice['zar_f1']}; the best of its candidates is "
            f"{best!r} with {candidates[best]}. It was edited; make it again with `zarpipe report choose`"
        )


def _check_scores(study: Study, path: Path, method: str, choice: Mapping[str, Any]) -> None:
    """Refuse a choice by other numbers than the dev scores, if these have not been deleted."""
    for recipe, written in choice["candidates"].items():
        files = [Path(study.layout.scores(recipe, seed, "dev")) for seed in choice["seeds"]]
        if not all(file.is_file() for file in files):
            continue
        found = read_recipe(study, recipe, "dev", choice["seeds"]).mean("zar_f1")
        if not math.isclose(found, float(written), abs_tol=1e-9):
            raise ZarpipeError(
                f"{path}: {method}: has {written} for {recipe}, whose dev scores give {found}; make it again "
                "with `zarpipe report choose`"
            )


def _choice(scores: Sequence[RecipeScores], seeds: Sequence[int]) -> dict[str, Any]:
    best = best_recipe(scores)
    return {
        "recipe": best.name,
        "zar_f1": best.mean("zar_f1"),
        "seeds": list(seeds),
        "candidates": {recipe.name: recipe.mean("zar_f1") for recipe in scores},
    }


def _copy_tagger(study: Study, recipe: str, copy: str, seed: int) -> None:
    folder, target = Path(study.layout.tagger(recipe, seed)), Path(study.layout.tagger(copy, seed))
    files = set(map(Path, study.layout.tagger_files(recipe, seed, study.jobs.is_live(copy))))
    # With a tagger's own MLM goes its tokenizer, whose files have no fixed names.
    for file in sorted(files.union((folder / MODEL_FOLDER).glob("*"))):
        if not file.is_file():
            raise ZarpipeError(f"{file}: this file is missing; train the tagger with `zarpipe train`")
        seals.check(file)
        with whole_file(target / file.relative_to(folder)) as temporary:
            shutil.copyfile(file, temporary)
