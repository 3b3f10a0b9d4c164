"""Table 6 of the paper: baselines and the chosen recipes on the test set, single models and ensembles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from zarpipe.formats.scores import F1_COLUMNS, f1_columns
from zarpipe.report.choose import read_by_ensembles, read_tested
from zarpipe.report.published import published_rows
from zarpipe.report.scores import read_recipe, spread_columns
from zarpipe.report.table import RUNS_ENDING, TABLE_ENDINGS, Column, Row, Table, counted
from zarpipe.study.recipe import Recipe
from zarpipe.study.stages import printed
from zarpipe.study.study import Input, Study
from zarpipe.task.scores import scores

if TYPE_CHECKING:
    from zarpipe.report.systems import Systems

NAME = "table6"
TITLE = "Table 6: F1 on the test set"
SHOWS = "Table 6: the test set"
CONTENTS = "Test set"
CAPTION = """\
Table 6: F1 on the test set of the baselines and of the CDA and masking recipes that are best on the
development set: single models (mean over seeds) and ensembles.
"""
GUIDE = """\
Does it hold on sentences that no choice was made on? “single” is the mean over seeds, “ensemble” one
system that averages the probabilities of all seeds. The cases tell where a gain comes from.
"""
ENDINGS: tuple[str, ...] = (*TABLE_ENDINGS, RUNS_ENDING)
# It has been a column of its own since before the others were known.
_OLD = "all_f1_sd"
_NOTE = (
    "F1 in percent. Single: mean over {seeds}, SD the sample standard deviation of ALL, SE the "
    "standard error of a mean over seeds. Every single run: table6_runs.csv. Ensemble: mean "
    "probability over the same seeds, thresholds searched on the development set. The recipes of CDA and "
    "masking were chosen by mean ZAR F1 on the development set."
)
_NOTE_ON_NAMED = (
    "Methods with other names are recipes of the configuration, each with the masking probability that is "
    "best by the same measure, and the baselines with as many updates."
)


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    return [*study.scores(study.test_recipes, "test"), *read_by_ensembles(study), study.chosen()]


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on besides its inputs."""
    return {
        "seeds": study.seeds,
        "accept": study.config.tagger.accept,
        "printed": printed(study.config),
    }


def build(study: Study) -> Table:
    """Score single models and ensembles on the test set."""
    from zarpipe.report.systems import Systems  # loads pyarrow

    systems = Systems(study)
    shown = read_tested(study)
    rows: list[Row] = []
    for setting in ("single", "ensemble"):
        rows += _published(setting) if study.config.report.published else []
        for method, taggers in study.grid.tested().items():
            row: Row = {"setting": setting, "source": "ours", "method": method, "recipe": shown[method]}
            single = setting == "single"
            row |= (
                read_recipe(study, taggers, "test").cells(F1_COLUMNS)
                if single
                else _ensemble(systems, taggers)
            )
            rows.append(row | {"seeds": len(study.seeds)})
    note = _NOTE.format(seeds=counted(len(study.seeds), "seed"))
    if study.config.recipes:
        note = f"{note} {_NOTE_ON_NAMED}"
    groups, runs = ("setting", "source"), _runs(study, shown)
    return Table(NAME, TITLE, _columns(), rows, note, groups=groups, runs=runs)


def _columns() -> list[Column]:
    titles = {name: _title(name, *of_scores) for name, of_scores in F1_COLUMNS.items()}
    spreads = [column for name, title in titles.items() for column in spread_columns(name, title)]
    return [
        *(Column(name, name.capitalize()) for name in ("setting", "source", "method", "recipe")),
        *(Column(name, title, decimals=2, best=True) for name, title in titles.items()),
        Column(_OLD, "SD", decimals=2),
        *(column for column in spreads if column.name != _OLD),
        Column("seeds", "Seeds", numeric=True),
    ]


def _title(column: str, relation: str, case: str) -> str:
    """Return the heading of a column of scores: ``ZAR ALL``, ``ZAR NOM``, ``DEP``."""
    return f"{relation} {case}" if column.startswith("zar_") else relation


def _ensemble(systems: Systems, taggers: Recipe | str) -> Row:
    counts = systems.ensemble(taggers).sum(axis=(0, 1))
    spreads = (column.name for name in F1_COLUMNS for column in spread_columns(name, ""))
    return {**f1_columns(scores(counts)), **dict.fromkeys(spreads)}


def _runs(study: Study, shown: Mapping[str, str]) -> list[Row]:
    """Return every single model on the test set."""
    return [
        {"method": method, "recipe": shown[method], "seed": run.seed, **run.f1}
        for method, taggers in study.grid.tested().items()
        for run in read_recipe(study, taggers, "test").runs
    ]


def _published(setting: str) -> list[Row]:
    """Return the paper's rows of a setting, numbers as printed."""
    return [
        {**{column.name: row.get(column.name) or None for column in _columns()}, "source": "published"}
        for row in published_rows("table6_test")
        if row["setting"] == setting
    ]
