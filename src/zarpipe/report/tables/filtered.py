"""Masking with all masked copies, and with only those whose decisions stay when they are refilled, on dev."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from zarpipe.report.paired import DIFFERENCE_NOTE, PairedRecipes
from zarpipe.report.significance import difference_columns
from zarpipe.report.table import Cell, CellRow, Column, Table
from zarpipe.report.tables.dev import DEV_ENDINGS, DevTable
from zarpipe.study.grid import recipes_in
from zarpipe.study.recipe import Recipe
from zarpipe.study.study import Input, Study

NAME = "filtered"
TITLE = "Masking without the copies whose antecedents change, F1 on the development set"
SHOWS = "Masking without changed antecedents on dev"
CONTENTS = "Filtered copies"
CAPTION = """\
F1 on the development set of masking with all masked copies, and with only those about which taggers that have
not seen the document decide as about the original when the masks are refilled; each with the masking
probability that is best there. The paper has no such table.
"""
GUIDE = """\
Are copies with a changed antecedent what harms? A filtered recipe leaves them out. It also sees fewer copies,
and easier ones, so that a difference to the unfiltered recipe has more than one possible reason.
"""
ENDINGS = DEV_ENDINGS
SWITCH = "antecedents.filtered"

_KEPT = Column("kept_percent", "Copies kept (%)", decimals=1)
_TABLE = DevTable(
    NAME,
    TITLE,
    lambda study: study.grid.filtered(),
    keys={"policy": "Masked", "copies": "Copies"},
    row_name=lambda _, recipe: {"policy": recipe.masks or recipe.method, "copies": _copies(recipe)},
    paired=True,
)
spec = _TABLE.spec


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    filtered = [recipe for recipe in recipes_in(study.grid.filtered()) if recipe.filtered]
    return [*_TABLE.inputs(study), *(one for recipe in filtered for one in study.kept_copies(recipe))]


def build(study: Study) -> Table:
    """Choose the best alpha of each row, say how many copies it keeps, and compare it with all copies."""
    table, paired = _TABLE.build(study), PairedRecipes(study)
    recipes = {recipe.name: recipe for recipe in recipes_in(study.grid.filtered())}
    kept = {name: _kept_percent(study, recipe) for name, recipe in recipes.items()}
    cells: list[CellRow] = []
    for row in table.rows:
        recipe = recipes[str(row["recipe"])]
        whole = recipe.model_copy(update={"filtered": False}) if recipe.filtered else None
        cells.append(dict(row) | {_KEPT.name: kept[recipe.name]} | paired.difference(recipe, whole))
    policy, copies, alpha, *scores, seeds = table.columns
    columns = [policy, copies, alpha, _KEPT, *scores, *difference_columns("Above all copies"), seeds]
    note = f"{table.note} {DIFFERENCE_NOTE}"
    return dataclasses.replace(table, columns=columns, rows=cells, note=note)


def _copies(recipe: Recipe) -> str:
    if recipe.variant is None:
        return ""
    return "filtered" if recipe.filtered else "all"


def _kept_percent(study: Study, recipe: Recipe) -> Cell:
    """Return the share of copies that a recipe is trained on; nothing for the baselines."""
    from zarpipe.formats.copies import read_kept_share  # loads pyarrow

    if recipe.variant is None:
        return None
    if not recipe.filtered:
        return 100.0
    (of_draw,) = study.kept_copies(recipe)
    return 100 * read_kept_share(Path(of_draw.path))
