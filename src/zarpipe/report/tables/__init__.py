"""The tables and figures of the study, in the order of the page.

A new one is a module and a line in TABLES (docs/extending/table.md). The rules, the commands, the captions of
Snakemake's report and the page loop over them.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from zarpipe.errors import ZarpipeError
from zarpipe.files import write_text
from zarpipe.report.figures import antecedents, figure3, learning_curve
from zarpipe.report.table import FULL_ENDING, RUNS_ENDING, Table, write_table
from zarpipe.report.tables import (
    architectures,
    filtered,
    models,
    named_recipes,
    policies,
    segmentation,
    significance,
    table1,
    table2,
    table3,
    table4,
    table5,
    table6,
    table7,
    variance,
)
from zarpipe.study.jobs import Job
from zarpipe.study.workflow import curve_names

if TYPE_CHECKING:
    from zarpipe.study.study import Input, Study


class Output(Protocol):
    """A module that makes a table or figure.

    Besides these it may have ``GUIDE`` (how to read it, on the page instead of the caption), ``KIND``
    (``"figure"``), ``wanted(study) -> bool`` (whether the study has it) and ``draw(study, output)`` (writes a
    figure's SVG and PDF).
    """

    NAME: str
    """Of its files and of its command."""
    TITLE: str
    """The line above it."""
    SHOWS: str
    """Label in Snakemake's report, and help of the command."""
    CONTENTS: str
    """Label in the page's contents."""
    CAPTION: str
    """What stands below it in Snakemake's report."""
    ENDINGS: tuple[str, ...]
    """Of the files that are written."""

    def inputs(self, study: Study) -> list[Input]:
        """Return the files that it reads."""

    def spec(self, study: Study) -> dict[str, Any]:
        """Return what it depends on besides its inputs, as plain values without paths."""

    def build(self, study: Study) -> Table:
        """Make it from the files of the results folder."""


TABLES: dict[str, Output] = {
    table4.NAME: table4,
    table5.NAME: table5,
    figure3.NAME: figure3,
    table6.NAME: table6,
    significance.NAME: significance,
    variance.NAME: variance,
    table7.NAME: table7,
    policies.NAME: policies,
    antecedents.NAME: antecedents,
    filtered.NAME: filtered,
    named_recipes.NAME: named_recipes,
    learning_curve.NAME: learning_curve,
    architectures.NAME: architectures,
    models.NAME: models,
    segmentation.NAME: segmentation,
    table1.NAME: table1,
    table2.NAME: table2,
    table3.NAME: table3,
}


ASKED_BY = {
    policies.NAME: "augmentation.policies",
    antecedents.NAME: "antecedents.policies",
    filtered.NAME: "antecedents.filtered",
    named_recipes.NAME: "recipes",
    learning_curve.NAME: "learning_curve.fractions",
    architectures.NAME: "tagger.compare",
    models.NAME: "tagger.compare",
    segmentation.NAME: "segmentation.table",
}
"""Tables that not every study has -> the key of the configuration that asks for them."""


def wanted_tables(study: Study) -> dict[str, Output]:
    """Return the tables and figures that this study has."""
    return {name: module for name, module in TABLES.items() if is_wanted(module, study)}


def is_wanted(module: Any, study: Study) -> bool:
    """Tell whether the study has a table, figure or page."""
    return bool(getattr(module, "wanted", _always)(study))


def refuse_others(study: Study, words: Collection[str]) -> None:
    """Refuse tables that are asked for by name and that the study does not have.

    Args:
        study: the study.
        words: of Snakemake's command line.

    Raises:
        ZarpipeError: one of the words is such a table; the message has the key that asks for it.
    """
    for name, key in ASKED_BY.items():
        if not is_wanted(TABLES[name], study):
            for file in files(TABLES[name], study):
                if file in words:
                    raise ZarpipeError(
                        f"{file}: this study has no such table; expected `{key}` in the configuration "
                        "(docs/config.md), for example in an overlay"
                    )


def job(module: Output, study: Study) -> Job:
    """Return the job that makes a table or figure."""
    return Job(module.NAME, module.spec(study), [read.job for read in module.inputs(study)])


def files(module: Output, study: Study) -> list[str]:
    """Return the files of a table or figure."""
    return [study.layout.table(module.NAME, ending) for ending in module.ENDINGS]


def targets(study: Study) -> list[str]:
    """Return what makes the whole study: every table and figure, learning curves and pages."""
    paths = study.layout
    return [
        *map(paths.table, wanted_tables(study)),
        *map(paths.learning_curves, curve_names(study)),
        paths.index(),
        paths.examples(),
        *([paths.antecedents_sheet()] if study.config.antecedents.policies else []),
    ]


def in_report(module: Any, path: str) -> bool:
    """Tell whether a file of a table, figure or page is the one that Snakemake's report shows."""
    ending = {"table": ".csv", "figure": ".svg", "page": ".html"}[kind(module)]
    return path.endswith(ending) and not path.endswith((RUNS_ENDING, FULL_ENDING))


def category(module: Any) -> str:
    """Return the category of a table, figure or page in Snakemake's report."""
    return f"{kind(module).capitalize()}s"


def caption_file(module: Any, folder: Path) -> Path:
    """Write the caption of a table, figure or page for Snakemake's report; return the file."""
    file = folder / f"{module.NAME}.rst"
    if not file.is_file() or file.read_text(encoding="utf-8") != module.CAPTION:
        write_text(file, module.CAPTION)
    return file.absolute()


def labels(module: Any) -> dict[str, str]:
    """Return the label of a table, figure or page in Snakemake's report.

    All of a category have the same key: Snakemake takes two keys in a category for toggles.
    """
    return {kind(module): module.SHOWS}


def kind(module: Any) -> str:
    """Return ``table``, ``figure`` or ``page``."""
    return str(getattr(module, "KIND", "table"))


def write(module: Output, study: Study, output: Path) -> str:
    """Make a table or figure.

    Args:
        module: which one.
        study: the study.
        output: path of the CSV; the files with the other endings are written beside it.

    Returns:
        A remark for who makes it; empty for none.
    """
    table = module.build(study)
    write_table(table, output, module.ENDINGS)
    if hasattr(module, "draw"):
        module.draw(study, output)
    return table.remark


def _always(study: Study) -> bool:  # noqa: ARG001 (called as the modules' own `wanted`)
    return True
