"""F1 on dev against the number of training documents, and what augmentation is worth in documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zarpipe.arrays import Float64, Int64
from zarpipe.report.documents_worth import Curves, Worth, told_apart
from zarpipe.report.figures.drawing import (
    LineStyle,
    draw_line,
    drawing,
    fit_to_points,
    line_style,
    rows_by,
    save_figure,
)
from zarpipe.report.scores import spread_columns
from zarpipe.report.significance import interval_cells, interval_columns
from zarpipe.report.table import RUNS_ENDING, CellRow, Column, Row, Table, number_of
from zarpipe.study.grid import distinct
from zarpipe.study.recipe import BASELINE_TWICE, Recipe
from zarpipe.study.study import Input, Study
from zarpipe.task.relations import Relation
from zarpipe.task.scores import ALL
from zarpipe.task.statistics.comparison import confidence_interval
from zarpipe.task.statistics.components import MIN_DOCUMENTS
from zarpipe.task.statistics.curves import CurvePoint, draw_curves
from zarpipe.task.statistics.f1 import micro_f1
from zarpipe.task.subsets import DocumentFraction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "learning_curve"
KIND = "figure"
TITLE = "F1 against the number of training documents"
SHOWS = "F1 against the number of training documents"
CONTENTS = "How many documents"
CAPTION = """\
F1 on the development set of both baselines, CDA and masking, trained on nested parts of the training
documents, with 95 % intervals over documents, seeds and subsets.
"""
GUIDE = """\
What is augmentation worth, in documents that nobody needs to annotate? Each line is a method, each point a
number of training documents, with the mean F1 on dev over seeds and subsets and its 95 % interval. The fair
comparison is with “baseline2x”, which has as many updates. Augmentation helps where its line is above that;
it is worth as many documents as that line needs to come as high. An interval that is much wider than the
lines are apart leaves the panel.
"""
ENDINGS: tuple[str, ...] = (".csv", ".json", ".svg", ".pdf", RUNS_ENDING)
TEMPLATE = "figure.html"
SWITCH = "learning_curve.fractions"
CATEGORIES = (Relation.ZAR.name, ALL)
_SPLIT = "dev"
_COLUMNS = (
    Column("category", "Category"),
    Column("method", "Method"),
    Column("alpha", "α", numeric=True),
    Column("fraction", "Fraction", numeric=True),
    Column("documents", "Documents", numeric=True),
    Column("f1", "F1", decimals=2),
    *spread_columns("f1", "F1"),
    *interval_columns(),
    Column("difference", "Above baseline2x", decimals=2),
    *interval_columns("difference_low", "difference_high"),
    Column("told_apart", "Told apart"),
    Column("more_documents", "Worth documents", decimals=0),
    *interval_columns("more_low", "more_high", decimals=0),
    Column("trainings", "Trainings", numeric=True),
    Column("subsets", "Subsets", numeric=True),
)
_NOTE = (
    "Development set, F1 in percent, mean over all trainings (seeds and subsets), with their standard "
    "deviation and standard error. 95 % intervals: over the documents of the development set and over "
    "subsets (over seeds where there is one subset), each by itself. Told apart: after Holm's correction for "
    "all sizes, methods and categories of the figure; empty below three subsets or ten evaluated documents. "
    "Worth documents: how many more the line of baseline2x needs for the same F1, on the logarithm of the "
    "documents; empty where it does not say, and without an upper end where it ends below. α is the same for "
    "all sizes; nothing is chosen. Every single run: learning_curve_runs.csv."
)
_IN_SENTENCES = {"cda": "CDA"}
# Answers to "told apart?" -> what is said of all points that have them.
_NOT_TOLD = {
    "no": "Not told apart from the baseline with as many updates:",
    "": "Nothing is said, for want of subsets, seeds or evaluated documents, of",
}


@dataclass(frozen=True)
class Point:
    """A method's trainings on a fraction of the documents: a recipe for each subset, and counts."""

    method: str
    fraction: str
    documents: int
    recipes: Sequence[Recipe]
    trained: CurvePoint


@dataclass(frozen=True)
class _Line:
    """The points of a method in a category, ascending, and their curve beside that of the baseline."""

    category: int
    points: Sequence[Point]
    curves: Curves

    @property
    def augmented(self) -> bool:
        """Whether something is told of it: it is no baseline."""
        return self.points[0].recipes[0].augmented


def inputs(study: Study) -> list[Input]:
    """Return the files that the figure reads."""
    recipes = _recipes(study)
    return [
        *study.scores(recipes, _SPLIT),
        *study.decisions(recipes, _SPLIT),
        study.corpus("train"),
        study.corpus(_SPLIT),
    ]


def spec(study: Study) -> dict[str, Any]:
    """Return what the figure depends on besides its inputs."""
    report = study.config.report
    return {
        "points": {
            method: {fraction: [recipe.name for recipe in recipes] for fraction, recipes in points.items()}
            for method, points in study.grid.learning_curve().items()
        },
        "seeds": study.seeds,
        "samples": report.permutations,
        "seed": report.seed,
    }


def build(study: Study) -> Table:
    """Count decisions, draw intervals, and read the baseline's curve backwards."""
    points = _points(study)
    report = study.config.report
    drawn = draw_curves([point.trained for point in points], report.permutations, report.seed)
    lines = [line for place in range(len(CATEGORIES)) for line in _lines(points, drawn[:, :, place], place)]
    corrected = iter(told_apart([line.curves for line in lines if line.augmented]))
    lines = [replace(line, curves=next(corrected)) if line.augmented else line for line in lines]
    rows = [row for line in lines for row in _rows(line, len(study.seeds))]
    return Table(
        NAME, TITLE, _COLUMNS, rows, _NOTE, groups=("category",), csv="cells", runs=_runs(study, points)
    )


def draw(study: Study, table: Table, output: Path) -> None:  # noqa: ARG001 (called as all are)
    """Draw a panel for each category, a line for each method."""
    rows = table.rows
    with drawing(8.0, 4.2) as figure:
        for axes, category in zip(figure.subplots(1, len(CATEGORIES)), CATEGORIES, strict=True):
            lines = rows_by([row for row in rows if row["category"] == category], "method")
            for number, (method, line) in enumerate(lines.items()):
                shift = number - (len(lines) - 1) / 2
                _draw_line(axes, method, line, line_style(number), shift)
            _label_axes(axes, category, sorted({number_of(row["documents"]) for row in rows}))
            fit_to_points(axes, [number_of(row["f1"]) for line in lines.values() for row in line])
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
        save_figure(figure, output, TITLE)


def section(study: Study, table: Table) -> dict[str, Any]:  # noqa: ARG001 (called as all are)
    """Return for the page what is told apart, by category and size, masking first, and what is not."""
    said = sorted((row for row in table.rows if row["verdict"]), key=lambda row: row["method"] != "masking")
    of_categories = {
        f"{category} F1": _in_words([row for row in said if row["category"] == category])
        for category in CATEGORIES
    }
    return {"words": of_categories}


def _in_words(rows: Sequence[CellRow]) -> list[str]:
    """Return the sentences of what is told apart; all else stands in one sentence each."""
    words = [str(row["verdict"]) for row in rows if row["told_apart"] == "yes"]
    for answer, what in _NOT_TOLD.items():
        methods = rows_by([row for row in rows if row["told_apart"] == answer], "method")
        sizes = [
            f"{_IN_SENTENCES.get(method, method)} at {', '.join(str(row['documents']) for row in of_method)}"
            for method, of_method in methods.items()
        ]
        words += [f"{what} {'; '.join(sizes)} documents."] if sizes else []
    return words


def _recipes(study: Study) -> list[Recipe]:
    points = study.grid.learning_curve()
    return distinct(recipe for line in points.values() for recipes in line.values() for recipe in recipes)


def _points(study: Study) -> list[Point]:
    """Read the decisions of all trainings, method by method, ascending fractions."""
    from zarpipe.formats.corpus import read_corpus  # loads pyarrow
    from zarpipe.report.systems import Systems

    counts = Systems(study, _SPLIT, CATEGORIES).counts
    train = len(read_corpus(study.jobs.corpus("train"), ["doc_id"])["doc_id"].unique())
    return [
        Point(
            method,
            fraction,
            DocumentFraction(fraction=fraction, seed=1).count(train),
            recipes,
            _curve_point([counts(recipe) for recipe in recipes]),
        )
        for method, line in study.grid.learning_curve().items()
        for fraction, recipes in line.items()
    ]


def _curve_point(of_subsets: Sequence[Int64]) -> CurvePoint:
    """Return a point whose units are the subsets, if there are several, else the seeds."""
    if len(of_subsets) == 1:
        return CurvePoint(of_subsets[0][:, :, None], "seeds")
    return CurvePoint(np.stack(of_subsets, axis=1), "subsets")


def _lines(points: Sequence[Point], drawn: Float64, category: int) -> list[_Line]:
    """Return the lines of a category, without a correction: ``drawn`` is [B, P]."""
    lines: dict[str, list[int]] = {}
    for place, point in enumerate(points):
        lines.setdefault(point.method, []).append(place)
    baseline = lines[BASELINE_TWICE.name]
    f1 = np.array([point.trained.f1[category] for point in points])
    found = []
    for method, places in lines.items():
        of_method = [points[place] for place in places]
        curves = Curves(
            CATEGORIES[category],
            [point.documents for point in of_method],
            _IN_SENTENCES.get(method, method),
            f1[places],
            drawn[:, places],
            f1[baseline],
            drawn[:, baseline],
            _countable(of_method[0].trained.counts, category),
            list(map(_told_units, of_method)),
        )
        found.append(_Line(category, of_method, curves))
    return found


def _told_units(point: Point) -> int:
    """Count the units that tell of others: on a part of the documents these are subsets, never seeds."""
    units = point.trained.counts.shape[1]
    return units if len(point.recipes) > 1 or point.recipes[0].documents is None else 1


def _rows(line: _Line, seeds: int) -> list[Row]:
    """Return a row for each point of a line."""
    rows = []
    for place, point in enumerate(line.points):
        worth = line.curves.worth(place) if line.augmented else None
        row = _point_cells(point, line.category, float(line.curves.f1[place]), seeds)
        row["told_apart"] = ""
        if worth and worth.interval:
            row["told_apart"] = "yes" if line.curves.apart[place] else "no"
        rows.append(row | _interval_cells(line, place) | _worth_cells(worth))
    return rows


def _point_cells(point: Point, category: int, f1: float, seeds: int) -> Row:
    of_trainings = 100 * micro_f1(point.trained.counts.sum(axis=0))[..., category].ravel()
    deviation = float(of_trainings.std(ddof=1)) if len(of_trainings) > 1 else None
    return {
        "category": CATEGORIES[category],
        "method": point.method,
        "alpha": point.recipes[0].alpha,
        "fraction": point.fraction,
        "documents": point.documents,
        "f1": 100 * f1,
        "f1_sd": deviation,
        "f1_se": None if deviation is None else deviation / math.sqrt(len(of_trainings)),
        "trainings": len(point.recipes) * seeds,
        "subsets": len(point.recipes),
    }


def _interval_cells(line: _Line, place: int) -> Row:
    enough = line.curves.documents >= MIN_DOCUMENTS and line.points[place].trained.counts.shape[1] > 1
    return interval_cells(confidence_interval(line.curves.drawn[:, place]) if enough else None)


def _worth_cells(worth: Worth | None) -> Row:
    interval, more_interval = (worth.interval, worth.more_interval) if worth else (None, None)
    more = interval_cells(more_interval, "more_low", "more_high", unit=1)
    return {
        "difference": 100 * worth.difference if worth else None,
        **interval_cells(interval, "difference_low", "difference_high"),
        "more_documents": worth.more if worth else None,
        **{name: None if end == math.inf else end for name, end in more.items()},
        "verdict": worth.verdict if worth else "",
    }


def _runs(study: Study, points: Sequence[Point]) -> list[Row]:
    """Return every single run; those of all documents have no subset seed."""
    from zarpipe.report.scores import read_recipe

    return [
        {
            "method": point.method,
            "recipe": recipe.name,
            "fraction": point.fraction,
            "documents": point.documents,
            "subset_seed": recipe.documents.seed if recipe.documents else None,
            "seed": run.seed,
            **run.f1,
        }
        for point in points
        for recipe in point.recipes
        for run in read_recipe(study, recipe, _SPLIT).runs
    ]


def _countable(counts: Int64, category: int) -> int:
    """Count the documents of the split that have something to count in any training."""
    return int((counts[:, :, :, category].sum(axis=(1, 2, 3)) > 0).sum())


def _draw_line(axes: Axes, method: str, line: Sequence[CellRow], style: LineStyle, shift: float) -> None:
    """Draw a method; ``shift`` keeps the bars of methods apart."""
    f1 = np.array([number_of(row["f1"]) for row in line])
    ends = [(row["ci_low"], row["ci_high"]) for row in line]
    has_intervals = all(low is not None for low, _ in ends)
    reach = np.abs(np.array([[number_of(end) for end in pair] for pair in ends]).T - f1)
    sizes = [number_of(row["documents"]) * 1.02**shift for row in line]
    draw_line(axes, sizes, f1, reach if has_intervals else None, style, method, markersize=4)


def _label_axes(axes: Axes, category: str, sizes: Sequence[float]) -> None:
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("training documents")
    axes.set_ylabel(f"{category} F1 on the development set (%)")
