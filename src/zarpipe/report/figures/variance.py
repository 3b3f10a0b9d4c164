"""The variance of each mean on the test set, by component, as stacked bars."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from zarpipe.report.figures.drawing import LINE_STYLES, category_panels, drawing, save_figure, system_label
from zarpipe.report.table import CellRow, Table, number_of

# Component -> colour and hatching, which tells them apart in print without colour, and label.
_LOOKS = {
    "seed": (LINE_STYLES[1].color, "", "seeds"),
    "rest": (LINE_STYLES[3].color, "////", "both together (rest)"),
    "document": (LINE_STYLES[2].color, "", "documents"),
}


def draw_variance(table: Table, names: Mapping[str, str], output: Path) -> None:
    """Draw the variances of means, a panel per category, methods above differences; and their PDF."""
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
