"""The methods of Table 4 with every further kind of tagger of the study beside the usual one, on dev."""

from __future__ import annotations

from typing import Any

from zarpipe.report.kinds import KIND_COLUMNS, kind_cells
from zarpipe.report.tables.dev import DEV_ENDINGS, DevTable
from zarpipe.study.study import Study

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
SWITCH = "tagger.compare"

_TABLE = DevTable(
    NAME,
    TITLE,
    lambda study: study.grid.table4() | study.grid.architectures(),
    keys=KIND_COLUMNS | {"method": "Method"},
    row_name=lambda study, recipe: kind_cells(study, recipe) | {"method": recipe.method},
)
inputs, build = _TABLE.inputs, _TABLE.build


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on besides its inputs."""
    return _TABLE.spec(study) | {
        "architecture": study.config.tagger.architecture,
        "encoding": study.config.encoding.of_tokens.model_dump(),
    }
