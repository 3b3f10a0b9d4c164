"""How often other words change the antecedent, by what was replaced, relation and distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe.report.figures.drawing import draw_line, drawing, line_style, save_figure
from zarpipe.report.significance import interval_cells, interval_columns
from zarpipe.report.table import CellRow, Column, Row, Table, number_of
from zarpipe.study.recipe import Variant
from zarpipe.study.study import Input, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from zarpipe.arrays import Int64
    from zarpipe.report.antecedents import HeldOutDecisions

NAME = "antecedents"
KIND = "figure"
TITLE = "How often other words change the antecedent"
SHOWS = "Antecedents that other words change"
CONTENTS = "Changed antecedents"
CAPTION = """\
Share of the arguments that taggers decide otherwise when the masked language model has replaced words of
the sentence, by what was replaced, for arguments in a direct dependency (DEP) and zero arguments (ZAR). The
taggers have not seen the documents. Bars: 95 % confidence interval over documents. The paper has no such
figure.
"""
GUIDE = """\
An augmented copy keeps the labels of its original. That is wrong where the new words change who does what.
Here taggers that have not seen the documents decide each sentence as it is, and with the words that the
masked language model puts in the place of the masks. A point says how many of the arguments that they found
are another token afterwards, or none. Points further right mask more words, so compare lines at the same
place. With the same words a tagger decides the same, so every change is due to the new ones; whether they
changed who does what, or only how sure the tagger is, only a reader can say. The dashed line is how often two
seeds differ on the same words: how unstable what they find is.
"""
ENDINGS: tuple[str, ...] = (".csv", ".json", ".svg", ".pdf")
TEMPLATE = "figure.html"
SWITCH = "antecedents.policies"
_COLUMNS = (
    Column("policy", "Replaced"),
    Column("alpha", "α", numeric=True),
    Column("relation", "Relation"),
    Column("distance", "Distance (bunsetsu)"),
    Column("antecedent", "Antecedent's word"),
    Column("masked_percent", "Masked tokens (%)", decimals=1),
    Column("replaced_percent", "Replaced tokens (%)", decimals=1),
    Column("arguments", "Arguments", decimals=0),
    Column("changed_percent", "Changed (%)", decimals=1),
    *interval_columns(decimals=1),
    Column("moved_percent", "Another token (%)", decimals=1),
    Column("lost_percent", "None (%)", decimals=1),
    Column("gained_percent", "New (%)", decimals=1),
    Column("right_changed_percent", "Changed of the right ones (%)", decimals=1),
    Column("control_percent", "Control (%)", decimals=1),
    Column("seeds_percent", "Between seeds (%)", decimals=1),
    Column("seeds", "Seeds", numeric=True),
)
_NOTE = (
    "Changed: of the arguments that were decided in the original sentence, those for which the refilled "
    "one has another token that is no gold mention of the same argument, or none. New: arguments that "
    "only the refilled sentence has, per 100 of the original. Relation and distance: of the original's "
    "argument from its predicate; ALL has those in the predicate's own bunsetsu too. Arguments: mean over "
    "seeds. Intervals: 95 %, bootstrap over documents. Control: the same with every word kept (α = 0). "
    "Between seeds: what differs between the taggers of two seeds on the original words."
)
_NOTE_ON_WORDS = (
    "In brackets: the 95 % confidence interval, and what differs between two seeds on the same words. The "
    "file antecedents.csv has the same by distance, and for arguments that themselves got another word."
)
_RELATIONS = {"ZAR": "zero arguments (ZAR)", "DEP": "arguments in a direct dependency (DEP)"}


def inputs(study: Study) -> list[Input]:
    """Return the files that the figure reads."""
    return [*read_of_meter(study), *study.held_out(study.grid.unchanged())]


def spec(study: Study) -> dict[str, Any]:
    """Return what the figure depends on besides its inputs."""
    rows = study.grid.antecedents()
    return {
        "lines": {line: [variant.name for variant in variants] for line, variants in rows.items()},
        "seeds": study.jobs.held_out_seeds(),
        "samples": study.config.report.permutations,
        "seed": study.config.report.seed,
    }


def build(study: Study) -> Table:
    """Count what changed, by what was replaced, alpha, relation, distance and the antecedent's own word."""
    from zarpipe.report.antecedents import HeldOutDecisions  # loads pyarrow

    decisions = HeldOutDecisions(study)
    control = decisions.count(decisions.refilled(study.grid.unchanged()))
    between = decisions.count_between_seeds()
    rows: list[Row] = []
    for policy, variants in study.grid.antecedents().items():
        for variant in variants:
            named: Row = {"policy": policy, "alpha": variant.alpha}
            rows += [named | row for row in _rows(study, decisions, variant, control, between)]
    return Table(NAME, TITLE, _COLUMNS, rows, _NOTE, csv="cells")


def draw(study: Study, table: Table, output: Path) -> None:  # noqa: ARG001 (called as all are)
    """Draw one panel for each relation, one line for each policy."""
    rows = _main_rows(table.rows)
    with drawing(8.2, 4.4) as figure:
        panels = figure.subplots(1, len(_RELATIONS), sharey=True)
        for axes, relation in zip(panels, _RELATIONS, strict=True):
            _draw_panel(axes, relation, [row for row in rows if row["relation"] == relation])
        panels[0].set_ylabel("changed arguments (%)")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=4)
        save_figure(figure, output, TITLE)


def section(study: Study, table: Table) -> dict[str, Any]:  # noqa: ARG001 (called as all are)
    """Return for the page the rows of all distances (the file has many more), and what they say."""
    rows = _main_rows(table.rows)
    return {"table": replace(table, rows=rows), "words": {"": _in_words(rows)}, "words_note": _NOTE_ON_WORDS}


def _main_rows(rows: Sequence[CellRow]) -> list[CellRow]:
    """Return the rows of all distances, whatever became of the antecedent's own word."""
    return [row for row in rows if row["distance"] == row["antecedent"] == "all"]


def read_of_meter(study: Study) -> list[Input]:
    """Return the training corpus, its refilled variants, and what was decided of both."""
    variants = [variant for variants in study.grid.antecedents().values() for variant in variants]
    decided = [*study.held_out("train"), *(one for name in variants for one in study.held_out(name))]
    return [*decided, *map(study.variant, variants), study.corpus("train")]


def _rows(
    study: Study,
    decisions: HeldOutDecisions,
    variant: Variant,
    control: Int64,
    between: Int64 | None,
) -> list[Row]:
    """Return the rows of a variant, one for each cell."""
    from zarpipe.report.antecedents import CELLS, changed, decided, named_counts
    from zarpipe.task.statistics.shares import share_intervals

    words = decisions.new_words(variant)
    counts = decisions.count(decisions.refilled(variant), words.replaced)
    report = study.config.report
    intervals = share_intervals(changed(counts), decided(counts), report.permutations, report.seed)
    references: dict[str, list[float | None]] = {
        name: [None] * len(CELLS) if of is None else _percents(changed(of), decided(of))
        for name, of in (("control_percent", control), ("seeds_percent", between))
    }
    tokens = max(int(decisions.gold.instances.offsets[-1]), 1)
    shared: Row = {
        "masked_percent": 100 * words.masked / tokens,
        "replaced_percent": 100 * int(words.replaced.sum()) / tokens,
        "seeds": len(decisions.originals),
    }
    rows: list[Row] = []
    for place, cell in enumerate(CELLS):
        of_cell = named_counts(counts, place)
        # Control and seeds have no new words to tell arguments apart by.
        comparable = cell.antecedent == "all"
        rows.append(
            {
                **vars(cell),
                "arguments": of_cell["decided"] / len(decisions.originals),
                "changed_percent": _percent(of_cell["moved"] + of_cell["lost"], of_cell["decided"]),
                **interval_cells(intervals[place]),
                "moved_percent": _percent(of_cell["moved"], of_cell["decided"]),
                "lost_percent": _percent(of_cell["lost"], of_cell["decided"]),
                "gained_percent": _percent(of_cell["gained"], of_cell["decided"]),
                "right_changed_percent": _percent(of_cell["right_changed"], of_cell["right"]),
                **{name: values[place] if comparable else None for name, values in references.items()},
                **shared,
            }
        )
    return rows


def _percents(parts: Int64, wholes: Int64) -> list[float | None]:
    """Return the shares of all documents: twice [D, cells] -> [cells]."""
    pairs = zip(parts.sum(axis=0).tolist(), wholes.sum(axis=0).tolist(), strict=True)
    return [_percent(part, whole) for part, whole in pairs]


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _draw_panel(axes: Axes, relation: str, rows: Sequence[CellRow]) -> None:
    rows = [row for row in rows if row["changed_percent"] is not None]
    for number, policy in enumerate(dict.fromkeys(row["policy"] for row in rows)):
        style, line = line_style(number), [row for row in rows if row["policy"] == policy]
        heights = [number_of(row["changed_percent"]) for row in line]
        below, above = zip(*map(_errors, line), strict=True)
        percents = [number_of(row["masked_percent"]) for row in line]
        draw_line(axes, percents, heights, [list(below), list(above)], style, str(policy))
        for row, height in zip(line, heights, strict=True):
            axes.annotate(
                str(row["alpha"]),
                (number_of(row["masked_percent"]), height),
                xytext=(6, 4),
                textcoords="offset points",
                fontsize=7,
                color=style.color,
            )
    noise = next((row["seeds_percent"] for row in rows if row["seeds_percent"] is not None), None)
    if noise is not None:
        axes.axhline(
            number_of(noise),
            color="#555555",
            linewidth=1.2,
            dashes=(8, 3),
            label="between seeds, equal words",
        )
    axes.set_title(relation)
    axes.set_xlabel("masked tokens (% of all tokens of the instances)")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)


def _errors(row: CellRow) -> tuple[float, float]:
    """Return how far the interval reaches below and above the point."""
    height = number_of(row["changed_percent"])
    if row["ci_low"] is None:
        return 0.0, 0.0
    return max(0.0, height - number_of(row["ci_low"])), max(0.0, number_of(row["ci_high"]) - height)


def _in_words(rows: Sequence[CellRow]) -> list[str]:
    """Say for each policy, at the alpha that is next to 0.5, how many arguments changed."""
    said = []
    for policy in dict.fromkeys(row["policy"] for row in rows):
        alphas = [str(row["alpha"]) for row in rows if row["policy"] == policy]
        alpha = min(alphas, key=lambda one: abs(float(one) - 0.5))
        of_policy = {row["relation"]: row for row in rows if (row["policy"], row["alpha"]) == (policy, alpha)}
        shares = [
            f"{_share(of_policy[relation])} of the {what}"
            for relation, what in _RELATIONS.items()
            if of_policy[relation]["changed_percent"] is not None
        ]
        if shares:
            masked = number_of(of_policy["ALL"]["masked_percent"])
            name = str(policy).replace("_", " ")
            said.append(f"{name}, α = {alpha} ({masked:.1f} % of tokens masked): {'; '.join(shares)}.")
    return said


def _share(row: CellRow) -> str:
    """Write a share with its interval and how seeds differ: ``12.0 % (10.1 to 13.9; between seeds 4.2)``."""
    details = [] if row["ci_low"] is None else [f"{row['ci_low']:.1f} to {row['ci_high']:.1f}"]
    details += [] if row["seeds_percent"] is None else [f"between seeds {row['seeds_percent']:.1f}"]
    return f"{row['changed_percent']:.1f} %" + (f" ({'; '.join(details)})" if details else "")
