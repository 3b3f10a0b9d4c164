"""All differences on the test set with their intervals: a forest plot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from zarpipe.report.figures.drawing import LINE_STYLES, category_panels, drawing, save_figure, system_label
from zarpipe.report.table import CellRow, Table, number_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TITLE = "Differences on the test set with 95 % confidence intervals"
_SHIFT = 0.16
# Single models and ensembles: colour, marker, how far from the middle of the line, and label.
_LOOKS = {
    "single": (LINE_STYLES[2].color, "o", -_SHIFT, "single models"),
    "ensemble": (LINE_STYLES[5].color, "s", _SHIFT, "ensembles"),
}


def draw_forest(table: Table, names: Mapping[str, str], output: Path) -> None:
    """Draw every difference of significance.csv, a panel per category; and the PDF."""
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
        save_figure(figure, output, _TITLE)


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
