"""Table 7 of the paper: CDA's ways to replace words on dev."""

from __future__ import annotations

from zarpipe.report.tables.dev import DEV_ENDINGS, DevTable
from zarpipe.study.recipe import Recipe
from zarpipe.study.study import Study

NAME = "table7"
TITLE = "Table 7: ways to replace words in CDA, F1 on the development set"
SHOWS = "Table 7: CDA's ways to replace words on dev"
CONTENTS = "CDA"
CAPTION = """\
Table 7: F1 on the development set of CDA's ways to replace words: one mask or all masks at a time, the
most probable word or a drawn one.
"""
GUIDE = """\
How should CDA fill its masks? “single” asks the MLM for one mask at a time with the other words in
place, “multi” for all at once; “argmax” takes the most probable word, “sample” draws one. Words that fit
less well vary more, and disturb more.
"""
ENDINGS = DEV_ENDINGS


def _way(_: Study, recipe: Recipe) -> dict[str, str]:
    if recipe.variant is None or recipe.variant.fill is None or recipe.variant.pick is None:
        raise ValueError(f"{recipe.name} replaces no words")
    return {"fill": recipe.variant.fill, "pick": recipe.variant.pick}


_TABLE = DevTable(
    NAME,
    TITLE,
    lambda study: study.grid.table7(),
    keys={"fill": "Masks filled", "pick": "Word picked"},
    row_name=_way,
    published="table7_replacement_dev",
)
inputs, spec, build = _TABLE.inputs, _TABLE.spec, _TABLE.build
