"""Counts of a converted corpus beside the paper's: Table 1 (arguments) and Table 2 (tokens per POS set)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from zarpipe.arrays import any_of_each
from zarpipe.config import SPLITS
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import instances_of, read_corpus
from zarpipe.report.published import published_rows
from zarpipe.report.tables import Cell, Column, Table, write_table
from zarpipe.task.cases import CASES
from zarpipe.task.relations import ARGUMENT_RELATIONS, Relation
from zarpipe.task.tagsets import POS_SETS, in_pos_set

_COUNTED = ("documents", "sentences", "predicates", "tokens")

_TABLE1 = Table(
    "table1",
    "Table 1: arguments by split, relation and case",
    (),
    (),
    "DEP: in a direct dependency relation with the predicate; ZAR: elsewhere in the sentence. An argument "
    "with several mentions counts once, as DEP if any of them is. Documents, sentences, predicates and "
    "tokens are those of the whole split.",
)
_TABLE2 = Table(
    "table2",
    "Table 2: training tokens of each set of parts of speech",
    (),
    (),
    "Tokens are counted per instance: a sentence once for each of its predicates.",
)


@dataclass(frozen=True)
class ArgumentCounts:
    """What Table 1 says of a split.

    Attributes:
        arguments: (relation, name of the case) -> arguments. An argument with several mentions counts once, as
            DEP if any of them is.
        documents: documents.
        sentences: sentences, those without a predicate too.
        predicates: target predicates.
        tokens: tokens, every sentence once.
    """

    arguments: dict[tuple[Relation, str], int]
    documents: int
    sentences: int
    predicates: int
    tokens: int


def count_arguments(parquet: str | Path) -> ArgumentCounts:
    """Count arguments, documents, sentences, predicates and tokens of a corpus Parquet."""
    table = read_corpus(parquet, ["doc_id", "tokens", "bunsetsu", "heads", "predicates"])
    instances = instances_of(table)
    is_dep = instances.position_category == Relation.DEP
    arguments = {}
    for index, case in enumerate(CASES):
        mentions = instances.gold[:, index]
        has_argument = any_of_each(mentions, instances.offsets)
        has_dep = any_of_each(mentions & is_dep, instances.offsets)
        arguments[Relation.DEP, case.name] = int(has_dep.sum())
        arguments[Relation.ZAR, case.name] = int((has_argument & ~has_dep).sum())
    return ArgumentCounts(
        arguments,
        documents=len(table["doc_id"].unique()),
        sentences=table.num_rows,
        predicates=len(instances),
        tokens=len(table["tokens"].combine_chunks().flatten()),
    )


def count_pos(parquet: str | Path) -> dict[str, int]:
    """Count the tokens of each POS set per instance: a sentence counts once for each of its predicates."""
    table = read_corpus(parquet, ["pos", "predicates"])
    pos = table["pos"].combine_chunks()
    lengths = np.diff(pos.offsets.to_numpy())
    predicates = np.diff(table["predicates"].combine_chunks().offsets.to_numpy())
    weights = np.repeat(predicates, lengths)
    encoded = pos.flatten().dictionary_encode()
    per_pos = np.bincount(encoded.indices.to_numpy(), weights, minlength=len(encoded.dictionary))
    names = encoded.dictionary.to_pylist()
    return {
        pos_set: int(
            sum(count for name, count in zip(names, per_pos, strict=True) if in_pos_set(name, pos_set))
        )
        for pos_set in POS_SETS
    }


def write_table1(corpus: Path, output: Path, published: bool) -> str | None:
    """Write Table 1 of ``corpus/{train,dev,test}.parquet``.

    Args:
        corpus: folder of the three Parquet files.
        output: the CSV, one row per split and relation; ``.md`` and ``.tex`` are written beside it.
        published: put the paper's numbers (NTC 1.5) and the differences beside ours.

    Returns:
        One line that says whether the corpus matches the paper, or None without ``published``.
    """
    printed = {(row["split"], row["relation"]): row for row in published_rows("table1_corpus")}
    rows: list[dict[str, Cell]] = []
    for split in SPLITS:
        counts = count_arguments(corpus / f"{split}.parquet")
        for relation in ARGUMENT_RELATIONS:
            row: dict[str, Cell] = {"split": split, "relation": relation.name.lower()}
            row |= {case.column: counts.arguments[relation, case.name] for case in CASES}
            row |= {name: getattr(counts, name) for name in _COUNTED}
            if published:
                row |= _beside_arguments(row, printed[split, relation.name.lower()])
            rows.append(row)
    _write(_TABLE1, rows, output)
    if not published:
        return None
    differences = [row[f"{case.column}_difference"] for row in rows for case in CASES]
    return _verdict("Table 1", differences)


def _beside_arguments(row: dict[str, Cell], printed: dict[str, str]) -> dict[str, Cell]:
    """Return the published columns of one split and relation; empty ones for a case that the paper lacks."""
    paper = {case.column: int(printed[case.name]) if case.name in printed else None for case in CASES}
    differences = {
        f"{column}_difference": None if number is None else int(str(row[column])) - number
        for column, number in paper.items()
    }
    return {**{f"{column}_published": number for column, number in paper.items()}, **differences}


def write_table2(corpus: Path, output: Path, published: bool) -> str | None:
    """Write Table 2 of ``corpus/train.parquet``: tokens of each POS set, counted per instance.

    Arguments and result as those of ``write_table1``; one row per POS set, ratios in percent of all tokens.
    """
    printed = {row["pos_set"]: row for row in published_rows("table2_pos")}
    counts = count_pos(corpus / "train.parquet")
    total = counts["all"]
    if not total:
        raise ZarpipeError(
            f"{corpus / 'train.parquet'}: there is no predicate, so nothing to count for Table 2"
        )
    rows: list[dict[str, Cell]] = []
    for pos_set, tokens in counts.items():
        row: dict[str, Cell] = {
            "pos_set": pos_set,
            "tokens": tokens,
            "ratio_percent": f"{100 * tokens / total:.2f}",
        }
        if published:
            row |= _beside(tokens, printed.get(pos_set))
        rows.append(row)
    _write(_TABLE2, rows, output)
    return _verdict("Table 2", [row["tokens_difference"] for row in rows]) if published else None


def _beside(tokens: int, printed: dict[str, str] | None) -> dict[str, Cell]:
    """Return the published columns of a POS set; empty ones where the paper prints nothing."""
    if printed is None:
        return dict.fromkeys(("tokens_published", "tokens_difference", "ratio_percent_published"))
    return {
        "tokens_published": int(printed["tokens"]),
        "tokens_difference": tokens - int(printed["tokens"]),
        "ratio_percent_published": f"{float(printed['ratio_percent']):.2f}",
    }


def _verdict(table: str, differences: Sequence[Cell]) -> str:
    """Say whether the corpus matches the paper; None stands for what the paper does not print."""
    printed = [difference for difference in differences if difference is not None]
    different = sum(difference != 0 for difference in printed)
    if not different:
        return f"{table}: the corpus matches the paper (all {len(printed)} numbers are equal)"
    return f"{table}: the corpus differs from the paper in {different} of {len(printed)} numbers"


def _write(table: Table, rows: Sequence[dict[str, Cell]], output: Path) -> None:
    """Write the rows in all formats; the columns are those of the first row, numbers aligned right."""
    texts = ("split", "relation", "pos_set")
    columns = [Column(name, name.replace("_", " "), None if name in texts else 0) for name in rows[0]]
    write_table(replace(table, columns=columns, rows=rows), output, full_precision=False)
