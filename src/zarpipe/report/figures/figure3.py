"""Figure 3 of the paper: ZAR F1 on dev against the share of masked tokens, one line per POS set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from zarpipe.errors import ZarpipeError
from zarpipe.files import write_text
from zarpipe.formats.corpus import read_instances
from zarpipe.formats.variant import read_variant
from zarpipe.report.figures import LineStyle, drawing, line_style, save_figure
from zarpipe.report.folder import ResultsFolder
from zarpipe.report.scores import RecipeScores, read_recipe
from zarpipe.report.tables import Cell, csv_text
from zarpipe.study.grid import BASELINE, parse_variant

# Where the labels of each line stand from its points, in typographic points: lines that meet stay readable.
_LABEL_PLACES = ((6, 4), (6, -10), (-6, 5), (-6, -11), (9, -3))
_TITLE = "ZAR F1 against the share of masked tokens"


@dataclass(frozen=True)
class Point:
    """One recipe in the figure.

    Attributes:
        pos_set: the line it belongs to.
        alpha: masking probability as text; empty for the baseline.
        masked: masked tokens over all training instances.
        tokens: tokens of all training instances, each sentence once per predicate.
        scores: the recipe's runs on dev.
    """

    pos_set: str
    alpha: str
    masked: int
    tokens: int
    scores: RecipeScores

    @property
    def percent(self) -> float:
        """Share of masked tokens in percent."""
        return 100 * self.masked / self.tokens

    def cells(self) -> dict[str, Cell]:
        """Return the point as a row of figure3.csv."""
        zar_f1, error = self.scores.mean("zar_f1"), self.scores.standard_error("zar_f1")
        return {
            "pos_set": self.pos_set,
            "alpha": self.alpha,
            "masked_tokens": self.masked,
            "tokens": self.tokens,
            "masked_percent": self.percent,
            "zar_f1": zar_f1,
            "zar_f1_se": error,
            "seeds": len(self.scores.runs),
            "zar_f1_display": f"{zar_f1:.2f}" + ("" if error is None else f" ±{error:.2f}"),
        }


def write_figure3(
    folder: ResultsFolder, methods: Mapping[str, Sequence[str]], seeds: Sequence[int], output: Path
) -> None:
    """Count masked tokens, read the dev scores, draw.

    Args:
        folder: results folder with dev scores, ``variants/`` and ``corpus/train.parquet``.
        methods: the recipes of the baseline, and of each line in order of alpha.
        seeds: the seeds that were run.
        output: ``figure3.csv``; ``.svg`` and ``.pdf`` are written beside it.

    Raises:
        ZarpipeError: a file is missing or damaged, or a variant belongs to another corpus.
    """
    points = _points(folder, methods, seeds)
    with drawing(7.0, 4.6) as figure:
        axes = figure.add_subplot()
        _draw_baseline(axes, points[BASELINE][0])
        for place, (pos_set, line) in enumerate(list(points.items())[1:]):
            _draw_line(axes, pos_set, line, line_style(place))
            _label_points(axes, line, line_style(place), _LABEL_PLACES[place % len(_LABEL_PLACES)])
        axes.set_xlabel("masked tokens (% of all tokens of the training instances)")
        axes.set_ylabel("ZAR F1 on the development set (%)")
        axes.set_xlim(left=0)
        axes.margins(y=0.1)
        figure.legend(loc="outside upper center", ncols=3)
        save_figure(figure, output.with_suffix(".svg"), _TITLE)
    write_text(output, csv_text([point.cells() for line in points.values() for point in line]))


def _points(
    folder: ResultsFolder, methods: Mapping[str, Sequence[str]], seeds: Sequence[int]
) -> dict[str, list[Point]]:
    instances = read_instances(folder.corpus("train"))
    tokens = int(instances.offsets[-1])
    return {
        pos_set: [
            Point(
                pos_set,
                "" if recipe == BASELINE else parse_variant(recipe).alpha,
                0 if recipe == BASELINE else _masked_tokens(folder, recipe, len(instances)),
                tokens,
                read_recipe(folder, recipe, seeds, "dev"),
            )
            for recipe in recipes
        ]
        for pos_set, recipes in methods.items()
    }


def _masked_tokens(folder: ResultsFolder, variant: str, instances: int) -> int:
    path = folder.variant(variant)
    read = read_variant(path)
    if len(read) != instances:
        raise ZarpipeError(
            f"{path}: has {len(read)} instances, expected the {instances} of {folder.corpus('train')}; "
            "make it again with `zarpipe augment`"
        )
    return len(read.masked)


def _draw_baseline(axes: Axes, baseline: Point) -> None:
    zar_f1, error = baseline.scores.mean("zar_f1"), baseline.scores.standard_error("zar_f1")
    axes.axhline(zar_f1, color="#555555", linewidth=1.2, dashes=(8, 3), label="baseline")
    if error is not None:
        axes.axhspan(zar_f1 - error, zar_f1 + error, color="#555555", alpha=0.15, linewidth=0)


def _draw_line(axes: Axes, pos_set: str, line: Sequence[Point], style: LineStyle) -> None:
    """Draw a POS set's points with their standard errors."""
    means = [point.scores.mean("zar_f1") for point in line]
    errors = [point.scores.standard_error("zar_f1") or 0.0 for point in line]
    axes.errorbar(
        [point.percent for point in line],
        means,
        yerr=errors if any(errors) else None,
        color=style.color,
        marker=style.marker,
        markersize=5,
        linestyle=style.dashes,
        linewidth=1.4,
        elinewidth=0.8,
        capsize=2,
        label=pos_set.replace("_", " "),
    )


def _label_points(axes: Axes, line: Sequence[Point], style: LineStyle, place: tuple[int, int]) -> None:
    """Write each point's alpha beside it, with a white edge where it crosses a line."""
    for point in line:
        label = axes.annotate(
            point.alpha,
            (point.percent, point.scores.mean("zar_f1")),
            xytext=place,
            textcoords="offset points",
            horizontalalignment="left" if place[0] > 0 else "right",
            fontsize=7,
            color=style.color,
            gid=f"{point.pos_set}-{point.alpha}",
        )
        label.set_path_effects([withStroke(linewidth=2, foreground="white")])
