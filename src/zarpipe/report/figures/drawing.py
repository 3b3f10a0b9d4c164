"""What all figures share: look, and files that are the same bytes for the same numbers.

Matplotlib is loaded when something is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe.files import whole_stream
from zarpipe.report.table import CellRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class LineStyle:
    """How one line is told from the others: in print without colour, by marker and dashes."""

    color: str
    marker: str
    dashes: str | tuple[int, tuple[int, ...]]


# Okabe and Ito's colours, ordered so that neighbours differ in lightness too.
LINE_STYLES = (
    LineStyle("#000000", "o", "solid"),
    LineStyle("#E69F00", "s", (0, (5, 2))),
    LineStyle("#0072B2", "^", "solid"),
    LineStyle("#CC79A7", "D", (0, (1, 1))),
    LineStyle("#009E73", "v", (0, (5, 1, 1, 1))),
    LineStyle("#D55E00", "P", (0, (3, 1))),
)


def line_style(number: int) -> LineStyle:
    """Return the style of a line by its number, from 0; 36 of them differ."""
    count = len(LINE_STYLES)
    look = LINE_STYLES[(number + number // count) % count]
    return LineStyle(look.color, look.marker, LINE_STYLES[number % count].dashes)


_STYLE: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same everywhere
    "font.size": 9,
    "svg.fonttype": "path",  # letters as outlines: nothing to be installed where it is opened
    "svg.hashsalt": "zarpipe",
    "pdf.fonttype": 42,  # whole TrueType fonts embedded
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
}


def draw_line(
    axes: Axes, x: Sequence[float], y: Any, errors: Any, style: LineStyle, label: str, markersize: float = 5
) -> None:
    """Draw points with error bars (if any), joined by a line; underscores of the label become blanks."""
    axes.errorbar(
        x,
        y,
        yerr=errors,
        color=style.color,
        marker=style.marker,
        markersize=markersize,
        linestyle=style.dashes,
        linewidth=1.4,
        elinewidth=0.8,
        capsize=2,
        label=label.replace("_", " "),
    )


def fit_to_points(axes: Axes, f1: Sequence[float]) -> None:
    """Let a panel of F1 (percent) be twice as high as its points lie apart; wide intervals leave it."""
    low, high = min(f1), max(f1)
    room = max(1.0, (high - low) / 2)
    axes.set_ylim(max(0.0, low - room), min(100.0, high + room))


def rows_by(rows: Sequence[CellRow], name: str) -> dict[str, list[CellRow]]:
    """Divide the rows of a table by the cell of a column, in the order of the rows."""
    found: dict[str, list[CellRow]] = {}
    for row in rows:
        found.setdefault(str(row[name]), []).append(row)
    return found


def category_panels(figure: Figure, rows: Sequence[CellRow]) -> Iterator[tuple[Axes, list[CellRow]]]:
    """Yield a panel for each category, titled, side by side, and its rows: lines are what rows are about."""
    of_categories = rows_by(rows, "category")
    panels = figure.subplots(1, len(of_categories), sharey=True, squeeze=False)[0]
    for axes, (category, of_category) in zip(panels, of_categories.items(), strict=True):
        axes.set_title(category)
        axes.grid(visible=False, axis="y")
        yield axes, of_category


def system_label(row: CellRow, names: Mapping[str, str]) -> str:
    """Return what a row is about: a system, or ``masking, all, α 0.5 − baseline``."""
    systems = [str(row[key]) for key in ("recipe", "other_recipe") if row[key]]
    return " − ".join(names.get(name, name) for name in systems)


@contextmanager
def drawing(width: float, height: float) -> Iterator[Figure]:
    """Yield an empty figure (size in inches) in the common look; everything is drawn inside the block.

    The look starts from Matplotlib's defaults: no matplotlibrc of the user changes it.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, output: Path, title: str) -> None:
    """Write ``output`` (SVG) and, beside it, the same as ``.pdf``. No dates: equal numbers, equal bytes."""
    with whole_stream(output.with_suffix(".pdf")) as stream:
        metadata = {"CreationDate": None, "Title": title, "Creator": "zarpipe"}
        figure.savefig(stream, format="pdf", metadata=metadata)
    with whole_stream(output) as stream:
        figure.savefig(stream, format="svg", metadata={"Date": None, "Title": title, "Creator": "zarpipe"})
