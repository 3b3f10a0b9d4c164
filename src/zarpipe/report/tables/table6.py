"""Table 6 of the paper: baseline and the chosen recipes on the test set, single models and ensembles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from zarpipe.formats.scores import F1_COLUMNS, f1_columns
from zarpipe.report.choose import read_chosen
from zarpipe.report.folder import ResultsFolder
from zarpipe.report.published import published_rows
from zarpipe.report.scores import read_recipe
from zarpipe.report.systems import Systems
from zarpipe.report.tables import Cell, Column, Table, write_table
from zarpipe.study.grid import BASELINE, chosen_recipe
from zarpipe.task.scores import scores

_TITLES = {
    "zar_f1": "ZAR ALL",
    "zar_nom": "ZAR NOM",
    "zar_acc": "ZAR ACC",
    "zar_dat": "ZAR DAT",
    "dep_f1": "DEP",
    "all_f1": "ALL",
}
_COLUMNS = (
    Column("setting", "Setting"),
    Column("source", "Source"),
    Column("method", "Method"),
    Column("recipe", "Recipe"),
    *(Column(name, title, 2, best=True) for name, title in _TITLES.items()),
    Column("all_f1_sd", "SD", 2),
    Column("seeds", "Seeds"),
)
_NOTE = (
    "F1 in percent. Single: mean over {seeds}, SD the sample standard deviation of ALL. Ensemble: mean "
    "probability over the same seeds, thresholds searched on the development set. The recipes of CDA and "
    "masking were chosen by mean ZAR F1 on the development set."
)

Row = dict[str, Cell]


def write_table6(
    folder: ResultsFolder, chosen: Path, seeds: Sequence[int], output: Path, published: bool, exceed: bool
) -> None:
    """Write the table of the test set.

    Args:
        folder: results folder with the scores and probabilities of the baseline and the chosen recipes.
        chosen: what `zarpipe.report.choose` wrote.
        seeds: the seeds that were run.
        output: ``table6.csv``; ``.md`` and ``.tex`` are written beside it.
        published: put the paper's rows above ours.
        exceed: an ensemble's candidate must exceed its threshold.

    Raises:
        ZarpipeError: a file is missing, damaged, or belongs to another corpus.
    """
    recipes = {BASELINE: BASELINE} | read_chosen(chosen)
    systems = Systems(folder, seeds, exceed=exceed)
    rows: list[Row] = []
    for setting in ("single", "ensemble"):
        rows += _published(setting) if published else []
        for method, recipe in recipes.items():
            row = _single(folder, method, seeds) if setting == "single" else _ensemble(systems, method)
            rows.append({"setting": setting, "source": "ours", "method": method, "recipe": recipe, **row})
    note = _NOTE.format(seeds=f"{len(seeds)} seeds" if len(seeds) > 1 else "1 seed")
    title = "Table 6: F1 on the test set"
    write_table(Table("table6", title, _COLUMNS, rows, note, ("setting", "source")), output)


def files_of(method: str) -> str:
    """Return the recipe under whose name the files of a method lie."""
    return BASELINE if method == BASELINE else chosen_recipe(method)


def _single(folder: ResultsFolder, method: str, seeds: Sequence[int]) -> Row:
    read = read_recipe(folder, files_of(method), seeds, "test")
    means: Row = {column: read.mean(column) for column in F1_COLUMNS}
    return means | {"all_f1_sd": read.deviation("all_f1"), "seeds": len(seeds)}


def _ensemble(systems: Systems, method: str) -> Row:
    counts = systems.ensemble(files_of(method)).sum(axis=(0, 1))
    return {**f1_columns(scores(counts)), "all_f1_sd": None, "seeds": len(systems.seeds)}


def _published(setting: str) -> list[Row]:
    """Return the paper's rows of a setting, numbers as printed."""
    return [
        {**{column.name: row.get(column.name) or None for column in _COLUMNS}, "source": "published"}
        for row in published_rows("table6_test")
        if row["setting"] == setting
    ]
