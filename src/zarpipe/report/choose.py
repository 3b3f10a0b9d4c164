"""Chooses, on dev alone, the recipes that go on to the test set.

The chosen recipe's taggers are copied to ``taggers/chosen-{method}/``. So the names of all files that touch
the test set are known before the choice, the workflow needs no checkpoint, and no other recipe gets there.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    """Choose the recipe with the best mean ZAR F1 on dev of each method, and copy its taggers.

    Args:
        study: the study.
        output: JSON file: method -> recipe, its mean ZAR F1, and those of all candidates, in percent.

    Raises:
        ZarpipeError: a scores file or a tagger is missing or damaged.
    """
    choices: dict[str, Any] = {}
    for method, recipes in study.grid.candidates().items():
        scores = [read_recipe(study, recipe, "dev") for recipe in recipes]
        choices[method] = _choice(scores, study.seeds)
        for seed in study.seeds:
            _copy_tagger(study, choices[method]["recipe"], chosen_name(method), seed)
    write_json(output, choices)


def read_chosen(path: Path) -> dict[str, str]:
    """Read what was chosen: method -> recipe. Raises ZarpipeError when the file is none of `choose`."""
    try:
        return {method: str(choice["recipe"]) for method, choice in read_json(path).items()}
    except (AttributeError, KeyError, TypeError) as error:
        raise ZarpipeError(
            f"{path}: not a file of chosen recipes; make it with `zarpipe report choose`"
        ) from error


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
        with whole_file(target / file.relative_to(folder)) as temporary:
            shutil.copyfile(file, temporary)
