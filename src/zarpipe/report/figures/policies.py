"""Masking policies: ZAR F1 on dev with 95 % intervals, against the share of masked tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from zarpipe.report.figures.drawing import LineStyle, draw_line, drawing, line_style, rows_by, save_figure
from zarpipe.report.table import CellRow, Table

# Policies at one share would hide each other: each is moved by this part of the width.
_STEP = 0.006


def draw_policies(table: Table, output: Path) -> None:
    """Draw the rows of policies.csv."""
    lines = rows_by(table.rows, "policy")
    baselines = {name: rows for name, rows in lines.items() if not any(row["alpha"] for row in rows)}
    policies = {name: rows for name, rows in lines.items() if name not in baselines}
    widest = max(float(row["masked_percent"] or 0) for row in table.rows)
    with drawing(7.0, 4.6) as figure:
        axes = figure.add_subplot()
        for (name, (row,)), dashes in zip(baselines.items(), ("dashed", "dotted"), strict=False):
            label = name.replace("baseline2x", "baseline, equally many updates")
            axes.axhline(
                float(row["zar_f1"] or 0), color="#555555", linewidth=1.2, linestyle=dashes, label=label
            )
        for number, (name, rows) in enumerate(policies.items()):
            shift = (number - (len(policies) - 1) / 2) * _STEP * widest
            _draw_line(axes, name, rows, line_style(number), shift)
        axes.set_xlabel("masked tokens (% of all tokens of the training instances)")
        axes.set_ylabel("ZAR F1 on the development set (%), 95 % intervals")
        axes.margins(y=0.1)
        figure.legend(loc="outside upper center", ncols=3)
        save_figure(figure, output, table.title)


def _draw_line(axes: Axes, name: str, rows: Sequence[CellRow], style: LineStyle, shift: float) -> None:
    """Draw a policy's points with their intervals; an unknown interval has no bar."""
    f1 = np.array([float(row["zar_f1"] or 0) for row in rows])
    below = [mean - _known(row["zar_f1_low"], mean) for row, mean in zip(rows, f1, strict=True)]
    above = [_known(row["zar_f1_high"], mean) - mean for row, mean in zip(rows, f1, strict=True)]
    percents = [float(row["masked_percent"] or 0) + shift for row in rows]
    draw_line(axes, percents, f1, np.maximum([below, above], 0), style, name)


def _known(value: object, otherwise: float) -> float:
    return otherwise if value is None else float(str(value))
