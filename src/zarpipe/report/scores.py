"""Scores of the runs (recipe x seed), as the tables need them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json

CATEGORIES = ("ZAR", "DEP", "ALL")


@dataclass(frozen=True)
class Run:
    """F1 over the three cases of one tagger, in percent, for ZAR, DEP and both."""

    recipe: str
    seed: int
    zar_f1: float
    dep_f1: float
    all_f1: float


@dataclass(frozen=True)
class RecipeScores:
    """The runs of one recipe, one per seed."""

    recipe: str
    runs: tuple[Run, ...]

    @property
    def zar_f1(self) -> float:
        """Mean ZAR F1 over seeds, in percent."""
        return statistics.fmean(run.zar_f1 for run in self.runs)

    @property
    def dep_f1(self) -> float:
        """Mean DEP F1 over seeds, in percent."""
        return statistics.fmean(run.dep_f1 for run in self.runs)

    @property
    def all_f1(self) -> float:
        """Mean ALL F1 over seeds, in percent."""
        return statistics.fmean(run.all_f1 for run in self.runs)

    @property
    def all_f1_sd(self) -> float:
        """Sample standard deviation (n - 1) of ALL F1 over seeds, in percent; NaN for a single seed."""
        return statistics.stdev(run.all_f1 for run in self.runs) if len(self.runs) > 1 else math.nan


def read_recipe(scores: Path, recipe: str, seeds: Sequence[int], split: str) -> RecipeScores:
    """Read ``{scores}/{recipe}/seed{n}/{split}.json`` of every seed.

    Raises:
        ZarpipeError: a file is missing, or is not a scores file.
    """
    return RecipeScores(recipe, tuple(_read_run(scores, recipe, seed, split) for seed in seeds))


def best_recipe(candidates: Sequence[RecipeScores]) -> RecipeScores:
    """Return the recipe with the highest mean ZAR F1; among equal ones the first."""
    return max(candidates, key=lambda recipe: recipe.zar_f1)


def _read_run(scores: Path, recipe: str, seed: int, split: str) -> Run:
    path = scores / recipe / f"seed{seed}" / f"{split}.json"
    content = read_json(path)
    try:
        zar, dep, both = (100 * float(content[category]["ALL"]["f1"]) for category in CATEGORIES)
    except (KeyError, TypeError) as error:
        raise ZarpipeError(
            f"{path}: not a scores file: {error} is missing; make it with `zarpipe evaluate`"
        ) from error
    return Run(recipe, seed, zar, dep, both)
