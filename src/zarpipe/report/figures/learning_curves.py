"""Learning curves: dev F1 and training loss by epoch, all seeds of one recipe in one figure."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe.formats.history import History, read_history
from zarpipe.report.figures.drawing import LineStyle, drawing, line_style, save_figure
from zarpipe.study.code import code_digest
from zarpipe.study.jobs import Job
from zarpipe.study.recipe import Recipe
from zarpipe.study.stages import name_of, versions
from zarpipe.study.study import Input, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "learning_curves"
KIND = "figure"
TITLE = "Learning curves"
# Snakemake fills in what stands in braces.
SHOWS = "Learning curves: {recipe}"
CAPTION = """\
F1 on the development set and training loss by epoch, one line per seed, of the recipe {{
snakemake.wildcards.recipe }}.
"""
ENDINGS = (".svg", ".pdf")


def inputs(study: Study, recipe: Recipe | str) -> list[Input]:
    """Return the training histories of a recipe, or of a chosen one given by its name."""
    return study.histories([recipe])


def spec(study: Study) -> dict[str, Any]:
    """Return what the figure depends on besides its inputs."""
    return {"seeds": study.seeds, "code": code_digest(__name__), "libraries": versions("matplotlib")}


def job(study: Study, recipe: Recipe | str) -> Job:
    """Return the job that draws the trainings of a recipe."""
    name, reads = name_of(recipe), [read.job for read in inputs(study, recipe)]
    settings = functools.partial(spec, study)
    return study.jobs.report(
        f"{NAME}/{name}", settings, reads, f"{NAME}.svg", f"learning-curves --recipe={name}"
    )


def draw(study: Study, recipe: Recipe | str, output: Path) -> None:
    """Draw the trainings of a recipe."""
    name = name_of(recipe)
    histories = {seed: read_history(Path(study.history_of(recipe, seed).path)) for seed in study.seeds}
    with drawing(7.0, 5.0) as figure:
        figure.suptitle(name)
        f1_axes, loss_axes = figure.subplots(2, 1, sharex=True)
        for number, (seed, history) in enumerate(histories.items()):
            style = line_style(number)
            _draw_line(f1_axes, history.epochs, history.dev_f1, style, f"seed{seed}")
            _mark_best(f1_axes, history, style)
            _draw_line(loss_axes, history.epochs, history.loss, style, None)
        f1_axes.set_ylabel("ALL F1 on dev (%)")
        loss_axes.set_ylabel("training loss")
        loss_axes.set_xlabel("epoch")
        loss_axes.xaxis.get_major_locator().set_params(integer=True)
        figure.legend(loc="outside right upper", title="mark: best epoch")
        save_figure(figure, output, f"Learning curves of {name}")


def _draw_line(
    axes: Axes, epochs: Sequence[int], values: Sequence[float], style: LineStyle, label: str | None
) -> None:
    axes.plot(epochs, values, color=style.color, linestyle=style.dashes, linewidth=1.2, label=label)


def _mark_best(axes: Axes, history: History, style: LineStyle) -> None:
    if history.dev_f1:
        best = max(range(len(history.dev_f1)), key=history.dev_f1.__getitem__)
        axes.plot(
            history.epochs[best], history.dev_f1[best], color=style.color, marker=style.marker, markersize=5
        )
