"""All differences on the test set with their intervals: a forest plot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from zarpipe.report.figures.drawing import LINE_STYLES, drawing, save_figure
from zarpipe.report.figures.variance import system_label
from zarpipe.report.table import CellRow, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TITLE = "Differences on the test set with 95 % confidence intervals"
_SHIFT = 0.16
# Single models and ensembles: colour, marker, and how far from the middle of the line.
_LOOKS = {
    "single": (LINE_STYLES[2].color, "o", -_SHIFT),
    "ensemble": (LINE_STYLES[5].color, "s", _SHIFT),
}


def draw_forest(table: Table, names: Mapping[str, str], output: Path) -> None:
    """Draw every difference, a panel per category."""
    categories = list(dict.fromkeys(str(row["category"]) for row in table.rows))
    labels = list(dict.fromkeys(system_label(row, names) for row in table.rows))
    with drawing(7.0, 1.3 + 0.36 * len(labels)) as figure:
        panels = figure.subplots(1, len(categories), sharey=True, squeeze=False)[0]
        for category, axes in zip(categories, panels, strict=True):
            axes.axvline(0, color="#555555", linewidth=1)
            for row in table.rows:
                if row["category"] == category:
                    _draw_difference(axes, row, labels.index(system_label(row, names)))
            axes.set_title(category)
            axes.set_xlabel("points of F1")
            axes.grid(visible=False, axis="y")
        panels[0].set_yticks(range(len(labels)), labels, fontsize=7)
        panels[0].set_ylim(len(labels) - 0.5, -0.5)
        for setting, (color, marker, _) in _LOOKS.items():
            panels[0].plot([], [], color=color, marker=marker, label=_legend(setting))
        figure.legend(loc="outside upper center", ncols=len(_LOOKS))
        save_figure(figure, output, _TITLE)


def _draw_difference(axes: Axes, row: CellRow, line: int) -> None:
    """Draw a difference and its interval; one without an interval is hollow."""
    color, marker, shift = _LOOKS[str(row["setting"])]
    difference, height = float(str(row["difference"])), line + shift
    has_interval = row["ci_low"] is not None
    if has_interval:
        ends = [float(str(row[name])) for name in ("ci_low", "ci_high")]
        axes.plot(ends, [height, height], color=color, linewidth=1.4)
    face = color if has_interval else "white"
    axes.plot(difference, height, color=color, marker=marker, markersize=4.5, markerfacecolor=face)


def _legend(setting: str) -> str:
    return {"single": "single models", "ensemble": "ensembles"}[setting]
