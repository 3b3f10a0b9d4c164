"""The systems on the test set, each against each: is the difference more than chance?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe.arrays import Int64
from zarpipe.report.choose import read_by_ensembles, read_tested
from zarpipe.report.figures.drawing import LINE_STYLES, category_panels, drawing, save_figure, system_label
from zarpipe.report.names import spoken_names, with_spoken_names
from zarpipe.report.pages.words import FEW_SEEDS, shown_p, shown_test, signed, told_apart, verdict
from zarpipe.report.significance import (
    CATEGORIES,
    TEST_NOTE,
    comparison_columns,
    comparison_rows,
    fair_comparisons,
    tested_pairs,
    with_holm,
)
from zarpipe.report.table import TABLE_ENDINGS, CellRow, Column, Row, Table, number_of
from zarpipe.study.study import Input, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "significance"
TITLE = "Differences on the test set, and their significance"
SHOWS = "Significance: the differences on the test set"
CONTENTS = "Significance"
CAPTION = """\
Paired permutation test over the documents of the test set, of the baseline, the baseline that sees every
instance twice, and the CDA and masking recipes that are best on the development set, each against each,
with the bootstrap confidence interval of the difference.
"""
GUIDE = """\
The fair comparison of augmentation is with “baseline2x”, which has as many updates. The permutation test
swaps the two systems' answers to whole documents at random and counts how often a difference as large comes
out: a small p means rarely. The interval says where the true difference plausibly lies.
"""
ENDINGS: tuple[str, ...] = (*TABLE_ENDINGS, ".svg", ".pdf")
TEMPLATE = "significance.html"
_COLUMNS = (
    Column("setting", "Setting"),
    Column("category", "Category"),
    Column("recipe", "System"),
    Column("other_recipe", "Compared with"),
    *comparison_columns(f1="F1", other_f1="Other F1"),
    Column("instances", "Instances", numeric=True),
    Column("seeds", "Seeds", numeric=True),
    Column("permutations", "Permutations", numeric=True),
)
_NOTE = (
    "F1 and differences in percentage points. Single: mean over models paired by seed. "
    + TEST_NOTE.format(family="single models, or of ensembles", system="the system")
)
_SHIFT = 0.16
# Single models and ensembles: colour, marker, how far from the middle of the line, and label.
_LOOKS = {
    "single": (LINE_STYLES[2].color, "o", -_SHIFT, "single models"),
    "ensemble": (LINE_STYLES[5].color, "s", _SHIFT, "ensembles"),
}


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    return [*study.decisions(study.test_recipes, "test"), *read_by_ensembles(study), study.chosen()]


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on besides its inputs."""
    report = study.config.report
    return {
        "seeds": study.seeds,
        "accept": study.config.tagger.accept,
        "permutations": report.permutations,
        "seed": report.seed,
    }


def build(study: Study) -> Table:
    """Test the systems on the test set against each other, for ALL, DEP and ZAR F1."""
    from zarpipe.report.systems import Systems  # loads pyarrow

    systems = Systems(study)
    names = read_tested(study)
    rows: list[Row] = []
    for setting, counts in (("single", systems.single), ("ensemble", systems.ensemble)):
        of_systems = {name: counts(taggers) for name, taggers in study.grid.tested().items()}
        of_setting: Row = {"setting": setting, "instances": len(systems.documents)}
        of_setting |= {"seeds": len(study.seeds), "permutations": study.config.report.permutations}
        rows += with_holm([of_setting | row for row in _pairs(study, of_systems, names)])
    return Table(NAME, TITLE, _COLUMNS, rows, _NOTE)


def draw(study: Study, table: Table, output: Path) -> None:
    """Draw the forest plot of all differences, a panel per category."""
    names = spoken_names(study)
    labels = list(dict.fromkeys(system_label(row, names) for row in table.rows))
    with drawing(7.0, 1.3 + 0.36 * len(labels)) as figure:
        for axes, rows in category_panels(figure, table.rows):
            axes.axvline(0, color="#555555", linewidth=1)
            for row in rows:
                _draw_difference(axes, row, labels.index(system_label(row, names)))
            axes.set_xlabel("points of F1")
        first = figure.axes[0]
        first.set_yticks(range(len(labels)), labels, fontsize=7)
        first.set_ylim(len(labels) - 0.5, -0.5)
        for color, marker, _, label in _LOOKS.values():
            first.plot([], [], color=color, marker=marker, label=label)
        figure.legend(loc="outside upper center", ncols=len(_LOOKS))
        save_figure(figure, output, "Differences on the test set with 95 % confidence intervals")


def section(study: Study, table: Table) -> dict[str, Any]:
    """Return for the page the comparisons with as many updates in words, and all for its forest plot."""
    fair, names = fair_comparisons(study), spoken_names(study)
    rows = [(row, with_spoken_names(row, names)) for row in table.rows]
    tests = [spoken for row, spoken in rows if (row["recipe"], row["other_recipe"]) in fair]
    return {
        "tests": list(map(shown_test, tests)),
        "summary": told_apart(tests),
        "warning": FEW_SEEDS if len(study.seeds) == 2 else "",
        "forest": [_difference(spoken) for _, spoken in rows],
    }


def _pairs(study: Study, of_systems: Mapping[str, Int64], names: Mapping[str, str]) -> list[Row]:
    """Compare each pair of systems of a setting."""
    report = study.config.report
    return [
        {**row, "recipe": names[one], "other_recipe": names[other]}
        for one, other in tested_pairs(study, names)
        for row in comparison_rows(
            of_systems[one], of_systems[other], CATEGORIES, report.permutations, report.seed
        )
    ]


def _draw_difference(axes: Axes, row: CellRow, line: int) -> None:
    """Draw a difference and its interval; one without an interval is hollow."""
    color, marker, shift, _ = _LOOKS[str(row["setting"])]
    height, face = line + shift, "white"
    if row["ci_low"] is not None:
        ends = [number_of(row[name]) for name in ("ci_low", "ci_high")]
        axes.plot(ends, [height, height], color=color, linewidth=1.4)
        face = color
    difference = number_of(row["difference"])
    axes.plot(difference, height, color=color, marker=marker, markersize=4.5, markerfacecolor=face)


def _difference(row: CellRow) -> dict[str, Any]:
    """Return a line of the plot, and all that is known of it."""
    label = f"{row['recipe']} − {row['other_recipe']}"
    ends = [None if row[name] is None else round(number_of(row[name]), 4) for name in ("ci_low", "ci_high")]
    setting = "ensembles" if row["setting"] == "ensemble" else "single models"
    lines = [
        f"{row['category']}, {setting}",
        label,
        f"{signed(number_of(row['difference']))} points of F1. {verdict(row)}",
        f"p {_with_sign(shown_p(row, 'p_value'))}, corrected {_with_sign(shown_p(row, 'p_holm'))}",
    ]
    return {
        "category": row["category"],
        "setting": setting,
        "label": label,
        "difference": round(number_of(row["difference"]), 4),
        "low": ends[0],
        "high": ends[1],
        "tip": "\n".join(lines),
    }


def _with_sign(p: str) -> str:
    return p if p.startswith("≤") else f"= {p}"
