"""The methods of Table 4 with every further kind of tagger of the study beside the usual one, on dev."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zarpipe.report.kinds import KIND_COLUMNS, kind_cells
from zarpipe.report.table import Table
from zarpipe.report.tables.dev import DEV_ENDINGS, DevTable, build_dev_table, dev_inputs, dev_spec
from zarpipe.study.grid import Rows

if TYPE_CHECKING:
    from zarpipe.study.study import Input, Study

NAME = "architectures"
TITLE = "Tagger architectures and augmentation methods, F1 on the development set"
SHOWS = "Tagger architectures on dev"
CONTENTS = "Architectures"
CAPTION = """\
F1 on the development set of every tagger architecture of the study, with the layers of the masked language
model and the subwords that it reads, and the methods of Table 4, each with the masking probability that is
best there. Mean over seeds; SD of ALL. The paper has no such table.
"""
GUIDE = """\
Does what is said of one tagger hold for another? Compare the methods within an architecture before you
compare the architectures.
"""
ENDINGS = DEV_ENDINGS


def wanted(study: Study) -> bool:
    """Tell whether the study compares architectures."""
    return bool(study.config.tagger.compare)


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    return dev_inputs(study, _rows(study))


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on besides its inputs."""
    return dev_spec(study, _rows(study), __name__) | {
        "architecture": study.config.tagger.architecture,
        "encoding": study.config.encoding.of_tokens.model_dump(),
    }


def build(study: Study) -> Table:
    """Choose the best recipe of each architecture and method."""
    table = DevTable(
        NAME,
        TITLE,
        keys=KIND_COLUMNS | {"method": "Method"},
        row_name=lambda recipe: kind_cells(study, recipe) | {"method": recipe.method},
    )
    return build_dev_table(table, study, _rows(study))


def _rows(study: Study) -> Rows:
    return study.grid.table4() | study.grid.architectures()
