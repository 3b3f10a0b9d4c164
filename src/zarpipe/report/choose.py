"""Chooses, on dev alone, the recipes that go on to the test set.

The chosen recipe's taggers are copied to ``taggers/chosen-{method}/``. So the names of all files that touch
the test set are known before the choice, the workflow needs no checkpoint, and no other recipe gets there.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json, whole_file, write_json
from zarpipe.formats.tagger import TAGGER_FILES
from zarpipe.report.folder import ResultsFolder
from zarpipe.report.scores import RecipeScores, best_recipe, read_recipe
from zarpipe.study.grid import chosen_recipe


def choose(
    folder: ResultsFolder, candidates: Mapping[str, Sequence[str]], seeds: Sequence[int], output: Path
) -> None:
    """Choose the recipe with the best mean ZAR F1 on dev of each method, and copy its taggers.

    Args:
        folder: results folder with ``scores/{recipe}/seed{n}/dev.json`` and the taggers.
        candidates: recipes of each method.
        seeds: the seeds that were run.
        output: JSON file: method -> recipe, its mean ZAR F1, and those of all candidates, in percent.

    Raises:
        ZarpipeError: a scores file or a tagger is missing or damaged.
    """
    choices: dict[str, Any] = {}
    for method, recipes in candidates.items():
        scores = [read_recipe(folder, recipe, seeds, "dev") for recipe in recipes]
        choices[method] = _choice(scores, seeds)
        for seed in seeds:
            _copy_tagger(
                folder.tagger(choices[method]["recipe"], seed), folder.tagger(chosen_recipe(method), seed)
            )
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
        "recipe": best.recipe,
        "zar_f1": best.mean("zar_f1"),
        "seeds": list(seeds),
        "candidates": {recipe.recipe: recipe.mean("zar_f1") for recipe in scores},
    }


def _copy_tagger(source: Path, target: Path) -> None:
    for name in TAGGER_FILES:
        if not (source / name).is_file():
            raise ZarpipeError(
                f"{source / name}: this file is missing; train the tagger with `zarpipe train`"
            )
        with whole_file(target / name) as temporary:
            shutil.copyfile(source / name, temporary)
