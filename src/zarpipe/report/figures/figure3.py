"""Figure 3 of the paper: ZAR F1 on dev against the share of masked tokens, one line per POS set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe.report.masked import MaskedTokens
from zarpipe.report.scores import RecipeScores, read_recipe
from zarpipe.report.table import Column, Row, Table, with_ending
from zarpipe.study.grid import recipes_in
from zarpipe.study.recipe import BASELINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from zarpipe.report.figures.drawing import LineStyle
    from zarpipe.study.study import Input, Study

NAME = "figure3"
KIND = "figure"
TITLE = "Figure 3: ZAR F1 against the share of masked tokens"
SHOWS = TITLE
CONTENTS = "How much masking"
CAPTION = """\
Figure 3: ZAR F1 on the development set against the share of masked tokens, one line per set of parts of
speech, points labelled with the masking probability, bars for the standard error over seeds.
"""
GUIDE = """\
How much masking is good? Each line is a set of parts of speech, each point one α (written beside it),
its height the mean ZAR F1 on dev over seeds and its bars the standard error. The dashed line is the
baseline. Point at a mark, or go to it with Tab and the arrow keys, for its numbers; the buttons hide
lines.
"""
ENDINGS: tuple[str, ...] = (".csv", ".json", ".svg", ".pdf")
SECTION = "zarpipe.report.pages.sections.figure3"
_COLUMNS = (
    Column("pos_set", "POS set"),
    Column("alpha", "α", numeric=True),
    Column("masked_tokens", "Masked tokens", numeric=True),
    Column("masked_percent", "Masked (%)", decimals=2),
    Column("zar_f1", "ZAR F1", decimals=2),
    Column("zar_f1_se", "Standard error", decimals=2),
    Column("seeds", "Seeds", numeric=True),
)
# Where the labels of each line stand from its points, in typographic points: lines that meet stay readable.
_LABEL_OFFSETS = ((6, 4), (6, -10), (-6, 5), (-6, -11), (9, -3))
_FIGURE_TITLE = "ZAR F1 against the share of masked tokens"


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

    def cells(self) -> Row:
        """Return the point as a row of figure3.csv; not every cell has a column in the table."""
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
            "zar_f1_sd": self.scores.deviation("zar_f1"),
        }


def inputs(study: Study) -> list[Input]:
    """Return the files that the figure reads."""
    recipes = recipes_in(study.grid.figure3())
    variants = [study.variant(recipe) for recipe in recipes if recipe.variant]
    return [*study.scores(recipes, "dev"), study.corpus("train"), *variants]


def spec(study: Study) -> dict[str, Any]:
    """Return what the figure depends on besides its inputs."""
    rows = study.grid.figure3()
    return {
        "lines": {line: [recipe.name for recipe in recipes] for line, recipes in rows.items()},
        "seeds": study.seeds,
    }


def build(study: Study) -> Table:
    """Count masked tokens and read the dev scores.

    Raises:
        ZarpipeError: a file is missing or damaged, or a variant belongs to another corpus.
    """
    rows = [point.cells() for line in _points(study).values() for point in line]
    return Table(NAME, "Figure 3 in numbers", _COLUMNS, rows, "ZAR F1 on the development set.", csv="cells")


def draw(study: Study, output: Path) -> None:
    """Draw the figure.

    Args:
        study: the study.
        output: path of the CSV; ``.svg`` and ``.pdf`` are written beside it.

    Raises:
        ZarpipeError: as for `build`.
    """
    from zarpipe.report.figures.drawing import drawing, line_style, save_figure  # loads matplotlib

    points = _points(study)
    with drawing(7.0, 4.6) as figure:
        axes = figure.add_subplot()
        _draw_baseline(axes, points.pop(BASELINE.name)[0])
        for number, (pos_set, line) in enumerate(points.items()):
            style = line_style(number)
            _draw_line(axes, pos_set, line, style)
            _label_points(axes, line, style, _LABEL_OFFSETS[number % len(_LABEL_OFFSETS)])
        axes.set_xlabel("masked tokens (% of all tokens of the training instances)")
        axes.set_ylabel("ZAR F1 on the development set (%)")
        axes.set_xlim(left=0)
        axes.margins(y=0.1)
        figure.legend(loc="outside upper center", ncols=3)
        save_figure(figure, with_ending(output, ".svg"), _FIGURE_TITLE)


def _points(study: Study) -> dict[str, list[Point]]:
    masked = MaskedTokens(study)
    return {
        line: [
            Point(
                line,
                recipe.alpha,
                masked.of(recipe),
                masked.tokens,
                read_recipe(study, recipe, "dev"),
            )
            for recipe in recipes
        ]
        for line, recipes in study.grid.figure3().items()
    }


def _draw_baseline(axes: Axes, baseline: Point) -> None:
    zar_f1, error = baseline.scores.mean("zar_f1"), baseline.scores.standard_error("zar_f1")
    axes.axhline(zar_f1, color="#555555", linewidth=1.2, dashes=(8, 3), label="baseline")
    if error is not None:
        axes.axhspan(zar_f1 - error, zar_f1 + error, color="#555555", alpha=0.15, linewidth=0)


def _draw_line(axes: Axes, pos_set: str, line: Sequence[Point], style: LineStyle) -> None:
    """Draw a POS set's points with their standard errors."""
    from zarpipe.report.figures.drawing import draw_line  # loads matplotlib

    means = [point.scores.mean("zar_f1") for point in line]
    errors = [point.scores.standard_error("zar_f1") or 0.0 for point in line]
    percents = [point.percent for point in line]
    draw_line(axes, percents, means, errors if any(errors) else None, style, pos_set)


def _label_points(axes: Axes, line: Sequence[Point], style: LineStyle, offset: tuple[int, int]) -> None:
    """Write each point's alpha beside it, with a white edge where it crosses a line."""
    from matplotlib.patheffects import withStroke

    for point in line:
        label = axes.annotate(
            point.alpha,
            (point.percent, point.scores.mean("zar_f1")),
            xytext=offset,
            textcoords="offset points",
            horizontalalignment="left" if offset[0] > 0 else "right",
            fontsize=7,
            color=style.color,
            gid=f"{point.pos_set}-{point.alpha}",
        )
        label.set_path_effects([withStroke(linewidth=2, foreground="white")])
