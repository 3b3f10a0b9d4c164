"""Scores of the runs (recipe x seed), as the tables need them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json
from zarpipe.report.folder import ResultsFolder

# Column of a table -> (category, case) of a scores file.
F1_COLUMNS = {
    "zar_f1": ("ZAR", "ALL"),
    "zar_nom": ("ZAR", "NOM"),
    "zar_acc": ("ZAR", "ACC"),
    "zar_dat": ("ZAR", "DAT"),
    "dep_f1": ("DEP", "ALL"),
    "all_f1": ("ALL", "ALL"),
}


@dataclass(frozen=True)
class Run:
    """F1 in percent of one tagger, by column of F1_COLUMNS."""

    recipe: str
    seed: int
    f1: Mapping[str, float]


@dataclass(frozen=True)
class RecipeScores:
    """The runs of one recipe, one per seed."""

    recipe: str
    runs: tuple[Run, ...]

    def mean(self, column: str) -> float:
        """Return the mean F1 over seeds, in percent."""
        return statistics.fmean(run.f1[column] for run in self.runs)

    def deviation(self, column: str) -> float | None:
        """Return the sample standard deviation (n - 1) over seeds, in percent; None for a single seed."""
        return statistics.stdev(run.f1[column] for run in self.runs) if len(self.runs) > 1 else None

    def standard_error(self, column: str) -> float | None:
        """Return the standard error of the mean over seeds, in percent; None for a single seed."""
        deviation = self.deviation(column)
        return None if deviation is None else deviation / math.sqrt(len(self.runs))


def read_recipe(folder: ResultsFolder, recipe: str, seeds: Sequence[int], split: str) -> RecipeScores:
    """Read ``scores/{recipe}/seed{n}/{split}.json`` of every seed.

    Raises:
        ZarpipeError: a file is missing, or is not a scores file.
    """
    runs = [Run(recipe, seed, read_f1(folder.scores(recipe, seed, split))) for seed in seeds]
    return RecipeScores(recipe, tuple(runs))


def read_f1(path: Path) -> dict[str, float]:
    """Read a scores file as F1 in percent by column. Raises ZarpipeError when it is none."""
    try:
        return f1_columns(read_json(path))
    except (KeyError, TypeError) as error:
        raise ZarpipeError(
            f"{path}: not a scores file: {error} is missing; make it with `zarpipe evaluate`"
        ) from error


def f1_columns(scores: Mapping[str, Any]) -> dict[str, float]:
    """Return the F1 of every column of F1_COLUMNS, in percent."""
    return {
        column: 100 * float(scores[category][case]["f1"]) for column, (category, case) in F1_COLUMNS.items()
    }


def best_recipe(candidates: Sequence[RecipeScores]) -> RecipeScores:
    """Return the recipe with the highest mean ZAR F1; among equal ones the first."""
    return max(candidates, key=lambda recipe: recipe.mean("zar_f1"))
