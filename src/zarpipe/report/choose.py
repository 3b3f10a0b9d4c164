"""Chooses, on dev alone, the recipes that go on to the test set: one of each method, one of each name.

The chosen recipe's taggers are copied to ``taggers/chosen-{method}/``. So the names of all files that touch
the test set are known before the choice, the workflow needs no checkpoint, and no other recipe gets there.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from zarpipe import job_folders
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json, whole_file, write_json
from zarpipe.formats.tagger import MODEL_FOLDER
from zarpipe.report.scores import RecipeScores, best_recipe, read_recipe
from zarpipe.study.recipe import Recipe, chosen_name
from zarpipe.study.study import Input, Study


def choose(study: Study, output: Path) -> None:
    """Choose the recipe with the best mean ZAR F1 on dev of each method and name, and copy its taggers."""
    choices: dict[str, Any] = {}
    for method, recipes in study.grid.candidates().items():
        scores = [read_recipe(study, recipe, "dev") for recipe in recipes]
        choices[method] = _choice(scores, study.seeds)
        for seed in study.seeds:
            recipe = study.recipe(choices[method]["recipe"])
            _copy_tagger(study, recipe, seed, output.parent / chosen_name(method) / f"seed{seed}")
    write_json(output, choices)


def read_chosen(study: Study) -> dict[str, str]:
    """Read what was chosen: method -> recipe.

    Raises:
        ZarpipeError: the file is none of `choose`.
    """
    path = Path(study.chosen().path)
    job_folders.check(path)
    try:
        return {method: str(choice["recipe"]) for method, choice in read_json(path).items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ZarpipeError(
            f"{path}: not a file of chosen recipes; make it with `zarpipe report choose`"
        ) from error


def read_tested(study: Study) -> dict[str, str]:
    """Read which recipes are run on the test set, by the names of `Grid.tested`."""
    chosen = read_chosen(study)
    for method in study.grid.candidates():
        if method not in chosen:
            raise ZarpipeError(
                f"{study.chosen().path}: has no choice for {method!r}; make it again with `zarpipe report "
                "choose`"
            )
    return {name: chosen.get(name, name) for name in study.grid.tested()}


def read_by_ensembles(study: Study) -> list[Input]:
    """Return the files of which the ensembles on the test set are made (`zarpipe.report.systems`)."""
    on_dev, on_test = (study.probabilities(study.test_recipes, split) for split in ("dev", "test"))
    return [*on_dev, *on_test, study.corpus("dev"), study.corpus("test")]


def _choice(scores: Sequence[RecipeScores], seeds: Sequence[int]) -> dict[str, Any]:
    best = best_recipe(scores)
    return {
        "recipe": best.name,
        "zar_f1": best.mean("zar_f1"),
        "seeds": list(seeds),
        "candidates": {recipe.name: recipe.mean("zar_f1") for recipe in scores},
    }


def _copy_tagger(study: Study, recipe: Recipe | str, seed: int, target: Path) -> None:
    folder = Path(study.jobs.tagger(recipe, seed))
    files = {folder / name for name in study.jobs.tagger_files(recipe)}
    # With a tagger's own MLM goes its tokenizer, whose files have no fixed names.
    for file in sorted(files.union((folder / MODEL_FOLDER).glob("*"))):
        if not file.is_file():
            raise ZarpipeError(f"{file}: this file is missing; train the tagger with `zarpipe train`")
        job_folders.check(file)
        with whole_file(target / file.relative_to(folder)) as temporary:
            shutil.copyfile(file, temporary)
