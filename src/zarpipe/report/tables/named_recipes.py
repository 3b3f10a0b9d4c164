"""The recipes that the configuration names, each beside the baseline with equally many updates, on dev."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from zarpipe.report.paired import DIFFERENCE_NOTE, PairedRecipes
from zarpipe.report.significance import difference_columns
from zarpipe.report.table import Column, Row, Table
from zarpipe.report.tables.dev import DEV_ENDINGS, DevTable
from zarpipe.study.grid import recipes_in
from zarpipe.study.recipe import Recipe
from zarpipe.study.study import Input, Study

NAME = "named_recipes"
TITLE = "Draws, ratios, epochs, stages and perturbed states: F1 on the development set"
SHOWS = "Named recipes on dev"
CONTENTS = "Recipes"
CAPTION = """\
F1 on the development set of the recipes that the configuration names, each with the masking probability that
is best there, beside the baselines with as many optimiser updates in an epoch. The paper has no such table.
"""
GUIDE = """\
Is it the masks, or only more training? Each recipe is compared with the baseline that has as many optimiser
updates in an epoch (baseline5x sees each original five times). What is better than that is due to the copies.
"""
ENDINGS = DEV_ENDINGS
SWITCH = "recipes"

_TABLE = DevTable(NAME, TITLE, lambda study: study.grid.named_and_baselines(), {}, lambda *_: {}, paired=True)
spec = _TABLE.spec
_UPDATES = Column("updates", "Updates", decimals=2)
_EQUAL = Column("equal_updates", "Compared with")


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    filtered = [recipe for recipe in recipes_in(study.grid.named()) if recipe.filtered]
    return [*_TABLE.inputs(study), *(one for recipe in filtered for one in study.kept_copies(recipe))]


def build(study: Study) -> Table:
    """Choose the best alpha of each recipe, and compare it with the baseline of as many updates."""
    rows, table, paired = study.grid.named_and_baselines(), _TABLE.build(study), PairedRecipes(study)
    by_name = {recipe.name: recipe for recipe in recipes_in(rows)}
    cells = []
    for label, row in zip(rows, table.rows, strict=True):
        recipe = by_name[str(row["recipe"])]
        equal = recipe.equal_updates
        named: Row = {"name": label, "updates": _updates(study, equal)}
        named["equal_updates"] = equal.name if recipe.augmented else ""
        cells.append(dict(row) | named | paired.difference(recipe, equal if recipe.augmented else None))
    alpha, *scores, seeds = table.columns
    columns = [Column("name", "Recipe"), alpha, _UPDATES, *scores, _EQUAL, *difference_columns(), seeds]
    note = f"{table.note} Updates: in an epoch, as multiples of the baseline's. {DIFFERENCE_NOTE}"
    return dataclasses.replace(table, columns=columns, rows=cells, note=note)


def _updates(study: Study, baseline: Recipe) -> int | float | str:
    """Return how many instances an epoch of a baseline sees, as a multiple of the originals."""
    if baseline.in_place:
        return " + ".join([str(baseline.copies), *["extra"] * baseline.variant_copies])
    from zarpipe.formats.copies import read_kept_share  # loads pyarrow

    kept = [read_kept_share(Path(one.path)) for one in study.kept_copies(baseline)]
    if not kept:
        return baseline.copies
    seen = sum(kept) / (len(kept) if baseline.per_epoch else 1)
    return baseline.copies + baseline.variant_copies * seen
