"""Recipes compared on dev: what each decides of the same documents, paired by document and seed."""

from __future__ import annotations

from zarpipe.report.significance import difference_cells
from zarpipe.report.table import Row
from zarpipe.study.recipe import Recipe
from zarpipe.study.study import Study
from zarpipe.task.relations import Relation
from zarpipe.task.statistics.comparison import compare, f1_intervals

DIFFERENCE_NOTE = (
    "Difference: of ZAR F1 in percentage points, with the 95 % interval of a paired bootstrap and p of a "
    "two-sided paired permutation test, over documents; the spread over seeds is part of both. p is not "
    "corrected for the number of rows."
)


class PairedRecipes:
    """Reads the decisions of a study's recipes on dev, each once, and compares them."""

    def __init__(self, study: Study) -> None:
        from zarpipe.report.systems import Systems  # loads pyarrow

        self.study = study
        # Recipes are compared by what they are chosen by on dev.
        self.counts = Systems(study, "dev", [Relation.ZAR.name]).counts

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
