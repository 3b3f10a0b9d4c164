"""Where the variance of the test scores comes from: seeds, documents, or both together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zarpipe.arrays import Int64
from zarpipe.report.choose import read_tested
from zarpipe.report.figures.drawing import LINE_STYLES, category_panels, drawing, save_figure, system_label
from zarpipe.report.names import spoken_names
from zarpipe.report.significance import CATEGORIES, distinct_systems, tested_pairs
from zarpipe.report.table import TABLE_ENDINGS, CellRow, Column, Row, Table, number_of
from zarpipe.study.study import Input, Study
from zarpipe.task.statistics.components import Components, f1_components
from zarpipe.task.statistics.f1 import micro_f1
from zarpipe.task.statistics.planning import detectable

NAME = "variance"
TITLE = "Variance components on the test set"
SHOWS = "Variance components: seeds and documents"
CONTENTS = "Variance"
CAPTION = """\
Variance of the F1 on the test set of the baselines and of the CDA and masking recipes that are best on the
development set, and of their differences: how much of it seeds bring, how much the documents, and how much
both together. With the smallest difference that such a study finds four times out of five.
"""
GUIDE = """\
Would more seeds help, or more documents? The figure shows the variance of each mean. What the documents bring
stays, however many seeds are trained; what seeds and the rest bring shrinks with their number. A difference
below the smallest one that this study can find is neither shown nor excluded by it; “zarpipe plan --detect”
says what it would take.
"""
ENDINGS: tuple[str, ...] = (*TABLE_ENDINGS, ".svg", ".pdf")
POWER = 0.8
# Component -> colour and hatching, which tells them apart in print without colour, and label.
_LOOKS = {
    "seed": (LINE_STYLES[1].color, "", "seeds"),
    "rest": (LINE_STYLES[3].color, "////", "both together (rest)"),
    "document": (LINE_STYLES[2].color, "", "documents"),
}
_COLUMNS = (
    Column("category", "Category"),
    Column("recipe", "System"),
    Column("other_recipe", "Less"),
    Column("f1", "F1, or difference", decimals=2),
    *(Column(name, name.capitalize(), decimals=3) for name in ("seed", "document", "rest")),
    Column("standard_error", "SE of the mean", decimals=2),
    Column("detectable", "Smallest difference found", decimals=2),
    Column("seeds", "Seeds", numeric=True),
    Column("documents", "Documents", numeric=True),
)
_NOTE = (
    "Variances in squared points of F1, of one model on this test set; seed and rest shrink with the number "
    "of seeds, document and rest with that of documents. SE: of the mean over these seeds and documents. "
    "Smallest difference found: with a power of 80 % at 5 %. Empty: fewer than 6 documents move the F1, so "
    "that nothing can be estimated."
)
_NOTE_ON_DRAWS = "A recipe of the configuration that has several draws has the same ones for every model."


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    recipes = study.test_recipes
    return [*study.decisions(recipes, "test"), study.corpus("test"), study.chosen()]


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on besides its inputs."""
    return {"seeds": study.seeds}


def build(study: Study) -> Table:
    """Estimate the components of every system and difference on the test set."""
    counts = tested_counts(study)
    names = read_tested(study)
    rows: list[Row] = []
    means = [(name, None) for name in distinct_systems(names)]
    for one, other in [*means, *tested_pairs(study, names)]:
        f1, parts = _estimate(counts, one, other)
        for place, category in enumerate(CATEGORIES):
            identity: Row = {"category": category, "recipe": names[one]}
            identity["other_recipe"] = names[other] if other else None
            documents, seeds = counts[one].shape[:2]
            identity |= {"f1": 100 * f1[place], "seeds": seeds, "documents": documents}
            rows.append(identity | _row(parts[place], is_difference=other is not None))
    note = f"{_NOTE} {_NOTE_ON_DRAWS}" if study.config.recipes else _NOTE
    return Table(NAME, TITLE, _COLUMNS, rows, note)


def tested_counts(study: Study) -> dict[str, Int64]:
    """Return the counts of each tested system's single models: [D, seeds, c, 3], c of CATEGORIES."""
    from zarpipe.report.systems import Systems  # loads pyarrow

    systems = Systems(study)
    return {name: systems.counts(taggers) for name, taggers in study.grid.tested().items()}


def draw(study: Study, table: Table, output: Path) -> None:
    """Draw the variance of each mean by component, a panel per category, methods above differences."""
    names = spoken_names(study)
    labels = list(dict.fromkeys(system_label(row, names) for row in table.rows))
    with drawing(7.0, 1.1 + 0.24 * len(labels)) as figure:
        for place, (axes, of_category) in enumerate(category_panels(figure, table.rows)):
            left = [0.0] * len(of_category)
            for component, (color, hatch, label) in _LOOKS.items():
                widths = [_of_mean(row, component) for row in of_category]
                axes.barh(
                    [system_label(row, names) for row in of_category],
                    widths,
                    left=left,
                    color=color,
                    hatch=hatch,
                    edgecolor="white",
                    linewidth=0,
                    label=label if place == 0 else None,
                )
                left = [start + width for start, width in zip(left, widths, strict=True)]
            axes.set_xlabel("points²")
            axes.tick_params(axis="y", length=0, labelsize=7)
        figure.axes[0].invert_yaxis()
        figure.legend(loc="outside upper center", ncols=len(_LOOKS))
        save_figure(figure, output, table.title)


def _of_mean(row: CellRow, component: str) -> float:
    """Return what a component adds to the variance of the mean over seeds."""
    return number_of(row[component]) / (1 if component == "document" else number_of(row["seeds"]))


def _estimate(
    counts: Mapping[str, Int64], one: str, other: str | None
) -> tuple[list[float], list[Components | None]]:
    """Return the F1, or F1 difference, of each category, and its components."""
    f1 = micro_f1(counts[one].sum(axis=0)).mean(axis=0)
    if other is None:
        return f1.tolist(), f1_components(counts[one])
    f1 = f1 - micro_f1(counts[other].sum(axis=0)).mean(axis=0)
    return f1.tolist(), f1_components(counts[one], counts[other])


def _row(parts: Components | None, *, is_difference: bool) -> Row:
    """Return what is estimated; all cells are empty where nothing can be."""
    if parts is None:
        return dict.fromkeys(("seed", "document", "rest", "standard_error", "detectable"))
    points = 100**2
    error = math.sqrt(parts.variance(parts.documents, parts.seeds))
    smallest = detectable(parts, parts.documents, parts.seeds, POWER) if is_difference else None
    several = parts.seeds > 1
    return {
        "seed": points * parts.seed if several else None,
        "document": points * parts.document,
        "rest": points * parts.rest if several else None,
        "standard_error": 100 * error,
        "detectable": None if smallest is None else 100 * smallest,
    }
