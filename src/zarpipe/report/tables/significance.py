"""Masking against the baseline on the test set: is the difference more than chance?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from zarpipe.arrays import Int64
from zarpipe.report.choose import read_chosen
from zarpipe.report.significance import compare, counts_of_categories
from zarpipe.report.table import TABLE_ENDINGS, Column, Row, Table
from zarpipe.study.digests import code_digest
from zarpipe.study.recipe import BASELINE, chosen_name

if TYPE_CHECKING:
    from zarpipe.study.study import Input, Study

NAME = "significance"
TITLE = "Significance of masking against the baseline on the test set"
SHOWS = "Significance: masking against the baseline on the test set"
CONTENTS = "Significance"
CAPTION = """\
Paired permutation test over the instances of the test set, masking against the baseline, with the
bootstrap confidence interval of the difference.
"""
GUIDE = """\
The permutation test swaps the two systems' answers at random and counts how often a difference as large
comes out: a small p means rarely. The interval says where the true difference plausibly lies.
"""
ENDINGS = TABLE_ENDINGS
METHOD = "masking"
CATEGORIES = ("ALL", "ZAR")
_COLUMNS = (
    Column("setting", "Setting"),
    Column("category", "Category"),
    Column("recipe", "System"),
    Column("other_recipe", "Compared with"),
    Column("f1", "F1", decimals=2),
    Column("other_f1", "Other F1", decimals=2),
    Column("difference", "Difference", decimals=2),
    Column("ci_low", "95 % from", decimals=2),
    Column("ci_high", "to", decimals=2),
    Column("p_value", "p", decimals=4),
    Column("instances", "Instances", numeric=True),
    Column("seeds", "Seeds", numeric=True),
    Column("permutations", "Permutations", numeric=True),
)
_NOTE = (
    "F1 and differences in percentage points. p: two-sided paired permutation test over instances. 95 % "
    "confidence interval of the difference: paired bootstrap over instances. Single: mean over models paired "
    "by seed, an instance being swapped or drawn for all seeds together."
)


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    recipes = (BASELINE, chosen_name(METHOD))
    return [
        *study.decisions(recipes, "test"),
        *study.probabilities(recipes, "dev"),
        *study.probabilities(recipes, "test"),
        study.corpus("dev"),
        study.corpus("test"),
        study.chosen(),
    ]


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on besides its inputs."""
    report = study.config.report
    return {
        "seeds": study.seeds,
        "accept": study.config.tagger.accept,
        "permutations": report.permutations,
        "seed": report.seed,
        "code": code_digest(__name__),
    }


def build(study: Study) -> Table:
    """Test the chosen masking recipe against the baseline on the test set, for ALL and ZAR F1.

    Raises:
        ZarpipeError: a file is missing, damaged, or belongs to another corpus.
    """
    from zarpipe.report.systems import Systems  # loads pyarrow

    systems, report = Systems(study), study.config.report
    recipe = read_chosen(study)[METHOD]
    rows: list[Row] = []
    for setting, counts in (("single", systems.single), ("ensemble", systems.ensemble)):
        ours, baseline = counts(chosen_name(METHOD)), counts(BASELINE)
        identity: Row = {"setting": setting, "recipe": recipe, "other_recipe": BASELINE.name}
        identity |= {"instances": len(ours), "seeds": len(study.seeds), "permutations": report.permutations}
        tests = comparison_rows(ours, baseline, CATEGORIES, report.permutations, report.seed)
        rows += [identity | test for test in tests]
    return Table(NAME, TITLE, _COLUMNS, rows, _NOTE)


def comparison_rows(
    counts: Int64, other_counts: Int64, categories: Sequence[str], permutations: int, seed: int
) -> list[Row]:
    """Compare two systems, one row per category, in percent.

    Args:
        counts: [n, k, 3 categories, 3 cases, 3] int64, as `Systems` counts them.
        other_counts: the same of the other system.
        categories: of ``ALL``, ``DEP`` and ``ZAR``.
        permutations: permutations, and bootstrap samples.
        seed: seed of both.
    """
    found = compare(
        counts_of_categories(counts, categories),
        counts_of_categories(other_counts, categories),
        permutations,
        seed,
    )
    return [
        {
            "category": category,
            "f1": 100 * comparison.f1,
            "other_f1": 100 * comparison.other_f1,
            "difference": 100 * comparison.difference,
            "ci_low": 100 * comparison.low,
            "ci_high": 100 * comparison.high,
            "p_value": comparison.p_value,
        }
        for category, comparison in zip(categories, found, strict=True)
    ]
