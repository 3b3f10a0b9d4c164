"""Table 2 of the paper: training tokens of each POS set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zarpipe.errors import ZarpipeError
from zarpipe.report.published import published_rows
from zarpipe.report.table import TABLE_ENDINGS, Column, Row, Table
from zarpipe.report.tables.counts import add_published, count_column, verdict
from zarpipe.study.stages import printed
from zarpipe.study.study import Input, Study

NAME = "table2"
TITLE = "Table 2: training tokens of each set of parts of speech"
SHOWS = TITLE
CONTENTS = "Tokens"
CAPTION = "Table 2: training tokens of each set of parts of speech, each sentence once per predicate."
GUIDE = """\
How many tokens each set of parts of speech holds: the same α masks far more tokens of “all_but_verb”
than of “verb”, which is why Figure 3 has the share of masked tokens on its axis.
"""
ENDINGS = TABLE_ENDINGS
_NOTE = "Tokens are counted per instance: a sentence once for each of its predicates."


def inputs(study: Study) -> list[Input]:
    """Return the files that the table reads."""
    return [study.corpus("train")]


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on besides its inputs."""
    return {
        "pos_sets": dict(study.config.pos_sets),
        "printed": printed(study.config),
    }


def build(study: Study) -> Table:
    """Count the training split."""
    config = study.config
    return tokens_table(Path(study.jobs.convert().folder), config.report.published, config.pos_sets)


def tokens_table(corpus: Path, published: bool, definitions: Mapping[str, Any]) -> Table:
    """Count the training tokens of each POS set of a converted corpus, per instance.

    ``published`` is as for `zarpipe.report.tables.table1.arguments_table`. ``definitions``: POS sets beside
    those of the paper, as in the configuration's ``pos_sets``; they stand behind these.
    """
    from zarpipe.report.corpus_counts import count_pos  # loads pyarrow

    counts = count_pos(corpus / "train.parquet", definitions)
    total = counts["all"]
    if not total:
        raise ZarpipeError(
            f"{corpus / 'train.parquet'}: there is no predicate, so nothing to count for Table 2"
        )
    rows: list[Row] = [
        {"pos_set": pos_set, "tokens": tokens, "ratio_percent": f"{100 * tokens / total:.2f}"}
        for pos_set, tokens in counts.items()
    ]
    columns = [Column("pos_set", "pos set"), count_column("tokens"), count_column("ratio_percent")]
    if not published:
        return Table(NAME, TITLE, columns, rows, _NOTE, csv="shown")
    paper = {row["pos_set"]: row for row in published_rows("table2_pos")}
    of_rows: list[dict[str, str]] = [paper.get(str(row["pos_set"]), {}) for row in rows]
    add_published(rows, "tokens", [of_row.get("tokens") for of_row in of_rows])
    for row, of_row in zip(rows, of_rows, strict=True):
        row["ratio_percent_published"] = f"{float(of_row['ratio_percent']):.2f}" if of_row else None
    columns += [
        count_column("tokens_published", paper_for="tokens"),
        count_column("tokens_difference", difference_for="tokens"),
        count_column("ratio_percent_published", paper_for="ratio_percent"),
    ]
    remark = verdict("Table 2", [row["tokens_difference"] for row in rows])
    return Table(NAME, TITLE, columns, rows, _NOTE, csv="shown", remark=remark)
