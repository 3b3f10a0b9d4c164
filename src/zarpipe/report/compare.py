"""Differences and their significance: two results folders, or files of decisions against a recipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from zarpipe.study.stages import name_of
from zarpipe.study.study import Study
from zarpipe.task.scores import ALL

SPLITS = ("dev", "test")
# Category -> column of its F1 over all cases.
_F1 = {category: column for column, (category, case) in F1_COLUMNS.items() if case == ALL}
_NOTE_ON_FOLDERS = (
    "A is {a}, B is {b}. F1 in percent, mean over the seeds that both have, models paired by seed. "
    + TEST_NOTE.format(family="the split", system="B")
)
_NOTE_ON_FILES = (
    "A is {recipe} of {results}, mean over its seeds; B is a file of decisions. F1 in percent. "
    + TEST_NOTE.format(family="the files", system="B")
)
# Two studies, A and B.
_Pair = tuple[Study, Study]


def compare_results(a: Study, b: Study, permutations: int, seed: int) -> Table:
    """Compare every recipe that both studies have scores of, on dev and on test: B minus A.

    Raises:
        ZarpipeError: they have no scores in common.
    """
    pair = a, b
    rows: list[Row] = []
    notes = [_NOTE_ON_FOLDERS.format(a=a.results, b=b.results)]
    for split in SPLITS:
        of_split: list[Row] = []
        common = _common_recipes(pair, split)
        gold, obstacle = _common_gold(pair, split) if common else (None, "")
        notes += [obstacle] if obstacle else []
        for recipe, seeds in common.items():
            identity: Row = {"split": split, "recipe": recipe, "seeds": len(seeds)}
            if gold and (counts := _both_counts(pair, recipe, seeds, split, gold)):
                found = comparison_rows(counts[1], counts[0], tuple(_F1), permutations, seed)
            else:
                found = _score_rows(*(read_recipe(study, recipe, split, seeds) for study in pair))
            of_split += [identity | row for row in found]
        rows += with_holm(of_split)
    if not rows:
        raise ZarpipeError(
            f"{a.results} and {b.results}: found no scores of the same recipe and seed; expected "
            "scores/RECIPE/seedN/dev.json in both"
        )
    columns = _columns({"split": "Split", "recipe": "Recipe"}, "Seeds")
    return Table("compare", "Two results folders", columns, rows, " ".join([*notes, *_choices(pair)]))


def compare_files(
    study: Study, files: Sequence[Path], recipe: str, split: str, permutations: int, seed: int
) -> Table:
    """Compare each file of decisions with all models of a recipe."""
    study.recipe(recipe)  # refuses a name that it does not have
    models = _decided(study, recipe, split)
    gold = read_gold(study.jobs.corpus(split))
    documents = documents_of(Path(study.jobs.corpus(split)), gold)
    ours = _counts(models, gold, documents)
    rows: list[Row] = []
    for file in files:
        identity: Row = {"split": split, "recipe": recipe, "file": str(file), "seeds": len(models)}
        # The one model of a file is paired with each of several.
        theirs = np.repeat(_counts([file], gold, documents), len(models), axis=1)
        tests = comparison_rows(theirs, ours, tuple(_F1), permutations, seed)
        rows += [identity | row for row in tests]
    columns = _columns({"split": "Split", "recipe": "A: recipe", "file": "B: file"}, "Seeds of A")
    note = _NOTE_ON_FILES.format(recipe=recipe, results=study.results)
    return Table("compare", "Another system against a recipe", columns, with_holm(rows), note)


def _columns(identity: dict[str, str], seeds: str) -> list[Column]:
    keys = [Column(name, title) for name, title in (identity | {"category": "Category"}).items()]
    compared = comparison_columns("B − A", other_f1="A: F1", f1="B: F1")
    return [*keys, *compared, Column("seeds", seeds, numeric=True)]


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
    pair: _Pair, recipe: str, seeds: Iterable[int], split: str, gold: Gold
) -> list[Int64] | None:
    """Count both folders' decisions by document; None when predictions have been deleted."""
    paths = [[Path(study.decisions_of(recipe, seed, split).path) for seed in seeds] for study in pair]
    if not all(path.is_file() for of_study in paths for path in of_study):
        return None
    documents = documents_of(Path(pair[0].jobs.corpus(split)), gold)
    return [_counts(of_study, gold, documents) for of_study in paths]


def _counts(files: Sequence[Path], gold: Gold, documents: Int64) -> Int64:
    """Count the decisions of each file by document: [D, files, 3 relations, C cases, 3]."""
    return counts_by_document(np.stack([count_file(path, gold) for path in files], axis=1), documents)


def _common_recipes(pair: _Pair, split: str) -> dict[str, list[int]]:
    """Find the seeds of each recipe of which both studies have scores."""
    seeds_a, seeds_b = (_scored(study, split) for study in pair)
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
    paths = [Path(study.jobs.corpus(split)) for study in pair]
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
    for side, study in zip("AB", pair, strict=True):
        if Path(study.chosen().path).is_file():
            chosen = read_chosen(study)
            methods = [method for method in study.grid.candidates() if method in chosen]
            known = [f"{chosen_name(method)} is {chosen[method]}" for method in methods]
            lines.append(f"In {side}, {' and '.join(known)}.")
    return lines


def _decided(study: Study, recipe: str, split: str) -> list[Path]:
    """Return the decisions of a recipe's models that are there."""
    paths = [Path(study.decisions_of(recipe, seed, split).path) for seed in study.seeds]
    if there := [path for path in paths if path.is_file()]:
        return there
    names = [*map(name_of, study.test_recipes)] if split == "test" else []
    hint = f"; on test there are {', '.join(names)} (--recipe), or take --split dev" if names else ""
    raise ZarpipeError(f"{paths[0]}: no such file; {recipe} has decided nothing on {split}{hint}")
