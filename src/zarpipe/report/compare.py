"""Two results folders side by side: the recipes that both have, with differences and their significance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from zarpipe.arrays import Int64
from zarpipe.errors import ZarpipeError
from zarpipe.evaluate.evaluation import read_gold
from zarpipe.formats.predictions import Gold
from zarpipe.formats.scores import F1_COLUMNS
from zarpipe.report.choose import read_chosen
from zarpipe.report.folder import ResultsFolder
from zarpipe.report.scores import RecipeScores, read_recipe
from zarpipe.report.significance_table import comparison_rows
from zarpipe.report.systems import count_file
from zarpipe.report.tables import Cell, Column, Table
from zarpipe.study.grid import CHOSEN_METHODS, chosen_recipe
from zarpipe.task.scores import ALL

SPLITS = ("dev", "test")
# Category -> column of its F1 over all cases.
_F1 = {category: column for column, (category, case) in F1_COLUMNS.items() if case == ALL}
_COLUMNS = (
    Column("split", "Split"),
    Column("recipe", "Recipe"),
    Column("category", "Category"),
    Column("other_f1", "A: F1", 2),
    Column("f1", "B: F1", 2),
    Column("difference", "B − A", 2),
    Column("ci_low", "95 % from", 2),
    Column("ci_high", "to", 2),
    Column("p_value", "p", 4),
    Column("seeds", "Seeds"),
)
_NOTE = (
    "A is {a}, B is {b}. F1 in percent, mean over the seeds that both have. p: paired permutation test over "
    "instances, models paired by seed; the 95 % interval of the difference: paired bootstrap."
)


def compare_results(a: ResultsFolder, b: ResultsFolder, permutations: int, seed: int) -> Table:
    """Compare every recipe that both folders have scores of, on dev and on test.

    Args:
        a: one results folder.
        b: the other one; differences are B minus A.
        permutations: permutations, and bootstrap samples.
        seed: seed of both.

    Raises:
        ZarpipeError: a folder is missing, or they have no scores in common.
    """
    rows: list[dict[str, Cell]] = []
    notes = [_NOTE.format(a=a.path, b=b.path)]
    for split in SPLITS:
        seeds_a, seeds_b = _seeds_by_recipe(a, split), _seeds_by_recipe(b, split)
        common = {
            recipe: sorted(seeds_a[recipe] & seeds_b[recipe]) for recipe in seeds_a if recipe in seeds_b
        }
        common = {recipe: seeds for recipe, seeds in common.items() if seeds}
        gold = None
        if common:
            gold, obstacle = _common_gold(a, b, split)
            notes += [obstacle] if obstacle else []
        for recipe, seeds in common.items():
            rows += _compare_recipe(a, b, recipe, seeds, split, gold, permutations, seed)
    if not rows:
        raise ZarpipeError(
            f"{a.path} and {b.path} have no scores of the same recipe and seed (scores/RECIPE/seedN/dev.json)"
        )
    title = "Two results folders"
    return Table("compare", title, _COLUMNS, rows, " ".join([*notes, *_choices(a, b)]))


def _compare_recipe(
    a: ResultsFolder,
    b: ResultsFolder,
    recipe: str,
    seeds: Sequence[int],
    split: str,
    gold: Gold | None,
    permutations: int,
    seed: int,
) -> list[dict[str, Cell]]:
    identity: dict[str, Cell] = {"split": split, "recipe": recipe, "seeds": len(seeds)}
    counts = gold and _both_counts(a, b, recipe, seeds, split, gold)
    if counts:
        rows = comparison_rows(counts[1], counts[0], tuple(_F1), permutations, seed)
    else:
        rows = _score_rows(read_recipe(a, recipe, seeds, split), read_recipe(b, recipe, seeds, split))
    return [identity | row for row in rows]


def _score_rows(before: RecipeScores, after: RecipeScores) -> list[dict[str, Cell]]:
    """Return the differences without a test, one row per category."""
    untested: dict[str, Cell] = dict.fromkeys(("ci_low", "ci_high", "p_value"))
    rows = []
    for category, column in _F1.items():
        f1, other_f1 = after.mean(column), before.mean(column)
        row: dict[str, Cell] = {"category": category, "f1": f1, "other_f1": other_f1}
        rows.append(row | {"difference": f1 - other_f1} | untested)
    return rows


def _both_counts(
    a: ResultsFolder, b: ResultsFolder, recipe: str, seeds: Sequence[int], split: str, gold: Gold
) -> list[Int64] | None:
    """Count both folders' decisions by instance; None when predictions have been deleted."""
    paths = [[folder.decisions(recipe, seed, split) for seed in seeds] for folder in (a, b)]
    if not all(path.is_file() for of_folder in paths for path in of_folder):
        return None
    return [np.stack([count_file(path, gold) for path in of_folder], axis=1) for of_folder in paths]


def _seeds_by_recipe(folder: ResultsFolder, split: str) -> dict[str, set[int]]:
    """Find which recipes and seeds a folder has scores of, in alphabetical order."""
    scores = folder.path / "scores"
    if not scores.is_dir():
        raise ZarpipeError(f"{folder.path}: not a results folder with scores; expected a folder {scores}")
    found: dict[str, set[int]] = {}
    for path in sorted(scores.glob(f"*/seed*/{split}.json")):
        if match := re.fullmatch(r"seed(-?\d+)", path.parent.name):
            found.setdefault(path.parent.parent.name, set()).add(int(match[1]))
    return found


def _common_gold(a: ResultsFolder, b: ResultsFolder, split: str) -> tuple[Gold | None, str]:
    """Return the gold of a split when both folders have the same, else why nothing is tested."""
    for name, folder in (("A", a), ("B", b)):
        if not folder.corpus(split).is_file():
            return None, (
                f"The {split} set's differences are not tested: there is no {folder.corpus(split)}; "
                f"--corpus-{name.lower()} says where {name}'s corpus files are."
            )
    one, other = read_gold(a.corpus(split)), read_gold(b.corpus(split))
    fields = ("sentence", "predicate", "offsets", "gold", "position_category")
    same = all(
        np.array_equal(getattr(one.instances, name), getattr(other.instances, name)) for name in fields
    )
    if same and one.sent_ids.equals(other.sent_ids):
        return one, ""
    return None, f"The {split} sets of A and B differ, so their differences are not tested."


def _choices(a: ResultsFolder, b: ResultsFolder) -> list[str]:
    """Say what stands behind the chosen recipes of each folder."""
    lines = []
    for name, folder in (("A", a), ("B", b)):
        path: Path = folder.path / "chosen.json"
        if path.is_file():
            chosen = read_chosen(path)
            known = [
                f"{chosen_recipe(method)} is {chosen[method]}"
                for method in CHOSEN_METHODS
                if method in chosen
            ]
            lines.append(f"In {name}, {' and '.join(known)}.")
    return lines
