"""Does augmentation help every kind of tagger? Table and figure, on dev, with tests, and with costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from zarpipe.arrays import Int64
from zarpipe.report.costs import Costs
from zarpipe.report.figures.drawing import drawing, line_style, save_figure
from zarpipe.report.kinds import KIND_COLUMNS, kind_cells, kind_label
from zarpipe.report.scores import best_recipe, read_recipe
from zarpipe.report.significance import CATEGORIES, comparison_rows, difference_columns, with_holm
from zarpipe.report.table import TABLE_ENDINGS, Column, Row, Table, counted
from zarpipe.study.grid import recipes_in
from zarpipe.study.recipe import BASELINE_TWICE, METHODS, Recipe
from zarpipe.study.study import Input, Study
from zarpipe.task.scores import ALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "models"
TITLE = "Augmentation with every kind of tagger, on the development set"
SHOWS = "Augmentation with every kind of tagger"
CONTENTS = "Kinds of taggers"
CAPTION = """\
F1 on the development set of the methods of Table 4 with every tagger architecture of the study, and with
other layers of the masked language model and another pooling of subwords where the study compares them; the
differences of CDA and masking from the baseline with as many updates, with 95 % confidence intervals and
p-values over documents and seeds; and what a tagger of masking costs. The paper has no such table.
"""
GUIDE = """\
Does the gain of augmentation survive another use of the masked language model, or its training? Each row is
a kind of tagger: an architecture, and which layers and subwords stand for a token. “Equal updates” is the
baseline that sees every instance twice, the fair comparison: the differences are from it. An interval that
holds 0 leaves the question open.
"""
ENDINGS: tuple[str, ...] = (*TABLE_ENDINGS, ".svg", ".pdf")
SWITCH = "tagger.compare"
_SPLIT = "dev"
_TITLES = {"masking": "Masking", "cda": "CDA"}
# The methods that are compared, each with the baseline that sees every instance twice.
_COMPARED = tuple(sorted(METHODS, reverse=True))
_OF_A_METHOD = (*difference_columns("difference"), Column("p_holm", "p (Holm)", 4))
_NOTE = (
    "F1 and differences in percent, means over {seeds}; differences are from equal updates. CDA and masking "
    "with the masking probability that has the best mean ZAR F1 on this set, so that their gains are seen at "
    "their best where there were several. p: two-sided paired permutation test over documents; p (Holm): "
    "corrected for all tests of the table. Intervals: paired bootstrap over documents; the spread over seeds "
    "is part of both. Encoder tokens: what goes through the masked language model for one tagger of masking, "
    "where a frozen model reads each distinct sequence once, for all seeds. Minutes: of one training of "
    "masking. Features: what a tagger of "
    "masking reads from disk. All three are empty where they are not known."
)


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    recipes = [recipe for rows in study.grid.models().values() for recipe in recipes_in(rows)]
    encoded = [job for recipe in recipes for job in study.jobs.encoded_for(recipe)]
    return [
        *study.scores(recipes, _SPLIT),
        *study.decisions(recipes, _SPLIT),
        *study.histories(recipes),  # with their minutes
        *(Input(job.path("features.h5"), job) for job in encoded),
        study.corpus("train"),
        study.corpus(_SPLIT),
    ]


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on besides its inputs."""
    report = study.config.report
    models = study.grid.models().items()
    return {
        "models": {name: [recipe.name for recipe in recipes_in(rows)] for name, rows in models},
        "seeds": study.seeds,
        "layers": str(study.config.encoding.layers),
        "pooling": study.config.encoding.pooling,
        "permutations": report.permutations,
        "seed": report.seed,
    }


def build(study: Study) -> Table:
    """Choose each model's best recipes, and test them against its baseline with as many updates."""
    from zarpipe.report.systems import Systems  # loads pyarrow

    systems, costs = Systems(study, _SPLIT), Costs(study)
    tested: list[Row] = []
    for rows in study.grid.models().values():
        read = {
            method: [read_recipe(study, recipe, _SPLIT) for recipe in recipes]
            for method, recipes in rows.items()
        }
        chosen = {method: cast(Recipe, best_recipe(scores).recipe) for method, scores in read.items()}
        of_model: Row = {
            **kind_cells(study, chosen["masking"]),
            "encoder_tokens": costs.encoder_tokens(chosen["masking"]),
            "training_minutes": costs.training_minutes(chosen["masking"]),
            "feature_megabytes": costs.feature_megabytes(chosen["masking"]),
        }
        of_model |= {f"{method}_alpha": chosen[method].alpha for method in _COMPARED}
        by_document = {method: systems.single(recipe) for method, recipe in chosen.items()}
        tested += [of_model | row for row in _tests(study, by_document)]
    rows_of_table = _wide(with_holm(tested), len(_COMPARED))
    note = _NOTE.format(seeds=counted(len(study.seeds), "seed"))
    return Table(NAME, TITLE, _columns(), rows_of_table, note, groups=("category",))


def draw(study: Study, table: Table, output: Path) -> None:  # noqa: ARG001 (called as all are)
    """Draw the differences from equal updates with their intervals, one line for each kind of tagger."""
    rows = [row for row in table.rows if row["category"] == ALL]
    with drawing(6.5, 1.4 + 0.6 * len(rows)) as figure:
        axes = figure.add_subplot()
        for number, method in enumerate(_COMPARED):
            _draw_method(axes, rows, method, number)
        axes.axvline(0, color="#555555", linewidth=1)
        axes.set_yticks(range(len(rows)), list(map(kind_label, rows)))
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel("F1 minus that of the baseline with as many updates (percentage points)")
        figure.legend(loc="outside upper center", ncols=len(_COMPARED))
        save_figure(figure, output, TITLE)


def _tests(study: Study, by_document: Mapping[str, Int64]) -> list[Row]:
    """Return one row for each category and compared method, in this order."""
    report, equal = study.config.report, by_document[BASELINE_TWICE.name]
    found = {
        method: comparison_rows(counts, equal, CATEGORIES, report.permutations, report.seed)
        for method, counts in by_document.items()
    }
    return [
        {
            **row,
            "method": method,
            "baseline": found["baseline"][place]["f1"],
            "equal_updates": row["other_f1"],
            "seeds": len(study.seeds),
        }
        for place in range(len(CATEGORIES))
        for method, row in ((method, found[method][place]) for method in _COMPARED)
    ]


def _wide(tested: list[Row], methods: int) -> list[Row]:
    """Put the rows of the methods of an architecture and category into one."""
    rows: list[Row] = []
    for first in range(0, len(tested), methods):
        row: Row = dict(tested[first])
        for one in tested[first : first + methods]:
            method = str(one["method"])
            row |= {method: one["f1"]} | {
                f"{method}_{column.name}": one[column.name] for column in _OF_A_METHOD
            }
        rows.append(row)
    return rows


def _columns() -> list[Column]:
    f1 = {"baseline": "Baseline", "equal_updates": "Equal updates"}
    f1 |= {method: _TITLES[method] for method in sorted(_COMPARED)}
    keys = KIND_COLUMNS | {"category": "Category"}
    columns = [Column(name, title) for name, title in keys.items()]
    columns += [Column(name, title, decimals=2, best="f1") for name, title in f1.items()]
    for method in _COMPARED:
        columns.append(Column(f"{method}_alpha", f"{_TITLES[method]} α", numeric=True))
        columns += [
            replace(column, name=f"{method}_{column.name}", title=f"{_TITLES[method]}: {column.title}")
            for column in _OF_A_METHOD
        ]
    return [
        *columns,
        Column("encoder_tokens", "Encoder tokens", decimals=0),
        Column("training_minutes", "Training minutes", decimals=1),
        Column("feature_megabytes", "Features (MB)", decimals=0),
        Column("documents", "Documents", numeric=True),
        Column("seeds", "Seeds", numeric=True),
    ]


def _draw_method(axes: Axes, rows: list[Any], method: str, number: int) -> None:
    """Draw a method's differences, with a line over each interval that there is."""
    style = line_style(2 * number)
    offset = 0.24 * (number - (len(_COMPARED) - 1) / 2)
    places = [place + offset for place in range(len(rows))]
    differences = [float(row[f"{method}_difference"]) for row in rows]
    axes.plot(differences, places, style.marker, color=style.color, markersize=5, label=_TITLES[method])
    for place, row in zip(places, rows, strict=True):
        low, high = row[f"{method}_ci_low"], row[f"{method}_ci_high"]
        if low is not None and high is not None:
            axes.plot([float(low), float(high)], [place, place], color=style.color, linewidth=1.2)
