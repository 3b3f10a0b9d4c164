"""significance.csv: masking against the baseline on the test set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from zarpipe.arrays import Int64
from zarpipe.report.choose import read_chosen
from zarpipe.report.folder import ResultsFolder
from zarpipe.report.significance import compare, counts_of_categories
from zarpipe.report.systems import Systems
from zarpipe.report.table6 import files_of
from zarpipe.report.tables import Cell, Column, Table, write_table
from zarpipe.study.grid import BASELINE

METHOD = "masking"
_COLUMNS = (
    Column("setting", "Setting"),
    Column("category", "Category"),
    Column("recipe", "System"),
    Column("other_recipe", "Compared with"),
    Column("f1", "F1", 2),
    Column("other_f1", "Other F1", 2),
    Column("difference", "Difference", 2),
    Column("ci_low", "95 % from", 2),
    Column("ci_high", "to", 2),
    Column("p_value", "p", 4),
    Column("instances", "Instances"),
    Column("seeds", "Seeds"),
    Column("permutations", "Permutations"),
)
_NOTE = (
    "F1 and differences in percentage points. p: two-sided paired permutation test over instances. 95 % "
    "confidence interval of the difference: paired bootstrap over instances. Single: mean over models paired "
    "by seed, an instance being swapped or drawn for all seeds together."
)


def write_significance(
    folder: ResultsFolder,
    chosen: Path,
    seeds: Sequence[int],
    output: Path,
    permutations: int,
    seed: int,
    exceed: bool,
) -> None:
    """Test the chosen masking recipe against the baseline on the test set, for ALL and ZAR F1.

    Args:
        folder: results folder with the predictions and probabilities of both.
        chosen: what `zarpipe.report.choose` wrote.
        seeds: the seeds that were run.
        output: ``significance.csv``; ``.md`` and ``.tex`` are written beside it.
        permutations: permutations, and bootstrap samples.
        seed: seed of both.
        exceed: an ensemble's candidate must exceed its threshold.

    Raises:
        ZarpipeError: a file is missing, damaged, or belongs to another corpus.
    """
    systems = Systems(folder, seeds, exceed=exceed)
    recipe = read_chosen(chosen)[METHOD]
    rows: list[dict[str, Cell]] = []
    for setting, counts in (("single", systems.single), ("ensemble", systems.ensemble)):
        ours, baseline = counts(files_of(METHOD)), counts(BASELINE)
        identity: dict[str, Cell] = {"setting": setting, "recipe": recipe, "other_recipe": BASELINE}
        identity |= {"instances": len(ours), "seeds": len(seeds), "permutations": permutations}
        rows += [
            identity | row for row in comparison_rows(ours, baseline, ("ALL", "ZAR"), permutations, seed)
        ]
    title = "Significance of masking against the baseline on the test set"
    write_table(Table("significance", title, _COLUMNS, rows, _NOTE), output)


def comparison_rows(
    counts: Int64, other_counts: Int64, categories: Sequence[str], permutations: int, seed: int
) -> list[dict[str, Cell]]:
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
