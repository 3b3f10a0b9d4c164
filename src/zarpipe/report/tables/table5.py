"""Table 5 of the paper: the baseline and masking of each POS set on dev."""

from __future__ import annotations

from zarpipe.report.tables.dev import DEV_ENDINGS, DevTable

NAME = "table5"
TITLE = "Table 5: masking by part of speech, F1 on the development set"
SHOWS = "Table 5: masked parts of speech on dev"
CONTENTS = "Parts of speech"
CAPTION = """\
Table 5: F1 on the development set of the baseline and of masking each set of parts of speech, each with
the masking probability that is best there.
"""
GUIDE = """\
Which parts of speech may be masked? “verbs” masks verbs only, “all but verbs” everything else. The paper's
point: verbs carry the relations between predicates that lead to the antecedent, so they had better stay.
"""
ENDINGS = DEV_ENDINGS

_TABLE = DevTable(
    NAME,
    TITLE,
    lambda study: study.grid.table5(),
    keys={"pos_set": "Masked POS"},
    row_name=lambda _, recipe: {"pos_set": recipe.pos_set or recipe.method},
    published="table5_pos_sets_dev",
)
inputs, spec, build = _TABLE.inputs, _TABLE.spec, _TABLE.build
