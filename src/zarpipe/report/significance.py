"""What tables say of two systems: counts of documents, and the rows of a comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from zarpipe.arrays import Float64, Int64
from zarpipe.report.scores import spread_columns
from zarpipe.report.table import Column, Row
from zarpipe.study.recipe import BASELINE, BASELINE_TWICE
from zarpipe.study.study import Study
from zarpipe.task.relations import ARGUMENT_RELATIONS
from zarpipe.task.scores import ALL
from zarpipe.task.statistics.comparison import Comparison, compare, holm
from zarpipe.task.statistics.f1 import micro_f1

CATEGORIES = (ALL, *(relation.name for relation in ARGUMENT_RELATIONS))
_RELATIONS = {relation.name: relation for relation in ARGUMENT_RELATIONS}
# How the pairs are ordered that every study has.
_PAIRS = (
    ("masking", BASELINE_TWICE.name),
    ("cda", BASELINE_TWICE.name),
    ("masking", "cda"),
    ("masking", BASELINE.name),
    ("cda", BASELINE.name),
    (BASELINE_TWICE.name, BASELINE.name),
)
_TEST_COLUMNS = (
    Column("p_holm", "p (Holm)", decimals=4),
    Column("seed_pairs_won", "Seed pairs won", decimals=0),
    Column("documents", "Documents", numeric=True),
)
# Those of the means: standard deviation over seeds, and standard error.
_MEANS = {"f1": "F1", "other_f1": "the other F1", "difference": "the difference"}
_SPREAD_COLUMNS = [column for mean, of in _MEANS.items() for column in spread_columns(mean, of)]
TEST_NOTE = (
    "p: two-sided paired permutation test over documents. p (Holm): the same, corrected for all rows of "
    "{family}. 95 % confidence interval of the difference: paired bootstrap over documents; there is none "
    "with fewer than 6 documents, or when no document differs from the others. The spread over seeds is part "
    "of both. SD, SE: standard deviation over seeds, and standard error. Seed pairs won: percentage of the "
    "pairs of models of one seed in which {system} is better. Documents: those with something to count."
)


def interval_columns(low: str = "ci_low", high: str = "ci_high", decimals: int = 2) -> list[Column]:
    """Return the columns of a 95 % interval."""
    return [Column(low, "95 % from", decimals), Column(high, "to", decimals)]


def difference_columns(title: str = "Difference", name: str = "difference") -> list[Column]:
    """Return the columns of a difference in percentage points, its interval and its p-value."""
    return [Column(name, title, 2), *interval_columns(), Column("p_value", "p", 4)]


def comparison_columns(difference: str = "Difference", **f1: str) -> list[Column]:
    """Return the columns of `comparison_rows` and `with_holm`; the scores first, as these are titled."""
    scores = [Column(name, title, 2) for name, title in f1.items()]
    return [*scores, *difference_columns(difference), *_TEST_COLUMNS, *_SPREAD_COLUMNS]


def interval_cells(
    interval: tuple[float, float] | None, low: str = "ci_low", high: str = "ci_high", unit: float = 100
) -> Row:
    """Return the cells of an interval, in percent; empty where there is none."""
    ends = interval or (None, None)
    return {name: None if end is None else unit * end for name, end in zip((low, high), ends, strict=True)}


def difference_cells(found: Comparison | None) -> Row:
    """Return the cells of `difference_columns`; empty where nothing was compared."""
    if found is None:
        return dict.fromkeys(column.name for column in difference_columns())
    return {
        "difference": 100 * found.difference,
        **interval_cells(found.interval),
        "p_value": found.p_value,
    }


def distinct_systems(recipes: Mapping[str, str]) -> list[str]:
    """Return the names of the systems, of several names of one recipe the first."""
    first: dict[str, str] = {}
    for name, recipe in recipes.items():
        first.setdefault(recipe, name)
    return list(first.values())


def tested_pairs(study: Study, recipes: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return each pair of systems on the test set once, by their names, fair comparisons first."""
    systems = distinct_systems(recipes)
    found = [(later, earlier) for place, later in enumerate(systems) for earlier in systems[:place]]
    ordered = [*_PAIRS, *(pair for pair in found if pair not in _PAIRS)]
    fair = fair_comparisons(study)
    return sorted(ordered, key=lambda pair: (recipes[pair[0]], recipes[pair[1]]) not in fair)


def fair_comparisons(study: Study) -> set[tuple[str, str]]:
    """Return each augmented recipe with the baseline that has as many updates, by their names."""
    return {(recipe.name, recipe.equal_updates.name) for recipe in study.grid.recipes() if recipe.augmented}


def counts_by_document(by_instance: Int64, documents: Int64) -> Int64:
    """Sum counts of the instances of each document: [n, ...] int64 -> [D, ...].

    ``documents``: [n] int64, number of each instance's document, from 0.
    """
    summed = np.zeros((int(documents.max(initial=-1)) + 1, *by_instance.shape[1:]), np.int64)
    np.add.at(summed, documents, by_instance)
    return summed


def counts_of_categories(counts: Int64, categories: Sequence[str]) -> Int64:
    """Sum counts over cases, for each of c categories of ``ALL``, ``DEP`` and ``ZAR``.

    [n, K, 3 relations, C cases, 3] int64, of n instances or documents -> [n, K, c, 3]: right, wrong and
    missed arguments.
    """
    return np.stack([_of_category(counts, category) for category in categories], axis=2)


def comparison_rows(
    counts: Int64, other_counts: Int64, categories: Sequence[str], permutations: int, seed: int
) -> list[Row]:
    """Compare two systems, one row per category, in percent, without the correction for a family.

    Counts are [D, K, 3 relations, C cases, 3] int64, of D documents by each of K models. There are as many
    bootstrap samples as permutations.
    """
    ours, others = (counts_of_categories(one, categories) for one in (counts, other_counts))
    found = compare(ours, others, permutations, seed)
    f1, other_f1 = (micro_f1(one.sum(axis=0)) for one in (ours, others))
    return [
        {"category": category} | _row(found[place]) | _spreads(f1[:, place], other_f1[:, place])
        for place, category in enumerate(categories)
    ]


def with_holm(rows: Sequence[Row]) -> list[Row]:
    """Add p-values that are corrected for the family of tests that these rows are; untested rows get none."""
    tested = [row for row in rows if row["p_value"] is not None]
    corrected = iter(holm(np.array([row["p_value"] for row in tested], float)).tolist())
    return [row | {"p_holm": None if row["p_value"] is None else next(corrected)} for row in rows]


def _of_category(counts: Int64, category: str) -> Int64:
    of_category = counts.sum(axis=2) if category == ALL else counts[:, :, _RELATIONS[category]]
    summed: Int64 = of_category.sum(axis=2)
    return summed


def _row(comparison: Comparison) -> Row:
    return {
        "f1": 100 * comparison.f1,
        "other_f1": 100 * comparison.other_f1,
        **difference_cells(comparison),
        "seed_pairs_won": 100 * comparison.won,
        "documents": comparison.documents,
    }


def _spreads(f1: Float64, other_f1: Float64) -> Row:
    """Return standard deviation and standard error over seeds, in percent; one seed has none."""
    row: Row = {}
    for mean, values in zip(_MEANS, (f1, other_f1, f1 - other_f1), strict=True):
        deviation = 100 * float(values.std(ddof=1)) if len(values) > 1 else None
        error = None if deviation is None else deviation / math.sqrt(len(values))
        row |= {f"{mean}_sd": deviation, f"{mean}_se": error}
    return row
