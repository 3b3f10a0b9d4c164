"""Instances = (sentence, target predicate), as flat arrays for masking, training and scoring."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from zarpipe.corpus.schema import CASES, read_corpus

NONE_LABEL = 3
DEP, ZAR, OWN_BUNSETSU = 0, 1, 2

Int64 = npt.NDArray[np.int64]
Int8 = npt.NDArray[np.int8]
Bool = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Instances:
    """All instances of one split: n of them, N tokens in all (each sentence once per predicate).

    Attributes:
        sentence: [n] int64, row of the sentence in the corpus Parquet.
        predicate: [n] int64, token index of the target predicate.
        offsets: [n + 1] int64, first token of each instance in the flat arrays.
        labels: [N] int8, 0 NOM, 1 ACC, 2 DAT, 3 NONE; a later case overwrites an earlier one on a token.
        gold: [N, 3] bool, whether the token is a mention of the argument of that case (nothing overwritten).
        position_category: [N] int8, DEP, ZAR or OWN_BUNSETSU: where the token stands from the predicate.
        is_predicate: [N] bool, whether the token is any predicate of its sentence.
    """

    sentence: Int64
    predicate: Int64
    offsets: Int64
    labels: Int8
    gold: Bool
    position_category: Int8
    is_predicate: Bool

    def __len__(self) -> int:
        return len(self.sentence)

    @property
    def lengths(self) -> Int64:
        """[n] int64, tokens of each instance."""
        return np.diff(self.offsets)


def read_instances(path: str | Path) -> Instances:
    """Read the instances of a corpus Parquet, in text order. Raises ZarpipeError for a damaged file."""
    return instances_of(read_corpus(path, ["tokens", "bunsetsu", "heads", "predicates"]))


def instances_of(table: pa.Table) -> Instances:
    """Compute the instances of a corpus table that has tokens, bunsetsu, heads and predicates."""
    token_offsets, bunsetsu = _flat(table["bunsetsu"])
    head_offsets, heads = _flat(table["heads"])
    predicate_offsets, predicates = _flat_structs(table["predicates"])
    sentence = np.repeat(np.arange(table.num_rows), np.diff(predicate_offsets))
    predicate = _numbers(predicates.field("token"))
    lengths = np.diff(token_offsets)[sentence]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    source = expand(token_offsets[sentence], lengths)
    instance = np.repeat(np.arange(len(sentence)), lengths)

    bunsetsu_of_token = bunsetsu[source]
    head_of_token = heads[head_offsets[sentence][instance] + bunsetsu_of_token]
    target = token_offsets[sentence] + predicate
    bunsetsu_of_predicate = bunsetsu[target]
    head_of_predicate = heads[head_offsets[sentence] + bunsetsu_of_predicate]
    category = position_category(
        bunsetsu_of_token, head_of_token, bunsetsu_of_predicate[instance], head_of_predicate[instance]
    )

    gold = _gold_mentions(predicates.field("arguments"), offsets)
    labels = np.full(len(source), NONE_LABEL, np.int8)
    for case in range(len(CASES)):
        labels[gold[:, case]] = case
    predicate_tokens = np.zeros(len(bunsetsu), bool)
    predicate_tokens[target] = True
    return Instances(sentence, predicate, offsets, labels, gold, category, predicate_tokens[source])


def position_category(bunsetsu: Int64, head: Int64, predicate_bunsetsu: Int64, predicate_head: Int64) -> Int8:
    """Classify positions by their bunsetsu: own bunsetsu, direct dependency in either direction, or neither.

    All arguments broadcast; ``head`` is the head of ``bunsetsu``. Rule: golden cases, evaluation notes.
    """
    linked = (bunsetsu == predicate_head) | (head == predicate_bunsetsu)
    return np.where(bunsetsu == predicate_bunsetsu, OWN_BUNSETSU, np.where(linked, DEP, ZAR)).astype(np.int8)


def expand(starts: Int64, lengths: Int64) -> Int64:
    """Concatenate ``arange(start, start + length)`` for every pair, without a Python loop."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    positions: Int64 = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    return positions


def _gold_mentions(arguments: pa.ListArray, offsets: Int64) -> Bool:
    """Scatter the arguments of each predicate to a [N, 3] table of mentions."""
    argument_offsets, mentions = _flat_structs(arguments)
    instance = np.repeat(np.arange(len(argument_offsets) - 1), np.diff(argument_offsets))
    tokens = offsets[instance] + _numbers(mentions.field("token"))
    gold = np.zeros((int(offsets[-1]), len(CASES)), bool)
    cases = mentions.field("case").to_numpy(zero_copy_only=False)
    for index, case in enumerate(CASES):
        gold[tokens[cases == case], index] = True
    return gold


def _chunk(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    return column


def _numbers(array: pa.Array) -> Int64:
    return np.asarray(array.to_numpy(zero_copy_only=False), dtype=np.int64)


def _flat(column: pa.ChunkedArray | pa.Array) -> tuple[Int64, Int64]:
    offsets, values = _flat_structs(column)
    return offsets, _numbers(values)


def _flat_structs(column: pa.ChunkedArray | pa.Array) -> tuple[Int64, pa.Array]:
    """Return offsets from 0 and the flat values of a list column (slices respected)."""
    array = _chunk(column)
    offsets = _numbers(array.offsets)
    return offsets - offsets[0] if len(offsets) else np.zeros(1, np.int64), array.flatten()
