"""The variance of each mean on the test set, by component, as stacked bars."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from zarpipe.report.figures.drawing import LINE_STYLES, drawing, save_figure
from zarpipe.report.table import CellRow, Table

_TITLE = "Variance components on the test set"
# Component -> colour and hatching, which tells them apart in print without colour.
_LOOKS = {
    "seed": (LINE_STYLES[1].color, ""),
    "rest": (LINE_STYLES[3].color, "////"),
    "document": (LINE_STYLES[2].color, ""),
}


def draw_variance(table: Table, names: Mapping[str, str], output: Path) -> None:
    """Draw the variances of means, a panel per category, methods above differences."""
    categories = list(dict.fromkeys(str(row["category"]) for row in table.rows))
    labels = list(dict.fromkeys(system_label(row, names) for row in table.rows))
    with drawing(7.0, 1.1 + 0.24 * len(labels)) as figure:
        for place, axes in enumerate(figure.subplots(1, len(categories), sharey=True, squeeze=False)[0]):
            of_category = [row for row in table.rows if row["category"] == categories[place]]
            rows = {system_label(row, names): row for row in of_category}
            left = dict.fromkeys(labels, 0.0)
            for component, (color, hatch) in _LOOKS.items():
                widths = [_of_mean(rows[label], component) for label in labels]
                axes.barh(
                    labels,
                    widths,
                    left=list(left.values()),
                    color=color,
                    hatch=hatch,
                    edgecolor="white",
                    linewidth=0,
                    label=_legend(component) if place == 0 else None,
                )
                left = {label: left[label] + width for label, width in zip(labels, widths, strict=True)}
            axes.set_title(categories[place])
            axes.set_xlabel("points²")
            axes.grid(visible=False, axis="y")
            axes.tick_params(axis="y", length=0, labelsize=7)
        figure.axes[0].invert_yaxis()
        figure.legend(loc="outside upper center", ncols=len(_LOOKS))
        save_figure(figure, output, _TITLE)


def system_label(row: CellRow, names: Mapping[str, str]) -> str:
    """Return what a row is about: a system, or ``masking, all, α 0.5 − baseline``."""
    systems = [str(row[key]) for key in ("recipe", "other_recipe") if row[key]]
    return " − ".join(names.get(name, name) for name in systems)


def _of_mean(row: Mapping[str, object], component: str) -> float:
    """Return what a component adds to the variance of the mean over seeds."""
    seeds = 1 if component == "document" else int(str(row["seeds"]))
    return float(str(row[component] or 0)) / seeds


def _legend(component: str) -> str:
    return {"seed": "seeds", "rest": "both together (rest)", "document": "documents"}[component]
