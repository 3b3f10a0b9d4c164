"""Counts of a converted corpus: arguments (Table 1) and tokens of each POS set (Table 2)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zarpipe.arrays import any_of_each
from zarpipe.formats.corpus import instances_of, read_corpus
from zarpipe.task.cases import CASES
from zarpipe.task.relations import Relation
from zarpipe.task.tagsets import POS_SETS, in_pos_set


@dataclass(frozen=True)
class ArgumentCounts:
    """What Table 1 says of a split.

    Attributes:
        arguments: (relation, name of the case) -> arguments. An argument with several mentions counts once,
            as DEP if any of them is.
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
