"""Two results folders side by side: the recipes that both have, with differences and their significance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zarpipe.arrays import Int64
from zarpipe.errors import ZarpipeError
from zarpipe.evaluate.evaluation import read_gold
from zarpipe.formats.predictions import Gold
from zarpipe.formats.scores import F1_COLUMNS
from zarpipe.report.choose import read_chosen
from zarpipe.report.scores import RecipeScores, read_recipe
from zarpipe.report.significance import (
    TEST_NOTE,
    comparison_columns,
    comparison_rows,
    counts_by_document,
    with_holm,
)
from zarpipe.report.systems import count_file, documents_of
from zarpipe.report.table import Column, Row, Table
from zarpipe.study.recipe import chosen_name
from zarpipe.study.study import Study
from zarpipe.task.scores import ALL

SPLITS = ("dev", "test")
# Category -> column of its F1 over all cases.
_F1 = {category: column for column, (category, case) in F1_COLUMNS.items() if case == ALL}
_COLUMNS = (
    Column("split", "Split"),
    Column("recipe", "Recipe"),
    Column("category", "Category"),
    *comparison_columns("B − A", other_f1="A: F1", f1="B: F1"),
    Column("seeds", "Seeds", numeric=True),
)
_NOTE = (
    "A is {a}, B is {b}. F1 in percent, mean over the seeds that both have, models paired by seed. "
    + TEST_NOTE.format(family="the split", system="B")
)


@dataclass(frozen=True)
class _Pair:
    """Two studies, and how their differences are tested."""

    a: Study
    b: Study
    permutations: int
    seed: int

    @property
    def sides(self) -> tuple[tuple[str, Study], tuple[str, Study]]:
        """Both studies with their names in the table."""
        return ("A", self.a), ("B", self.b)


def compare_results(a: Study, b: Study, permutations: int, seed: int) -> Table:
    """Compare every recipe that both studies have scores of, on dev and on test: B minus A.

    Raises:
        ZarpipeError: they have no scores in common.
    """
    pair = _Pair(a, b, permutations, seed)
    folders = a.results, b.results
    rows: list[Row] = []
    notes = [_NOTE.format(a=folders[0], b=folders[1])]
    for split in SPLITS:
        common = _common_recipes(pair, split)
        if not common:
            continue
        gold, obstacle = _common_gold(pair, split)
        notes += [obstacle] if obstacle else []
        of_split = [
            row
            for recipe, seeds in common.items()
            for row in _compare_recipe(pair, recipe, seeds, split, gold)
        ]
        rows += with_holm(of_split)
    if not rows:
        raise ZarpipeError(
            f"{folders[0]} and {folders[1]}: found no scores of the same recipe and seed; expected "
            "scores/RECIPE/seedN/dev.json in both"
        )
    return Table("compare", "Two results folders", _COLUMNS, rows, " ".join([*notes, *_choices(pair)]))


def _compare_recipe(
    pair: _Pair, recipe: str, seeds: Sequence[int], split: str, gold: Gold | None
) -> list[Row]:
    identity: Row = {"split": split, "recipe": recipe, "seeds": len(seeds)}
    counts = gold and _both_counts(pair, recipe, seeds, split, gold)
    if counts:
        rows = comparison_rows(counts[1], counts[0], tuple(_F1), pair.permutations, pair.seed)
    else:
        rows = _score_rows(*(read_recipe(study, recipe, split, seeds) for _, study in pair.sides))
    return [identity | row for row in rows]


def _score_rows(before: RecipeScores, after: RecipeScores) -> list[Row]:
    """Return the differences without a test, one row per category."""
    untested: Row = dict.fromkeys(column.name for column in comparison_columns() if column.name != "p_holm")
    rows = []
    for category, column in _F1.items():
        f1, other_f1 = after.mean(column), before.mean(column)
        row: Row = {"category": category, "f1": f1, "other_f1": other_f1, "difference": f1 - other_f1}
        rows.append(untested | row)
    return rows


def _both_counts(
    pair: _Pair, recipe: str, seeds: Sequence[int], split: str, gold: Gold
) -> list[Int64] | None:
    """Count both folders' decisions by document; None when predictions have been deleted."""
    paths = [
        [Path(study.decisions_of(recipe, seed, split).path) for seed in seeds] for _, study in pair.sides
    ]
    if not all(path.is_file() for of_study in paths for path in of_study):
        return None
    documents = documents_of(Path(pair.a.jobs.corpus(split)), gold)
    counted = (np.stack([count_file(path, gold) for path in of_study], axis=1) for of_study in paths)
    return [counts_by_document(of_study, documents) for of_study in counted]


def _common_recipes(pair: _Pair, split: str) -> dict[str, list[int]]:
    """Find the seeds of each recipe of which both studies have scores."""
    seeds_a, seeds_b = _scored(pair.a, split), _scored(pair.b, split)
    common = {name: sorted(seeds & seeds_b.get(name, set())) for name, seeds in seeds_a.items()}
    return {name: seeds for name, seeds in common.items() if seeds}


def _scored(study: Study, split: str) -> dict[str, set[int]]:
    """Find the seeds of each recipe of a study that has been scored, in the order of its grid."""
    names = [*(recipe.name for recipe in study.grid.recipes()), *study.grid.chosen()]
    return {
        name: {seed for seed in study.seeds if Path(study.scores_of(name, seed, split).path).is_file()}
        for name in names
    }


def _common_gold(pair: _Pair, split: str) -> tuple[Gold | None, str]:
    """Return the gold of a split when both studies have the same, else why nothing is tested."""
    paths = [Path(study.jobs.corpus(split)) for _, study in pair.sides]
    for path in paths:
        if not path.is_file():
            return None, f"The {split} set's differences are not tested: there is no {path}."
    one, other = map(read_gold, paths)
    fields = ("sentence", "predicate", "offsets", "gold", "position_category")
    same = all(
        np.array_equal(getattr(one.instances, name), getattr(other.instances, name)) for name in fields
    )
    if same and one.sent_ids.equals(other.sent_ids):
        return one, ""
    return None, f"The {split} sets of A and B differ, so their differences are not tested."


def _choices(pair: _Pair) -> list[str]:
    """Say what stands behind the chosen recipes of each study."""
    lines = []
    for side, study in pair.sides:
        if Path(study.chosen().path).is_file():
            chosen = read_chosen(study)
            known = [
                f"{chosen_name(method)} is {chosen[method]}"
                for method in study.grid.candidates()
                if method in chosen
            ]
            lines.append(f"In {side}, {' and '.join(known)}.")
    return lines
