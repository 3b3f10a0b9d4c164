"""Files of another system's decisions against a recipe of a study: differences and their significance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from zarpipe.arrays import Int64
from zarpipe.errors import ZarpipeError
from zarpipe.evaluate.evaluation import read_gold
from zarpipe.formats.scores import F1_COLUMNS
from zarpipe.report.significance import (
    TEST_NOTE,
    comparison_columns,
    comparison_rows,
    counts_by_document,
    with_holm,
)
from zarpipe.report.systems import count_file, documents_of
from zarpipe.report.table import Column, Row, Table
from zarpipe.study.stages import name_of
from zarpipe.study.study import Study
from zarpipe.task.scores import ALL

_CATEGORIES = tuple(category for category, case in F1_COLUMNS.values() if case == ALL)
_COLUMNS = (
    Column("split", "Split"),
    Column("recipe", "A: recipe"),
    Column("file", "B: file"),
    Column("category", "Category"),
    *comparison_columns("B − A", other_f1="A: F1", f1="B: F1"),
    Column("seeds", "Seeds of A", numeric=True),
)
_NOTE = (
    "A is {recipe} of {results}, mean over its seeds; B is a file of decisions. F1 in percent. "
    + TEST_NOTE.format(family="the files", system="B")
)


def compare_files(
    study: Study, files: Sequence[Path], recipe: str, split: str, permutations: int, seed: int
) -> Table:
    """Compare each file of decisions with all models of a recipe."""
    study.recipe(recipe)  # refuses a name that it does not have
    models = _decided(study, recipe, split)
    gold = read_gold(study.jobs.corpus(split))
    documents = documents_of(Path(study.jobs.corpus(split)), gold)
    ours = counts_by_document(np.stack([count_file(path, gold) for path in models], axis=1), documents)
    rows: list[Row] = []
    for file in files:
        identity: Row = {"split": split, "recipe": recipe, "file": str(file), "seeds": len(models)}
        theirs = _as_many(counts_by_document(count_file(file, gold), documents), len(models))
        tests = comparison_rows(theirs, ours, _CATEGORIES, permutations, seed)
        rows += [identity | row for row in tests]
    note = _NOTE.format(recipe=recipe, results=study.results)
    return Table("compare", "Another system against a recipe", _COLUMNS, with_holm(rows), note)


def _decided(study: Study, recipe: str, split: str) -> list[Path]:
    """Return the decisions of a recipe's models that are there."""
    paths = [Path(study.decisions_of(recipe, seed, split).path) for seed in study.seeds]
    if there := [path for path in paths if path.is_file()]:
        return there
    names = [*map(name_of, study.test_recipes)] if split == "test" else []
    hint = f"; on test there are {', '.join(names)} (--recipe), or take --split dev" if names else ""
    raise ZarpipeError(f"{paths[0]}: no such file; {recipe} has decided nothing on {split}{hint}")


def _as_many(counts: Int64, models: int) -> Int64:
    """Pair the one model of a file with each of several: [n, ...] -> [n, models, ...]."""
    return np.repeat(counts[:, None], models, axis=1)
