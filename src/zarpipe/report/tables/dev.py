"""Tables 4, 5 and 7 of the paper: methods compared on dev, each with the alpha that is best there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from zarpipe.files import write_text
from zarpipe.report.folder import ResultsFolder
from zarpipe.report.published import published_rows
from zarpipe.report.scores import RecipeScores, best_recipe, read_recipe
from zarpipe.report.tables import Cell, Column, Table, csv_text, write_table
from zarpipe.study.grid import BASELINE, BASELINE_TWICE, parse_variant

SCORE_COLUMNS = ("zar_f1", "dep_f1", "all_f1")
_TITLES = {"zar_f1": "ZAR F1", "dep_f1": "DEP F1", "all_f1": "ALL F1", "all_f1_sd": "SD of ALL"}
_NOTE = (
    "Mean over {seeds} in percent; SD is the sample standard deviation of ALL F1 over seeds. α is the "
    "masking probability with the best mean ZAR F1 on the development set. Every single run: {runs}."
)


@dataclass(frozen=True)
class DevTable:
    """What distinguishes one of these tables from the others.

    Attributes:
        name: name of the table.
        title: its heading.
        keys: columns that name a row -> their titles.
        published: name of the paper's table in the package data.
        full_precision: whether the CSV holds full precision and display columns.
    """

    name: str
    title: str
    keys: Mapping[str, str]
    published: str
    full_precision: bool


TABLE4 = DevTable(
    "table4",
    "Table 4: augmentation methods, F1 on the development set",
    {"method": "Method"},
    "table4_augmentation_dev",
    full_precision=False,  # the columns that other programs rely on
)
TABLE5 = DevTable(
    "table5",
    "Table 5: masking by part of speech, F1 on the development set",
    {"pos_set": "Masked POS"},
    "table5_pos_sets_dev",
    full_precision=True,
)
TABLE7 = DevTable(
    "table7",
    "Table 7: ways to replace words in CDA, F1 on the development set",
    {"fill": "Masks filled", "pick": "Word picked"},
    "table7_replacement_dev",
    full_precision=True,
)


def write_dev_table(
    table: DevTable,
    folder: ResultsFolder,
    methods: Mapping[str, Sequence[str]],
    seeds: Sequence[int],
    output: Path,
    published: bool,
) -> None:
    """Choose the best recipe of each row on dev; write the table and all single runs.

    Args:
        table: TABLE4, TABLE5 or TABLE7.
        folder: results folder with ``scores/{recipe}/seed{n}/dev.json``.
        methods: recipes of each row, in order of the rows, ascending alphas; a row of several keys is named
            by them with hyphens between (``multi-argmax``).
        seeds: the seeds that were run.
        output: the CSV; ``.md``, ``.tex`` and ``_runs.csv`` are written beside it.
        published: put the paper's numbers beside ours.

    Raises:
        ZarpipeError: a scores file is missing or damaged.
    """
    read = {
        method: [read_recipe(folder, recipe, seeds, "dev") for recipe in recipes]
        for method, recipes in methods.items()
    }
    runs = output.with_name(f"{output.stem}_runs.csv")
    rows = [_row(table, method, best_recipe(candidates)) for method, candidates in read.items()]
    columns = _columns(table)
    if published:
        columns += _published_columns()
        rows = [row | _published(table, method) for method, row in zip(read, rows, strict=True)]
    many = f"{len(seeds)} seeds" if len(seeds) > 1 else "1 seed"
    note = _NOTE.format(seeds=many, runs=runs.name)
    write_text(runs, csv_text(_single_runs(table, read)))
    write_table(Table(table.name, table.title, columns, rows, note), output, table.full_precision)


def recipe_alpha(recipe: str) -> str:
    """Return the masking probability of a recipe; empty for the baselines."""
    return "" if recipe in (BASELINE, BASELINE_TWICE) else parse_variant(recipe).alpha


def recipe_pos_set(recipe: str) -> str:
    """Return the POS set of a recipe; empty for the baselines."""
    return "" if recipe in (BASELINE, BASELINE_TWICE) else parse_variant(recipe).pos_set


def _columns(table: DevTable) -> list[Column]:
    keys = [Column(name, title) for name, title in table.keys.items()]
    return [*keys, Column("alpha", "α"), *_score_columns("", ""), Column("seeds", "Seeds")]


def _published_columns() -> list[Column]:
    return _score_columns("published_", " (paper)")


def _score_columns(prefix: str, suffix: str) -> list[Column]:
    scores = [Column(prefix + name, _TITLES[name] + suffix, 2, best=True) for name in SCORE_COLUMNS]
    return [*scores, Column(f"{prefix}all_f1_sd", _TITLES["all_f1_sd"] + suffix, 2)]


def _row(table: DevTable, method: str, scores: RecipeScores) -> dict[str, Cell]:
    return (
        _keys(table, method)
        | {"alpha": recipe_alpha(scores.recipe)}
        | {name: scores.mean(name) for name in SCORE_COLUMNS}
        | {"all_f1_sd": scores.deviation("all_f1"), "seeds": len(scores.runs)}
    )


def _keys(table: DevTable, method: str) -> dict[str, Cell]:
    return dict(zip(table.keys, method.split("-"), strict=True))


def _published(table: DevTable, method: str) -> dict[str, Cell]:
    """Return the paper's numbers of a row, with two decimals, under ``published_*``."""
    keys = _keys(table, method)
    for row in published_rows(table.published):
        if all(row[name] == value for name, value in keys.items()):
            return {f"published_{name}": float(row[name]) for name in (*SCORE_COLUMNS, "all_f1_sd")}
    raise KeyError(method)


def _single_runs(table: DevTable, read: Mapping[str, Sequence[RecipeScores]]) -> list[dict[str, Cell]]:
    return [
        # The keys come last so that the row's own name wins over the recipe's POS set (Table 5).
        dict.fromkeys(table.keys)
        | {"recipe": run.recipe, "pos_set": recipe_pos_set(run.recipe), "alpha": recipe_alpha(run.recipe)}
        | {"seed": run.seed}
        | {name: run.f1[name] for name in SCORE_COLUMNS}
        | _keys(table, method)
        for method, candidates in read.items()
        for recipe in candidates
        for run in recipe.runs
    ]
