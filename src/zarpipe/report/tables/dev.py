"""What tables of the development set share: each row shows, of its recipes, the one that is best there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zarpipe.report.published import published_rows
from zarpipe.report.scores import RecipeScores, best_recipe, counted_seeds, read_recipe
from zarpipe.report.table import RUNS_ENDING, TABLE_ENDINGS, Column, CsvForm, Row, Table
from zarpipe.study.digests import code_digest
from zarpipe.study.grid import Rows, recipes_in
from zarpipe.study.recipe import Recipe
from zarpipe.study.specs import printed

if TYPE_CHECKING:
    from zarpipe.study.study import Input, Study

DEV_ENDINGS: tuple[str, ...] = (*TABLE_ENDINGS, RUNS_ENDING)
SCORE_COLUMNS = ("zar_f1", "dep_f1", "all_f1")
_TITLES = {"zar_f1": "ZAR F1", "dep_f1": "DEP F1", "all_f1": "ALL F1", "all_f1_sd": "SD of ALL"}
_PAPER = "published_"
_NOTE = (
    "Mean over {seeds} in percent; SD is the sample standard deviation of ALL F1 over seeds. α is the "
    "masking probability with the best mean ZAR F1 on the development set. Every single run: {name}_runs.csv."
)


@dataclass(frozen=True)
class DevTable:
    """What distinguishes one of these tables from the others.

    Attributes:
        name: name of the table.
        title: its heading.
        keys: columns that name a row -> their titles.
        row_name: cells of these columns for a recipe of the row.
        published: name of the paper's table in the package data; empty: the paper has none.
        csv: what stands in the CSV.
    """

    name: str
    title: str
    keys: Mapping[str, str]
    row_name: Callable[[Recipe], Mapping[str, str]]
    published: str = ""
    csv: CsvForm = "full"


def dev_inputs(study: Study, rows: Rows) -> list[Input]:
    """Return the dev scores of all recipes of these rows."""
    return study.scores(recipes_in(rows), "dev")


def dev_spec(study: Study, rows: Rows, module: str) -> dict[str, Any]:
    """Return what a table depends on besides the scores.

    Args:
        study: the study.
        rows: its rows.
        module: the table's module.
    """
    return {
        "rows": [[recipe.name for recipe in recipes] for recipes in rows.values()],
        "seeds": study.seeds,
        "printed": printed(study.config),
        "code": code_digest(module),
    }


def build_dev_table(table: DevTable, study: Study, rows: Rows) -> Table:
    """Read the dev scores and choose the best recipe of each row.

    Args:
        table: which table.
        study: the study.
        rows: recipes of each row, in order of the rows, ascending alphas.

    Raises:
        ZarpipeError: a scores file is missing or damaged.
    """
    read = [[(recipe, read_recipe(study, recipe, "dev")) for recipe in recipes] for recipes in rows.values()]
    cells = [_row(table, candidates) for candidates in read]
    columns = _columns(table)
    if study.config.report.published and table.published:
        columns += _score_columns(_PAPER, " (paper)")
        cells = [row | _published(table, row) for row in cells]
    note = _NOTE.format(seeds=counted_seeds(len(study.seeds)), name=table.name)
    runs = _single_runs(table, read)
    return Table(table.name, table.title, columns, cells, note, csv=table.csv, runs=runs)


def _columns(table: DevTable) -> list[Column]:
    keys = [Column(name, title) for name, title in table.keys.items()]
    alpha, seeds = Column("alpha", "α", numeric=True), Column("seeds", "Seeds", numeric=True)
    return [*keys, alpha, *_score_columns(), seeds]


def _score_columns(prefix: str = "", suffix: str = "") -> list[Column]:
    """Return the columns of our scores, or with a prefix those of the paper."""
    return [
        Column(
            prefix + name,
            title + suffix,
            decimals=2,
            best=name in SCORE_COLUMNS,
            paper_for=name if prefix else "",
        )
        for name, title in _TITLES.items()
    ]


def _row(table: DevTable, candidates: Sequence[tuple[Recipe, RecipeScores]]) -> Row:
    """Return the cells of the best recipe; the one with its name has no column."""
    scores = best_recipe([scores for _, scores in candidates])
    recipe = next(recipe for recipe, _ in candidates if recipe.name == scores.name)
    return (
        dict(table.row_name(recipe))
        | {"recipe": recipe.name, "alpha": recipe.alpha}
        | {name: scores.mean(name) for name in SCORE_COLUMNS}
        | {"all_f1_sd": scores.deviation("all_f1"), "seeds": len(scores.runs)}
    )


def _published(table: DevTable, row: Row) -> Row:
    """Return the paper's numbers of a row under ``published_*``; empty cells where the paper has none."""
    names = (*SCORE_COLUMNS, "all_f1_sd")
    for paper in published_rows(table.published):
        if all(paper[key] == row[key] for key in table.keys):
            return {_PAPER + name: float(paper[name]) for name in names}
    return {_PAPER + name: None for name in names}


def _single_runs(table: DevTable, read: Sequence[Sequence[tuple[Recipe, RecipeScores]]]) -> list[Row]:
    return [
        _run_name(table, recipe) | {"seed": run.seed} | {name: run.f1[name] for name in SCORE_COLUMNS}
        for candidates in read
        for recipe, scores in candidates
        for run in scores.runs
    ]


def _run_name(table: DevTable, recipe: Recipe) -> Row:
    keys: Row = dict(table.row_name(recipe))
    # The keys stand first, and the row's own name wins over the recipe's POS set (Table 5).
    return keys | {"recipe": recipe.name, "pos_set": recipe.pos_set, "alpha": recipe.alpha} | keys
