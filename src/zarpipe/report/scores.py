"""Scores of the runs (recipe x seed), as the tables need them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from zarpipe.formats.scores import read_f1
from zarpipe.report.folder import ResultsFolder


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


def best_recipe(candidates: Sequence[RecipeScores]) -> RecipeScores:
    """Return the recipe with the highest mean ZAR F1; among equal ones the first."""
    return max(candidates, key=lambda recipe: recipe.mean("zar_f1"))
