"""Recipes compared on dev: what each decides of the same documents, paired by document and seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zarpipe.arrays import Int64
from zarpipe.report.selection import NESTED_CATEGORIES, DevCounts
from zarpipe.report.significance import difference_cells
from zarpipe.report.table import Row
from zarpipe.study.recipe import Recipe
from zarpipe.task.statistics.comparison import compare, f1_intervals

if TYPE_CHECKING:
    from zarpipe.study.study import Study

# Recipes are compared by what they are chosen by on dev.
_CHOSEN_BY = list(NESTED_CATEGORIES).index("zar_f1")
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
        self.dev = DevCounts(study)

    def difference(self, recipe: Recipe, other: Recipe | None) -> Row:
        """Return the cells of a difference: ``recipe`` minus ``other``; empty ones without another."""
        if other is None:
            return difference_cells(None)
        report = self.study.config.report
        (found,) = compare(self.counts(recipe), self.counts(other), report.permutations, report.seed)
        return difference_cells(found)

    def interval(self, recipe: Recipe) -> tuple[float, float] | None:
        """Return the 95 % interval of a recipe's mean ZAR F1, a fraction, over documents and seeds."""
        report = self.study.config.report
        (found,) = f1_intervals(self.counts(recipe), report.permutations, report.seed)
        return found

    def counts(self, recipe: Recipe) -> Int64:
        """Return [D, K, 1, 3] int64: right, wrong and missed arguments of D documents by K models."""
        return self.dev.of(recipe)[:, :, [_CHOSEN_BY]]
