"""Masking policies at every alpha, each paired to masking of all tokens, on dev: a table and a figure."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe.report.masked import MaskedTokens
from zarpipe.report.paired import DIFFERENCE_COLUMNS, DIFFERENCE_NOTE, PairedRecipes
from zarpipe.report.table import Column, Row, Table, read_table, with_ending
from zarpipe.report.tables.dev import DEV_ENDINGS, DevTable, build_dev_table, dev_inputs, dev_spec
from zarpipe.study.grid import Rows, recipes_in
from zarpipe.study.recipe import Recipe
from zarpipe.study.specs import versions

if TYPE_CHECKING:
    from zarpipe.study.study import Input, Study

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
masks, with 95 % intervals. Compare policies at the same share: with `match: share` they stand in one column.
The table has the difference of each to masking all tokens at the same α.
"""
ENDINGS: tuple[str, ...] = (*DEV_ENDINGS, ".svg", ".pdf")
ALL_TOKENS = "all"

_SHARE = Column("masked_percent", "Masked tokens (%)", decimals=2)
_OWN_ALPHA = Column("own_alpha", "Own α", decimals=3)
_INTERVAL = (
    Column("zar_f1_low", "95 % from", decimals=2),
    Column("zar_f1_high", "to", decimals=2),
)
_NOTE = (
    "Own α: at which the policy masks as many tokens as masking of all does at α; where it is above 1, "
    "tokens with a weight of at least 1 / α are always masked. "
)


def wanted(study: Study) -> bool:
    """Tell whether the study compares policies."""
    return bool(study.config.augmentation.policies)


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    rows = study.grid.policies()
    variants = [study.variant(recipe) for recipe in recipes_in(rows) if recipe.variant]
    return [*dev_inputs(study, rows), study.corpus("train"), *variants]


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on besides its inputs."""
    report = study.config.report
    tested = {"permutations": report.permutations, "seed": report.seed}
    return dev_spec(study, study.grid.policies(), __name__) | tested | {"libraries": versions("matplotlib")}


def build(study: Study) -> Table:
    """Count what each policy masks at each alpha, and compare it with masking of all tokens."""
    policies = study.grid.policies()
    rows: Rows = {
        f"{policy} {recipe.alpha}": [recipe] for policy, recipes in policies.items() for recipe in recipes
    }
    labels = [policy for policy, recipes in policies.items() for _ in recipes]
    table = build_dev_table(DevTable(NAME, TITLE, {"policy": "Policy"}, _row_name), study, rows)
    paired, masked = PairedRecipes(study), MaskedTokens(study)
    of_all = {recipe.alpha: recipe for recipe in policies[ALL_TOKENS]}
    cells = []
    for label, row, (recipe,) in zip(labels, table.rows, rows.values(), strict=True):
        tested: Row = dict.fromkeys(column.name for column in DIFFERENCE_COLUMNS)
        if recipe.variant and label != ALL_TOKENS:
            tested = paired.difference(recipe, of_all[recipe.alpha])
        low, high = paired.interval(recipe)
        share: Row = {
            _SHARE.name: 100 * masked.of(recipe) / masked.tokens,
            _OWN_ALPHA.name: masked.own_alpha(recipe),
        }
        cells.append(dict(row) | share | {"zar_f1_low": low, "zar_f1_high": high} | tested)
    policy, alpha, zar_f1, *others, seeds = table.columns
    own_alpha = [_OWN_ALPHA] if study.config.augmentation.match else []
    columns = [policy, alpha, *own_alpha, _SHARE, zar_f1, *_INTERVAL, *DIFFERENCE_COLUMNS, *others, seeds]
    note = f"{table.note} {_NOTE if own_alpha else ''}{DIFFERENCE_NOTE}"
    return dataclasses.replace(table, columns=columns, rows=cells, note=note)


def draw(study: Study, output: Path) -> None:  # noqa: ARG001 (called as all tables' own)
    """Draw the table: ZAR F1 against the share of masked tokens, a line for each policy.

    Args:
        study: the study.
        output: path of the CSV; the table is read from the JSON, ``.svg`` and ``.pdf`` are written beside it.
    """
    from zarpipe.report.figures.policies import draw_policies  # loads matplotlib

    draw_policies(read_table(with_ending(output, ".json")), with_ending(output, ".svg"))


def _row_name(recipe: Recipe) -> dict[str, str]:
    return {"policy": recipe.masks or recipe.method}
