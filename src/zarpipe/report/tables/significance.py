"""The systems on the test set, each against each: is the difference more than chance?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe.arrays import Int64
from zarpipe.report.choose import read_tested
from zarpipe.report.names import spoken_names
from zarpipe.report.significance import (
    CATEGORIES,
    TEST_NOTE,
    comparison_columns,
    comparison_rows,
    tested_pairs,
    with_holm,
)
from zarpipe.report.table import TABLE_ENDINGS, Column, Row, Table

if TYPE_CHECKING:
    from zarpipe.study.study import Input, Study

NAME = "significance"
TITLE = "Differences on the test set, and their significance"
SHOWS = "Significance: the differences on the test set"
CONTENTS = "Significance"
CAPTION = """\
Paired permutation test over the documents of the test set, of the baseline, the baseline that sees every
instance twice, and the CDA and masking recipes that are best on the development set, each against each,
with the bootstrap confidence interval of the difference.
"""
GUIDE = """\
The fair comparison of augmentation is with “baseline2x”, which has as many updates. The permutation test
swaps the two systems' answers to whole documents at random and counts how often a difference as large comes
out: a small p means rarely. The interval says where the true difference plausibly lies.
"""
ENDINGS: tuple[str, ...] = (*TABLE_ENDINGS, ".svg", ".pdf")
SECTION = "zarpipe.report.pages.sections.significance"
_COLUMNS = (
    Column("setting", "Setting"),
    Column("category", "Category"),
    Column("recipe", "System"),
    Column("other_recipe", "Compared with"),
    *comparison_columns(f1="F1", other_f1="Other F1"),
    Column("instances", "Instances", numeric=True),
    Column("seeds", "Seeds", numeric=True),
    Column("permutations", "Permutations", numeric=True),
)
_NOTE = (
    "F1 and differences in percentage points. Single: mean over models paired by seed. "
    + TEST_NOTE.format(family="single models, or of ensembles", system="the system")
)


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    recipes = study.test_recipes
    return [
        *study.decisions(recipes, "test"),
        *study.probabilities(recipes, "dev"),
        *study.probabilities(recipes, "test"),
        study.corpus("dev"),
        study.corpus("test"),
        study.chosen(),
    ]


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on besides its inputs."""
    report = study.config.report
    return {
        "seeds": study.seeds,
        "accept": study.config.tagger.accept,
        "permutations": report.permutations,
        "seed": report.seed,
    }


def build(study: Study) -> Table:
    """Test the systems on the test set against each other, for ALL, DEP and ZAR F1."""
    from zarpipe.report.systems import Systems  # loads pyarrow

    systems = Systems(study)
    names = read_tested(study)
    rows: list[Row] = []
    for setting, counts in (("single", systems.single), ("ensemble", systems.ensemble)):
        of_systems = {name: counts(taggers) for name, taggers in study.grid.tested().items()}
        of_setting: Row = {"setting": setting, "instances": len(systems.documents)}
        of_setting |= {"seeds": len(study.seeds), "permutations": study.config.report.permutations}
        rows += with_holm([of_setting | row for row in _pairs(study, of_systems, names)])
    return Table(NAME, TITLE, _COLUMNS, rows, _NOTE)


def draw(study: Study, table: Table, output: Path) -> None:
    """Draw the forest plot of all differences."""
    from zarpipe.report.figures.forest import draw_forest  # loads matplotlib

    draw_forest(table, spoken_names(study), output)


def _pairs(study: Study, of_systems: Mapping[str, Int64], names: Mapping[str, str]) -> list[Row]:
    """Compare each pair of systems of a setting."""
    report = study.config.report
    return [
        {**row, "recipe": names[one], "other_recipe": names[other]}
        for one, other in tested_pairs(study, names)
        for row in comparison_rows(
            of_systems[one], of_systems[other], CATEGORIES, report.permutations, report.seed
        )
    ]
