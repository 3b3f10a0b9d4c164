"""Table 1 of the paper: arguments by split, relation and case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from zarpipe.config import SPLITS
from zarpipe.report.published import published_rows
from zarpipe.report.table import TABLE_ENDINGS, Column, Row, Table
from zarpipe.report.tables.counts import add_published, count_column, verdict
from zarpipe.study.stages import printed
from zarpipe.study.study import Input, Study
from zarpipe.task.cases import CASES

NAME = "table1"
TITLE = "Table 1: arguments by split, relation and case"
SHOWS = TITLE
CONTENTS = "Corpus"
CAPTION = """\
Table 1: arguments by split, relation (DEP: in a direct dependency with the predicate; ZAR: elsewhere in
the sentence) and case.
"""
GUIDE = """\
What there is to find: arguments by split, relation and case. ZAR is the minority, and DAT among it rare:
expect its scores to vary most.
"""
ENDINGS = TABLE_ENDINGS
_NOTE = (
    "DEP: in a direct dependency relation with the predicate; ZAR: elsewhere in the sentence. An argument "
    "with several mentions counts once, as DEP if any of them is. Documents, sentences, predicates and "
    "tokens are those of the whole split."
)
_COUNTED = ("documents", "sentences", "predicates", "tokens")


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    return [study.corpus(split) for split in SPLITS]


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on besides its inputs."""
    return {"printed": printed(study.config)}


def build(study: Study) -> Table:
    """Count the corpus."""
    return arguments_table(Path(study.jobs.convert().folder), study.config.report.published)


def arguments_table(corpus: Path, published: bool) -> Table:
    """Count the arguments of a converted corpus, a folder of train.parquet, dev.parquet and test.parquet.

    ``published``: put the paper's numbers (NTC 1.5) and the differences beside ours; the table's remark says
    whether they match.
    """
    rows = [row for split in SPLITS for row in _rows(corpus, split)]
    cases = [case.column for case in CASES]
    columns = [Column("split", "split"), Column("relation", "relation")]
    columns += [count_column(name) for name in (*cases, *_COUNTED)]
    if not published:
        return Table(NAME, TITLE, columns, rows, _NOTE, csv="shown")
    paper = {(row["split"], row["relation"]): row for row in published_rows("table1_corpus")}
    of_rows = [paper[str(row["split"]), str(row["relation"])] for row in rows]
    for case in CASES:
        add_published(rows, case.column, [of_row.get(case.name) for of_row in of_rows])
    columns += [count_column(f"{name}_published", paper_for=name) for name in cases]
    columns += [count_column(f"{name}_difference", difference_for=name) for name in cases]
    remark = verdict("Table 1", [row[f"{name}_difference"] for row in rows for name in cases])
    return Table(NAME, TITLE, columns, rows, _NOTE, csv="shown", remark=remark)


def _rows(corpus: Path, split: str) -> list[Row]:
    from zarpipe.report.corpus_counts import count_arguments  # loads pyarrow
    from zarpipe.task.relations import ARGUMENT_RELATIONS

    counts = count_arguments(corpus / f"{split}.parquet")
    counted: Row = {name: getattr(counts, name) for name in _COUNTED}
    return [
        {
            "split": split,
            "relation": relation.name.lower(),
            **{case.column: counts.arguments[relation, case.name] for case in CASES},
            **counted,
        }
        for relation in ARGUMENT_RELATIONS
    ]
