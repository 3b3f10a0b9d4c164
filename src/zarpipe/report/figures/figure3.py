"""Figure 3 of the paper: ZAR F1 on dev against the share of masked tokens, one line per POS set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe.report.figures.drawing import (
    LineStyle,
    draw_line,
    drawing,
    line_style,
    rows_by,
    save_figure,
)
from zarpipe.report.masked import MaskedTokens
from zarpipe.report.scores import RecipeScores, read_recipe
from zarpipe.report.table import CellRow, Column, Row, Table, number_of
from zarpipe.study.grid import recipes_in
from zarpipe.study.recipe import BASELINE, Recipe
from zarpipe.study.study import Input, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
TEMPLATE = "figure3.html"
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


def inputs(study: Study) -> list[Input]:
    """Return the files that the figure reads."""
    recipes = recipes_in(study.grid.figure3())
    variants = [study.variant(recipe.variant) for recipe in recipes if recipe.variant]
    return [*study.scores(recipes, "dev"), study.corpus("train"), *variants]


def spec(study: Study) -> dict[str, Any]:
    """Return what the figure depends on besides its inputs."""
    rows = study.grid.figure3()
    return {
        "lines": {line: [recipe.name for recipe in recipes] for line, recipes in rows.items()},
        "seeds": study.seeds,
    }


def build(study: Study) -> Table:
    """Count masked tokens and read the dev scores."""
    masked = MaskedTokens(study)
    rows = [
        _row(line, recipe, masked.of(recipe), masked.tokens, read_recipe(study, recipe, "dev"))
        for line, recipes in study.grid.figure3().items()
        for recipe in recipes
    ]
    return Table(NAME, "Figure 3 in numbers", _COLUMNS, rows, "ZAR F1 on the development set.", csv="cells")


def _row(line: str, recipe: Recipe, masked: int, tokens: int, scores: RecipeScores) -> Row:
    """Return a point as a row of figure3.csv; not every cell has a column in the table."""
    zar_f1, error = scores.mean("zar_f1"), scores.standard_error("zar_f1")
    return {
        "pos_set": line,
        "alpha": recipe.alpha,
        "masked_tokens": masked,
        "tokens": tokens,
        "masked_percent": 100 * masked / tokens,
        "zar_f1": zar_f1,
        "zar_f1_se": error,
        "seeds": len(scores.runs),
        "zar_f1_display": f"{zar_f1:.2f}" + ("" if error is None else f" ±{error:.2f}"),
        "zar_f1_sd": scores.deviation("zar_f1"),
    }


def draw(study: Study, table: Table, output: Path) -> None:  # noqa: ARG001 (called as all are)
    """Draw a line for each POS set, with the standard errors, and the baseline."""
    lines = rows_by(table.rows, "pos_set")
    with drawing(7.0, 4.6) as figure:
        axes = figure.add_subplot()
        _draw_baseline(axes, lines.pop(BASELINE.name)[0])
        for number, (pos_set, line) in enumerate(lines.items()):
            style = line_style(number)
            percents, means, errors = (
                [number_of(row[name]) for row in line] for name in ("masked_percent", "zar_f1", "zar_f1_se")
            )
            draw_line(axes, percents, means, errors if any(errors) else None, style, pos_set)
            _label_points(axes, line, style, _LABEL_OFFSETS[number % len(_LABEL_OFFSETS)])
        axes.set_xlabel("masked tokens (% of all tokens of the training instances)")
        axes.set_ylabel("ZAR F1 on the development set (%)")
        axes.set_xlim(left=0)
        axes.margins(y=0.1)
        figure.legend(loc="outside upper center", ncols=3)
        save_figure(figure, output, "ZAR F1 against the share of masked tokens")


def section(study: Study, table: Table) -> dict[str, Any]:  # noqa: ARG001 (called as all are)
    """Return for the page the points, by line, in percent; no chart where a line would have one point."""
    lines = rows_by(table.rows, "pos_set")
    if all(len(rows) == 1 for rows in lines.values()):
        return {"chart": None}
    (baseline,) = lines.pop(BASELINE.name)
    shown = [
        {"name": name, "title": name.replace("_", " "), "style": number, "points": list(map(_point, rows))}
        for number, (name, rows) in enumerate(lines.items())
    ]
    return {"chart": {"baseline": _point(baseline), "lines": shown}}


def _draw_baseline(axes: Axes, baseline: CellRow) -> None:
    zar_f1, error = number_of(baseline["zar_f1"]), number_of(baseline["zar_f1_se"])
    axes.axhline(zar_f1, color="#555555", linewidth=1.2, dashes=(8, 3), label="baseline")
    if baseline["zar_f1_se"] is not None:
        axes.axhspan(zar_f1 - error, zar_f1 + error, color="#555555", alpha=0.15, linewidth=0)


def _label_points(axes: Axes, line: Sequence[CellRow], style: LineStyle, offset: tuple[int, int]) -> None:
    """Write each point's alpha beside it, with a white edge where it crosses a line."""
    from matplotlib.patheffects import withStroke

    for row in line:
        label = axes.annotate(
            str(row["alpha"]),
            (number_of(row["masked_percent"]), number_of(row["zar_f1"])),
            xytext=offset,
            textcoords="offset points",
            horizontalalignment="left" if offset[0] > 0 else "right",
            fontsize=7,
            color=style.color,
            gid=f"{row['pos_set']}-{row['alpha']}",
        )
        label.set_path_effects([withStroke(linewidth=2, foreground="white")])


def _point(row: CellRow) -> dict[str, Any]:
    zar_f1, error, percent = (number_of(row[name]) for name in ("zar_f1", "zar_f1_se", "masked_percent"))
    spread = f" ± {error:.2f} (standard error, {row['seeds']} seeds)"
    alpha = f", α = {row['alpha']}" if row["alpha"] else ""
    lines = [
        f"{row['pos_set']}{alpha}".replace("_", " "),
        f"ZAR F1 {zar_f1:.2f}{' (1 seed)' if row['zar_f1_se'] is None else spread}",
    ]
    if row["alpha"]:
        lines.append(f"{percent:.1f} % of tokens masked ({row['masked_tokens']})")
    return {
        "x": round(percent, 4),
        "y": round(zar_f1, 4),
        "se": round(error, 4),
        "label": row["alpha"],
        "tip": "\n".join(lines),
    }
