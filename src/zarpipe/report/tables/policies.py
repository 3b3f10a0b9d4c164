"""Masking policies beside the baselines and masking of all tokens, on dev."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from zarpipe.report.masked import MaskedTokens
from zarpipe.report.table import Column, Table
from zarpipe.report.tables.dev import DEV_ENDINGS, DevTable, build_dev_table, dev_inputs, dev_spec
from zarpipe.study.grid import recipes_in

if TYPE_CHECKING:
    from zarpipe.study.study import Input, Study

NAME = "policies"
TITLE = "Masking policies, F1 on the development set"
SHOWS = "Masking policies on dev"
CONTENTS = "Policies"
CAPTION = """\
F1 on the development set of each masking policy of the study, of masking all tokens and of the baselines,
each with the masking probability that is best there, and the share of tokens that it masks. The paper has no
such table.
"""
GUIDE = """\
Does it matter which tokens are masked? Each policy has the α that is best on dev. Look at the share of masked
tokens before you compare two policies: the same α masks less where most tokens have a low weight.
"""
ENDINGS = DEV_ENDINGS

_SHARE = Column("masked_percent", "Masked tokens (%)", decimals=2)
_TABLE = DevTable(
    NAME,
    TITLE,
    keys={"policy": "Policy"},
    row_name=lambda recipe: {"policy": recipe.masks or recipe.method},
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
    return dev_spec(study, study.grid.policies(), __name__)


def build(study: Study) -> Table:
    """Choose the best alpha of each policy, and count what it masks."""
    rows = study.grid.policies()
    table = build_dev_table(_TABLE, study, rows)
    masked = MaskedTokens(study)
    by_name = {recipe.name: recipe for recipe in recipes_in(rows)}
    cells = [
        dict(row) | {_SHARE.name: 100 * masked.of(by_name[str(row["recipe"])]) / masked.tokens}
        for row in table.rows
    ]
    policy, alpha, *others = table.columns
    return dataclasses.replace(table, columns=[policy, alpha, _SHARE, *others], rows=cells)
