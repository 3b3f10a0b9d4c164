"""Counts of a converted corpus: arguments (Table 1) and tokens of each POS set (Table 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zarpipe.arrays import any_of_each
from zarpipe.config import SPLITS
from zarpipe.formats.corpus import instances_of, read_corpus
from zarpipe.formats.corpus_tags import resolved_sets, tokens_in
from zarpipe.formats.corpus_writer import read_projection, read_removed
from zarpipe.task.cases import CASE_NAMES, CASES
from zarpipe.task.documents import Removal
from zarpipe.task.projection import projection_lines
from zarpipe.task.relations import Relation
from zarpipe.task.tagsets import POS_SETS


@dataclass(frozen=True)
class ArgumentCounts:
    """What Table 1 says of a split: arguments by (relation, name of the case), and what there is in all.

    An argument with several mentions counts once, as DEP if any of them is. Sentences without a predicate
    count too, and tokens once for each sentence.
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


def count_pos(parquet: str | Path, definitions: Mapping[str, Any] | None = None) -> dict[str, int]:
    """Count the tokens of each POS set per instance: a sentence counts once for each of its predicates.

    ``definitions``: POS sets beside those of the paper, as in the configuration's ``pos_sets``.
    """
    table = read_corpus(parquet, ["pos", "pos_sub", "predicates"])
    lengths = np.diff(table["pos"].combine_chunks().offsets.to_numpy())
    predicates = np.diff(table["predicates"].combine_chunks().offsets.to_numpy())
    weights = np.repeat(predicates, lengths)
    own = definitions or {}
    sets = resolved_sets(table, parquet, [*POS_SETS, *own], own)
    return {pos_set.name: int(weights[tokens_in(pos_set, table)].sum()) for pos_set in sets}


def removed_lines(corpus: Path) -> list[str]:
    """Say how many annotated arguments of ``corpus/{train,dev,test}.parquet`` each rule leaves unlabelled.

    A line per split and rule, numbers by case; nothing for a corpus that does not say it.
    """
    lines = []
    for split in SPLITS:
        removed = read_removed(corpus / f"{split}.parquet")
        for rule in Removal:
            numbers = [removed[case, rule] for case in CASE_NAMES]
            if any(numbers):
                lines.append(_row([split, rule.value], [f"{number:,}" for number in numbers]))
    if not lines:
        return []
    return ["annotated arguments that are not labelled:", _row(["split", "rule"], CASE_NAMES), *lines]


def words_lines(corpus: Path) -> list[str]:
    """Say what became of the annotation of ``corpus/{train,dev,test}.parquet`` in other words than its own.

    Nothing for a corpus in its own words.
    """
    found = {split: read_projection(corpus / f"{split}.parquet") for split in SPLITS}
    known = {split: one for split, one in found.items() if one is not None}
    if not known:
        return []
    segmenter = next(iter(known.values()))[0]
    return projection_lines(segmenter, {split: counts for split, (_, counts) in known.items()})


def _row(names: Sequence[str], numbers: Sequence[str]) -> str:
    first, second = names
    return f"{first:<6} {second:<17}" + "".join(f" {number:>7}" for number in numbers)
