"""Masking policies at every alpha, each paired to masking of all tokens, on dev: a table and a figure."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zarpipe.report.figures.drawing import (
    LineStyle,
    draw_line,
    drawing,
    fit_to_points,
    line_style,
    rows_by,
    save_figure,
)
from zarpipe.report.masked import MaskedTokens
from zarpipe.report.paired import DIFFERENCE_NOTE, PairedRecipes
from zarpipe.report.significance import difference_columns, interval_cells, interval_columns
from zarpipe.report.table import CellRow, Column, Row, Table, number_of
from zarpipe.report.tables.dev import DEV_ENDINGS, DevTable
from zarpipe.study.grid import recipes_in
from zarpipe.study.study import Input, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "policies"
TITLE = "Masking policies, F1 on the development set"
SHOWS = "Masking policies on dev"
CONTENTS = "Policies"
CAPTION = """\
F1 on the development set of each masking policy of the study, of masking all tokens and of the baselines, at
each masking probability, with the share of tokens that it masks, and the difference to masking all tokens.
The paper has no such table.
"""
GUIDE = """\
Does it matter which tokens are masked? The figure shows ZAR F1 against the share of tokens that a policy
masks, with 95 % intervals. Compare policies at the same share: with “match: share” they stand in one column.
The table has the difference of each to masking all tokens at the same α.
"""
ENDINGS = (*DEV_ENDINGS, ".svg", ".pdf")
SWITCH = "augmentation.policies"

ALL_TOKENS = "all"

_TABLE = DevTable(
    NAME,
    TITLE,
    lambda study: {
        f"{policy} {recipe.alpha}": [recipe]
        for policy, recipes in study.grid.policies().items()
        for recipe in recipes
    },
    {"policy": "Policy"},
    lambda _, recipe: {"policy": recipe.masks or recipe.method},
    paired=True,
)
spec = _TABLE.spec
_SHARE = Column("masked_percent", "Masked tokens (%)", decimals=2)
_OWN_ALPHA = Column("own_alpha", "Own α", decimals=3)
_INTERVAL = ("zar_f1_low", "zar_f1_high")
# Policies at one share would hide each other: each is moved by this part of the width.
_STEP = 0.006
_NOTE = (
    "Own α: at which the policy masks as many tokens as masking of all does at α; where it is above 1, "
    "tokens with a weight of at least 1 / α are always masked. "
)


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    recipes = recipes_in(study.grid.policies())
    variants = [study.variant(recipe.variant) for recipe in recipes if recipe.variant]
    return [*_TABLE.inputs(study), study.corpus("train"), *variants]


def build(study: Study) -> Table:
    """Count what each policy masks at each alpha, and compare it with masking of all tokens."""
    policies = study.grid.policies()
    table, paired, masked = _TABLE.build(study), PairedRecipes(study), MaskedTokens(study)
    of_all = {recipe.alpha: recipe for recipe in policies[ALL_TOKENS]}
    recipes = [(policy, recipe) for policy, of_policy in policies.items() for recipe in of_policy]
    cells = []
    for row, (policy, recipe) in zip(table.rows, recipes, strict=True):
        compared = of_all[recipe.alpha] if recipe.variant and policy != ALL_TOKENS else None
        share: Row = {
            _SHARE.name: 100 * masked.of(recipe) / masked.tokens,
            _OWN_ALPHA.name: masked.own_alpha(recipe),
        }
        interval = interval_cells(paired.interval(recipe), *_INTERVAL)
        cells.append(dict(row) | share | interval | paired.difference(recipe, compared))
    name, alpha, zar_f1, *others, seeds = table.columns
    own_alpha = [_OWN_ALPHA] if study.config.augmentation.match else []
    columns = [name, alpha, *own_alpha, _SHARE, zar_f1, *interval_columns(*_INTERVAL)]
    columns += [*difference_columns(), *others, seeds]
    note = f"{table.note} {_NOTE if own_alpha else ''}{DIFFERENCE_NOTE}"
    return dataclasses.replace(table, columns=columns, rows=cells, note=note)


def draw(study: Study, table: Table, output: Path) -> None:  # noqa: ARG001 (called as all are)
    """Draw ZAR F1 against the share of masked tokens, a line for each policy."""
    lines = rows_by(table.rows, "policy")
    baselines = {name: rows for name, rows in lines.items() if not any(row["alpha"] for row in rows)}
    policies = {name: rows for name, rows in lines.items() if name not in baselines}
    widest = max(number_of(row[_SHARE.name]) for row in table.rows)
    with drawing(7.0, 4.6) as figure:
        axes = figure.add_subplot()
        for (name, (row,)), dashes in zip(baselines.items(), ("dashed", "dotted"), strict=False):
            label = name.replace("baseline2x", "baseline, equally many updates")
            axes.axhline(
                number_of(row["zar_f1"]), color="#555555", linewidth=1.2, linestyle=dashes, label=label
            )
        for number, (name, rows) in enumerate(policies.items()):
            shift = (number - (len(policies) - 1) / 2) * _STEP * widest
            _draw_line(axes, name, rows, line_style(number), shift)
        axes.set_xlabel("masked tokens (% of all tokens of the training instances)")
        axes.set_ylabel("ZAR F1 on the development set (%), 95 % intervals")
        fit_to_points(axes, [number_of(row["zar_f1"]) for row in table.rows])
        figure.legend(loc="outside upper center", ncols=3)
        save_figure(figure, output, table.title)


def _draw_line(axes: Axes, name: str, rows: Sequence[CellRow], style: LineStyle, shift: float) -> None:
    """Draw a policy's points with their intervals; an unknown interval has no bar."""
    f1 = np.array([number_of(row["zar_f1"]) for row in rows])
    low, high = (
        [mean if row[end] is None else number_of(row[end]) for row, mean in zip(rows, f1, strict=True)]
        for end in _INTERVAL
    )
    percents = [number_of(row[_SHARE.name]) + shift for row in rows]
    draw_line(axes, percents, f1, np.maximum([f1 - low, high - f1], 0), style, name)
