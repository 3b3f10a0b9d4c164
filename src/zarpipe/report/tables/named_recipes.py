"""The recipes that the configuration names, each beside the baseline with equally many updates, on dev."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from zarpipe.report.paired import DIFFERENCE_COLUMNS, DIFFERENCE_NOTE, PairedRecipes
from zarpipe.report.table import Column, Row, Table
from zarpipe.report.tables.dev import DEV_ENDINGS, DevTable, build_dev_table, dev_inputs, dev_spec
from zarpipe.study.grid import recipes_in

if TYPE_CHECKING:
    from zarpipe.study.study import Input, Study

NAME = "named_recipes"
TITLE = "Draws, ratios, epochs, stages and dropped tokens: F1 on the development set"
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

_UPDATES = Column("updates", "Updates", numeric=True)
_EQUAL = Column("equal_updates", "Compared with")


def wanted(study: Study) -> bool:
    """Tell whether the configuration names recipes."""
    return bool(study.config.recipes)


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    return dev_inputs(study, study.grid.named_and_baselines())


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on besides its inputs."""
    rows, report = study.grid.named_and_baselines(), study.config.report
    tested = {"permutations": report.permutations, "seed": report.seed}
    return dev_spec(study, rows, __name__) | {"names": list(rows)} | tested


def build(study: Study) -> Table:
    """Choose the best alpha of each recipe, and compare it with the baseline of as many updates."""
    rows = study.grid.named_and_baselines()
    table = build_dev_table(DevTable(NAME, TITLE, {}, lambda _: {}), study, rows)
    paired = PairedRecipes(study)
    by_name = {recipe.name: recipe for recipe in recipes_in(rows)}
    cells = []
    for label, row in zip(rows, table.rows, strict=True):
        recipe = by_name[str(row["recipe"])]
        equal = recipe.equal_updates
        tested: Row = dict.fromkeys(column.name for column in DIFFERENCE_COLUMNS)
        if recipe.augmented:
            tested = paired.difference(recipe, equal)
        updates: Row = {"updates": equal.copies, "equal_updates": equal.name if recipe.augmented else ""}
        cells.append({"name": label} | dict(row) | updates | tested)
    alpha, *scores, seeds = table.columns
    columns = [Column("name", "Recipe"), alpha, _UPDATES, *scores, _EQUAL, *DIFFERENCE_COLUMNS, seeds]
    note = f"{table.note} Updates: in an epoch, as multiples of the baseline's. {DIFFERENCE_NOTE}"
    return dataclasses.replace(table, columns=columns, rows=cells, note=note)
