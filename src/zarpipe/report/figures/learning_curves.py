"""Learning curves: dev F1 and training loss by epoch, all seeds of one recipe in one figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes

from zarpipe.formats.history import History, read_history
from zarpipe.report.figures import LineStyle, drawing, line_style, save_figure


def write_learning_curves(histories: Mapping[str, Path], output: Path, recipe: str) -> None:
    """Draw the trainings of a recipe.

    Args:
        histories: label of each training (``seed1``) -> its ``history.csv``.
        output: the SVG; ``.pdf`` is written beside it.
        recipe: name for the title.

    Raises:
        ZarpipeError: a history is missing or damaged.
    """
    read = {label: read_history(path) for label, path in histories.items()}
    with drawing(7.0, 5.0) as figure:
        figure.suptitle(recipe)
        f1_axes, loss_axes = figure.subplots(2, 1, sharex=True)
        for place, (label, history) in enumerate(read.items()):
            style = line_style(place)
            _draw(f1_axes, history.epochs, history.dev_f1, style, label)
            _mark_best(f1_axes, history, style)
            _draw(loss_axes, history.epochs, history.loss, style, None)
        f1_axes.set_ylabel("ALL F1 on dev (%)")
        loss_axes.set_ylabel("training loss")
        loss_axes.set_xlabel("epoch")
        loss_axes.xaxis.get_major_locator().set_params(integer=True)
        figure.legend(loc="outside right upper", title="mark: best epoch")
        save_figure(figure, output, f"Learning curves of {recipe}")


def _draw(
    axes: Axes, epochs: Sequence[int], values: Sequence[float], style: LineStyle, label: str | None
) -> None:
    axes.plot(epochs, values, color=style.color, linestyle=style.dashes, linewidth=1.2, label=label)


def _mark_best(axes: Axes, history: History, style: LineStyle) -> None:
    if history.dev_f1:
        best = max(range(len(history.dev_f1)), key=history.dev_f1.__getitem__)
        axes.plot(
            history.epochs[best], history.dev_f1[best], color=style.color, marker=style.marker, markersize=5
        )
