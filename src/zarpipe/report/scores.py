"""Scores of the runs (recipe x seed), as the tables need them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from zarpipe.formats.scores import f1_columns, read_scores
from zarpipe.report.table import Column, Row
from zarpipe.study.recipe import Recipe
from zarpipe.study.stages import name_of
from zarpipe.study.study import Study


@dataclass(frozen=True)
class Run:
    """F1 in percent of one tagger, by column of F1_COLUMNS."""

    seed: int
    f1: Mapping[str, float]


@dataclass(frozen=True)
class RecipeScores:
    """The runs of a recipe (or of the chosen one of a name), one per seed."""

    recipe: Recipe | str
    runs: tuple[Run, ...]

    @property
    def name(self) -> str:
        """Name of the recipe."""
        return name_of(self.recipe)

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

    def cells(self, columns: Iterable[str]) -> Row:
        """Return mean, standard deviation and standard error of these columns as cells of a table."""
        means: Row = {name: self.mean(name) for name in columns}
        deviations = {f"{name}_sd": self.deviation(name) for name in means}
        return means | deviations | {f"{name}_se": self.standard_error(name) for name in means}


def read_recipe(
    study: Study, recipe: Recipe | str, split: str, seeds: Sequence[int] | None = None
) -> RecipeScores:
    """Read the scores of a recipe's taggers."""
    name = name_of(recipe)
    seeds = study.seeds if seeds is None else seeds
    return RecipeScores(recipe, tuple(_run(study, name, seed, split) for seed in seeds))


def _run(study: Study, recipe: str, seed: int, split: str) -> Run:
    return Run(seed, f1_columns(read_scores(study.scores_of(recipe, seed, split).path)))


def best_recipe(candidates: Sequence[RecipeScores]) -> RecipeScores:
    """Return the recipe with the highest mean ZAR F1; among equal ones the first."""
    return max(candidates, key=lambda recipe: recipe.mean("zar_f1"))


def spread_columns(name: str, title: str, spreads: Iterable[str] = ("sd", "se")) -> list[Column]:
    """Return the columns of the spread of a mean: standard deviation, and standard error of the mean."""
    return [
        Column(
            f"{name}_{one}",
            f"{one.upper()} of {title}",
            2,
            detail_for=name,
            detail=one.upper(),
            printed=False,
        )
        for one in spreads
    ]
