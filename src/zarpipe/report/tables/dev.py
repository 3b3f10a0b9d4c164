"""What tables of the development set share: each row shows, of its recipes, the one that is best there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from zarpipe.arrays import Int64
from zarpipe.report.published import published_rows
from zarpipe.report.scores import RecipeScores, best_recipe, read_recipe, spread_columns
from zarpipe.report.selection import HALVINGS, NESTED_CATEGORIES, Nested, nested_selection
from zarpipe.report.table import FULL_ENDING, RUNS_ENDING, TABLE_ENDINGS, Column, CsvForm, Row, Table, counted
from zarpipe.study.grid import Rows, recipes_in
from zarpipe.study.recipe import Recipe
from zarpipe.study.stages import printed
from zarpipe.study.study import Input, Study

DEV_ENDINGS: tuple[str, ...] = (*TABLE_ENDINGS, RUNS_ENDING)
SCORE_COLUMNS = tuple(NESTED_CATEGORIES)
_TITLES = {"zar_f1": "ZAR F1", "dep_f1": "DEP F1", "all_f1": "ALL F1", "all_f1_sd": "SD of ALL"}
_PAPER = "published_"
_CHOICE = "nested_choice_percent"
_NOTE = (
    "Mean over {seeds} in percent; SD is the sample standard deviation of ALL F1 over seeds. α is the "
    "masking probability with the best mean ZAR F1 on the development set. {details} and the page also have "
    "SE, the standard error of a mean over seeds{nested}. {best}Every single run: {name}_runs.csv."
)
_NESTED = (
    ", and nested scores: with α chosen on one half of the documents and scored on the other, both ways, "
    f"mean of {HALVINGS} random halvings; what the choice alone gains is not in them"
)
_BEST = "The best of all {count} augmented recipes has {plain:.2f} ZAR F1; chosen on halves, {nested:.2f}. "


@dataclass(frozen=True)
class DevTable:
    """One of these tables; its module takes `inputs`, `spec` and `build` from it.

    Attributes:
        name: name of the table.
        title: its heading.
        recipes: recipes of each row, in order of the rows, ascending alphas.
        keys: columns that name a row -> their titles.
        row_name: cells of these columns for a recipe of the row.
        published: name of the paper's table in the package data; empty: the paper has none.
        csv: what stands in the CSV; ``shown``: no details.
        paired: its module also compares recipes (`zarpipe.report.paired`).
    """

    name: str
    title: str
    recipes: Callable[[Study], Rows]
    keys: Mapping[str, str]
    row_name: Callable[[Study, Recipe], Mapping[str, str]]
    published: str = ""
    csv: CsvForm = "full"
    paired: bool = False

    def inputs(self, study: Study) -> list[Input]:
        """Return the dev scores and decisions of all recipes, and the dev corpus."""
        recipes = recipes_in(self.recipes(study))
        return [*study.scores(recipes, "dev"), *study.decisions(recipes, "dev"), study.corpus("dev")]

    def spec(self, study: Study) -> dict[str, Any]:
        """Return what the table depends on besides the scores."""
        rows, report = self.recipes(study).items(), study.config.report
        tests = {"permutations": report.permutations, "seed": report.seed} if self.paired else {}
        return {
            "rows": {name: [recipe.name for recipe in recipes] for name, recipes in rows},
            "seeds": study.seeds,
            "printed": printed(study.config),
            **tests,
        }

    def build(self, study: Study) -> Table:
        """Read the dev scores and choose the best recipe of each row."""
        rows = self.recipes(study)
        read = [[read_recipe(study, recipe, "dev") for recipe in row] for row in rows.values()]
        counts = _dev_counts(study, recipes_in(rows))
        several = _several(read)
        cells = [_row(self, study, candidates, counts if several else None) for candidates in read]
        columns = _columns()
        keys = [Column(name, title) for name, title in self.keys.items()]
        csv_columns = [column.name for column in [*keys, *columns] if column.name not in _DETAILS]
        if study.config.report.published and self.published:
            columns += _score_columns(_PAPER, " (paper)")
            cells = [row | _published(self, row) for row in cells]
            csv_columns += [column.name for column in columns if column.paper_for]
        return Table(
            self.name,
            self.title,
            [*keys, *columns],
            cells,
            _note(self, study, read, counts),
            csv=self.csv,
            csv_columns=csv_columns,
            runs=_single_runs(self, study, read),
        )


def _several(read: Sequence[Sequence[RecipeScores]]) -> bool:
    """Tell whether some row had several recipes to choose from; else nested scores are the plain ones."""
    return any(len(candidates) > 1 for candidates in read)


def _dev_counts(study: Study, recipes: Iterable[Recipe]) -> dict[str, Int64] | None:
    """Return the counts of each recipe by document; None where decisions have been deleted."""
    paths = [Path(read.path) for read in [*study.decisions(recipes, "dev"), study.corpus("dev")]]
    if not all(path.is_file() for path in paths):
        return None
    from zarpipe.report.systems import Systems  # loads pyarrow

    systems = Systems(study, "dev", list(NESTED_CATEGORIES.values()))
    return {recipe.name: systems.counts(recipe) for recipe in recipes}


def _columns() -> list[Column]:
    """Return the columns of our numbers; what is known of a mean besides stands before the last one."""
    alpha, seeds = Column("alpha", "α", numeric=True), Column("seeds", "Seeds", numeric=True)
    return [alpha, *_score_columns(), *_DETAILS.values(), seeds]


def _details() -> list[Column]:
    columns = []
    for name in SCORE_COLUMNS:
        columns += spread_columns(name, _TITLES[name], ("se",) if name == "all_f1" else ("sd", "se"))
        columns.append(_detail(f"nested_{name}", f"{_TITLES[name]}, nested", name, "nested"))
    choice = _detail(_CHOICE, "Same choice on halves (%)", "alpha", "chosen on halves (%)", decimals=0)
    return [*columns, choice]


def _detail(name: str, title: str, detail_for: str, detail: str, decimals: int = 2) -> Column:
    return Column(name, title, decimals, detail_for=detail_for, detail=detail, printed=False)


_DETAILS = {column.name: column for column in _details()}


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


def _row(
    table: DevTable, study: Study, candidates: Sequence[RecipeScores], counts: Mapping[str, Int64] | None
) -> Row:
    """Return the cells of the best recipe; the one with its name has no column."""
    best = best_recipe(candidates)
    return (
        _run_name(table, study, best)
        | best.cells(SCORE_COLUMNS)
        | _nested_cells(best, candidates, counts)
        | {"seeds": len(best.runs)}
    )


def _nested(candidates: Sequence[RecipeScores], counts: Mapping[str, Int64] | None) -> Nested | None:
    return nested_selection([counts[one.name] for one in candidates]) if counts and candidates else None


def _nested_cells(
    best: RecipeScores, candidates: Sequence[RecipeScores], counts: Mapping[str, Int64] | None
) -> Row:
    """Return the scores with the choice on halves, and how often it fell on the row's recipe, in percent."""
    nested = _nested(candidates, counts)
    if nested is None:
        return dict.fromkeys((*(f"nested_{name}" for name in SCORE_COLUMNS), _CHOICE))
    same = 100 * float(nested.choices[candidates.index(best)])
    scores: Row = {f"nested_{name}": nested.f1[name] for name in SCORE_COLUMNS}
    return scores | {_CHOICE: same if len(candidates) > 1 else None}


def _note(
    table: DevTable,
    study: Study,
    read: Sequence[Sequence[RecipeScores]],
    counts: Mapping[str, Int64] | None,
) -> str:
    """Say how the numbers came about, and what choosing among all augmented recipes does."""
    augmented = list({one.name: one for row in read for one in row if _recipe(one).augmented}.values())
    nested, best = _nested(augmented, counts), ""
    if nested is not None:
        plain = best_recipe(augmented).mean("zar_f1")
        best = _BEST.format(count=len(augmented), plain=plain, nested=nested.f1["zar_f1"])
    details = table.name + (FULL_ENDING if table.csv == "shown" else ".csv")
    return _NOTE.format(
        seeds=counted(len(study.seeds), "seed"),
        name=table.name,
        details=details,
        nested=_NESTED if counts and _several(read) else "",
        best=best,
    )


def _published(table: DevTable, row: Row) -> Row:
    """Return the paper's numbers of a row under ``published_*``; empty cells where the paper has none."""
    names = (*SCORE_COLUMNS, "all_f1_sd")
    for paper in published_rows(table.published):
        if all(paper[key] == row[key] for key in table.keys):
            return {_PAPER + name: float(paper[name]) for name in names}
    return {_PAPER + name: None for name in names}


def _single_runs(table: DevTable, study: Study, read: Sequence[Sequence[RecipeScores]]) -> list[Row]:
    return [
        _run_name(table, study, scores) | {"seed": run.seed} | {name: run.f1[name] for name in SCORE_COLUMNS}
        for candidates in read
        for scores in candidates
        for run in scores.runs
    ]


def _run_name(table: DevTable, study: Study, scores: RecipeScores) -> Row:
    recipe = _recipe(scores)
    keys: Row = dict(table.row_name(study, recipe))
    # The keys stand first, and the row's own name wins over the recipe's POS set (Table 5).
    return keys | {"recipe": recipe.name, "pos_set": recipe.pos_set, "alpha": recipe.alpha} | keys


def _recipe(scores: RecipeScores) -> Recipe:
    """Return the recipe of these scores, which is none of the chosen ones: these see the test set only."""
    return cast(Recipe, scores.recipe)
