"""Recipes compared on dev: what each decides of the same documents, paired by document and seed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zarpipe.arrays import Int64
from zarpipe.evaluate.evaluation import read_gold
from zarpipe.report.significance import counts_by_document, counts_of_categories
from zarpipe.report.systems import count_file, documents_of
from zarpipe.report.table import Column, Row
from zarpipe.study.recipe import Recipe
from zarpipe.task.relations import Relation
from zarpipe.task.statistics.comparison import compare, f1_intervals

if TYPE_CHECKING:
    from zarpipe.study.study import Study

# The category by which recipes are chosen on dev, and compared here.
CATEGORY = Relation.ZAR.name
DIFFERENCE_COLUMNS = (
    Column("difference", "Difference", decimals=2),
    Column("ci_low", "95 % from", decimals=2),
    Column("ci_high", "to", decimals=2),
    Column("p_value", "p", decimals=4),
)
DIFFERENCE_NOTE = (
    "Difference: of ZAR F1 in percentage points, with the 95 % interval of a paired bootstrap and p of a "
    "two-sided paired permutation test, over documents; the spread over seeds is part of both. p is not "
    "corrected for the number of rows."
)


class PairedRecipes:
    """Reads the decisions of a study's recipes on dev, each once, and compares them.

    Args:
        study: the study.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        corpus = Path(study.layout.corpus("dev"))
        self.gold = read_gold(corpus)
        self.documents = documents_of(corpus, self.gold)
        self._counts: dict[str, Int64] = {}

    def difference(self, recipe: Recipe, other: Recipe) -> Row:
        """Return the cells of DIFFERENCE_COLUMNS: ``recipe`` minus ``other``."""
        report = self.study.config.report
        (found,) = compare(self.counts(recipe), self.counts(other), report.permutations, report.seed)
        low, high = found.interval or (None, None)
        return {
            "difference": 100 * found.difference,
            "ci_low": None if low is None else 100 * low,
            "ci_high": None if high is None else 100 * high,
            "p_value": found.p_value,
        }

    def interval(self, recipe: Recipe) -> tuple[float | None, float | None]:
        """Return the 95 % interval of a recipe's mean ZAR F1 in percent, over documents and seeds."""
        report = self.study.config.report
        (found,) = f1_intervals(self.counts(recipe), report.permutations, report.seed)
        return (None, None) if found is None else (100 * found[0], 100 * found[1])

    def counts(self, recipe: Recipe) -> Int64:
        """Return [D, K, 1, 3] int64: right, wrong and missed arguments of D documents by K models."""
        if recipe.name not in self._counts:
            layout = self.study.layout
            paths = [Path(layout.decisions(recipe.name, seed, "dev")) for seed in self.study.seeds]
            by_instance = np.stack([count_file(path, self.gold) for path in paths], axis=1)
            by_document = counts_by_document(by_instance, self.documents)
            self._counts[recipe.name] = counts_of_categories(by_document, [CATEGORY])
        return self._counts[recipe.name]
