"""The tables and figures of the study, in the order of the page.

A new one is a module and a line in TABLES (docs/extending/table.md). The rules, the commands, the captions of
Snakemake's report and the page loop over them.
"""

from __future__ import annotations

import functools
from collections.abc import Collection
from pathlib import Path
from typing import Any, Protocol

from zarpipe.errors import ZarpipeError
from zarpipe.files import write_text
from zarpipe.registry import Registry
from zarpipe.report.table import FULL_ENDING, RUNS_ENDING, Table, with_ending, write_table
from zarpipe.study.code import code_digest
from zarpipe.study.jobs import Job
from zarpipe.study.stages import versions
from zarpipe.study.study import Input, Study


class Output(Protocol):
    """A module that makes a table or figure.

    Besides these it may have:

    - ``GUIDE``: how to read it, on the page instead of the caption;
    - ``KIND``: ``"figure"``;
    - ``SWITCH``: the key of the configuration that asks for it, if not every study has it;
    - ``section(study, table)``: what the page shows besides the table, or as ``"table"`` in its place;
    - ``TEMPLATE``: the template of `templates/sections` that shows it;
    - ``draw(study, table, output)``: writes a figure's SVG and, beside it, its PDF.
    """

    NAME: str
    """Of its files and of its command."""
    TITLE: str
    """The line above it."""
    SHOWS: str
    """Label in Snakemake's report."""
    CONTENTS: str
    """Label in the page's contents."""
    CAPTION: str
    """What stands below it in Snakemake's report."""
    ENDINGS: tuple[str, ...]
    """Of the files that are written."""

    def inputs(self, study: Study) -> list[Input]:
        """Return the files that it reads."""

    def spec(self, study: Study) -> dict[str, Any]:
        """Return what it depends on besides its inputs and its code, as plain values without paths."""

    def build(self, study: Study) -> Table:
        """Make it from the files of the results folder."""


TABLES = Registry(
    "table or figure",
    {
        "table4": "zarpipe.report.tables.table4",
        "table5": "zarpipe.report.tables.table5",
        "figure3": "zarpipe.report.figures.figure3",
        "table6": "zarpipe.report.tables.table6",
        "significance": "zarpipe.report.tables.significance",
        "variance": "zarpipe.report.tables.variance",
        "table7": "zarpipe.report.tables.table7",
        "policies": "zarpipe.report.tables.policies",
        "antecedents": "zarpipe.report.figures.antecedents",
        "filtered": "zarpipe.report.tables.filtered",
        "named_recipes": "zarpipe.report.tables.named_recipes",
        "learning_curve": "zarpipe.report.figures.learning_curve",
        "architectures": "zarpipe.report.tables.architectures",
        "models": "zarpipe.report.tables.models",
        "segmentation": "zarpipe.report.tables.segmentation",
        "table1": "zarpipe.report.tables.table1",
        "table2": "zarpipe.report.tables.table2",
        "table3": "zarpipe.report.tables.table3",
    },
)


def all_tables() -> list[Output]:
    """Return the tables and figures in the order of the page."""
    return [TABLES.load(name) for name in TABLES]


def wanted_tables(study: Study) -> dict[str, Output]:
    """Return the tables and figures that this study has."""
    return {module.NAME: module for module in all_tables() if is_wanted(module, study)}


def is_wanted(module: Any, study: Study) -> bool:
    """Tell whether the study has a table, figure or page: no key asks for it, or its key is set."""
    keys = switch(module).split(".")
    return keys == [""] or bool(functools.reduce(getattr, keys, study.config))


def switch(module: Any) -> str:
    """Return the key of the configuration that asks for a table, figure or page; empty for those of all."""
    return str(getattr(module, "SWITCH", ""))


def refuse_others(study: Study, words: Collection[str]) -> None:
    """Raise ZarpipeError if Snakemake's command line names a table that the study does not have."""
    for module in all_tables():
        for file in () if is_wanted(module, study) else map(study.shown, files(module)):
            if file in words:
                raise ZarpipeError(
                    f"{file}: this study has no such table; expected `{switch(module)}` in the configuration "
                    "(docs/config.md), for example in an overlay"
                )


def job(module: Any, study: Study) -> Job:
    """Return the job that makes a table, figure or page."""

    def settings() -> dict[str, Any]:
        libraries = {"libraries": versions("matplotlib")} if ".svg" in module.ENDINGS else {}
        return {"code": code_digest(module.__name__), **libraries, **module.spec(study)}

    reads = [read.job for read in module.inputs(study)]
    file, rule = f"{module.NAME}{module.ENDINGS[0]}", getattr(module, "RULE", "report")
    return study.jobs.report(module.NAME, settings, reads, file, module.NAME, rule)


def files(module: Any) -> list[str]:
    """Return the names of the files of a table, figure or page."""
    return [f"{module.NAME}{ending}" for ending in module.ENDINGS]


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
    """Make a table or figure: ``output`` is its CSV. Returns a remark for who makes it; empty for none."""
    table = module.build(study)
    write_table(table, output, module.ENDINGS)
    if hasattr(module, "draw"):
        module.draw(study, table, with_ending(output, ".svg"))
    return table.remark
