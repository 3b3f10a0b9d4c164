"""Table 4 of the paper: augmentation methods on dev, each with the alpha that is best there."""

from __future__ import annotations

from zarpipe.report.table import FULL_ENDING
from zarpipe.report.tables.dev import DEV_ENDINGS, DevTable

NAME = "table4"
TITLE = "Table 4: augmentation methods, F1 on the development set"
SHOWS = "Table 4: augmentation methods on dev"
CONTENTS = "Methods"
CAPTION = """\
Table 4: F1 on the development set of the baseline, the baseline with doubled data, CDA and masking, each
with the masking probability that is best there. Mean over seeds; SD of ALL.
"""
GUIDE = """\
Does augmentation help, and which kind? Each method has the α that is best on dev. If “baseline2x” stays
with the baseline, a gain is not just from seeing more data; if “masking” beats “cda”, hidden states of
[MASK] serve better than replaced words.
"""
ENDINGS = (*DEV_ENDINGS, FULL_ENDING)

_TABLE = DevTable(
    NAME,
    TITLE,
    lambda study: study.grid.table4(),
    keys={"method": "Method"},
    row_name=lambda _, recipe: {"method": recipe.method},
    published="table4_augmentation_dev",
    csv="shown",  # the columns that other programs rely on
)
inputs, spec, build = _TABLE.inputs, _TABLE.spec, _TABLE.build
