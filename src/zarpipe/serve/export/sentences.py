"""The sentences of a corpus Parquet as they are exported: with their gold arguments, or with decided ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from zarpipe.config.pos_sets import Tagset
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.corpus_tags import tagset_of
from zarpipe.formats.predictions import Gold, read_decided_arguments
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.relations import Relation, relation

UNKNOWN_RELATION = "UNKNOWN"
"""What stands for the relation of an argument in a text without heads: it is not written as omitted."""

_ROWS_AT_A_TIME = 500


class ExportedArgument(NamedTuple):
    """A mention of an argument.

    Attributes:
        case: name of its case.
        token: its token.
        relation: name of a `Relation`, or UNKNOWN_RELATION. Gold arguments are DEP or ZAR; a decision may
            also lie in the predicate's own bunsetsu.
        probability: what the system gives it; None for gold, and where a system gives none.
    """

    case: str
    token: int
    relation: str
    probability: float | None = None


class ExportedPredicate(NamedTuple):
    """A target predicate: its token, voice as annotated, and the mentions of its arguments."""

    token: int
    alt: str | None
    arguments: list[ExportedArgument]

    def by_case(self) -> dict[str, list[ExportedArgument]]:
        """Return the mentions of each case that has any, in the order of the cases."""
        found = {case: [one for one in self.arguments if one.case == case] for case in CASE_NAMES}
        return {case: mentions for case, mentions in found.items() if mentions}


@dataclass(frozen=True)
class ExportedSentence:
    """A sentence: T tokens in B bunsetsu, as in the columns of the corpus Parquet.

    Attributes:
        doc_id: its document.
        sent_id: its identifier.
        words: T times surface, lemma, part of speech, sub part of speech.
        bunsetsu: bunsetsu number of each token.
        heads: B head bunsetsu, -1 for the root.
        predicates: target predicates.
    """

    doc_id: str
    sent_id: str
    words: list[tuple[str, str, str, str]]
    bunsetsu: list[int]
    heads: list[int]
    predicates: list[ExportedPredicate]


@dataclass(frozen=True)
class ExportedCorpus:
    """A split: whose parts of speech it has, and its sentences in text order, to be read once."""

    tagset: Tagset
    sentences: Iterator[ExportedSentence]


def read_exported(corpus: str | Path, predictions: str | Path | None = None) -> ExportedCorpus:
    """Read a corpus Parquet, with decisions in the place of the gold arguments if a file of them is given.

    Raises:
        ZarpipeError: a file is missing or wrong, or the decisions are of another corpus.
    """
    table = read_corpus(corpus)
    decided = None
    if predictions is not None:
        gold = Gold.of(table, corpus)
        tokens, probabilities = read_decided_arguments(predictions, gold)
        shown = None if probabilities is None else probabilities.tolist()
        decided = _Decided(tokens.tolist(), shown)
    return ExportedCorpus(tagset_of(table), _sentences(table, decided))


@dataclass(frozen=True)
class _Decided:
    """Decided arguments: n instances in corpus order, C cases.

    Attributes:
        tokens: n rows of C tokens, -1 for none.
        probabilities: the same shape; None where the system gives none.
    """

    tokens: list[list[int]]
    probabilities: list[list[float]] | None

    def arguments(
        self, instance: int, predicate: int, bunsetsu: Sequence[int], heads: Sequence[int]
    ) -> list[ExportedArgument]:
        """Return the decisions of an instance."""
        return [
            ExportedArgument(
                case,
                token,
                relation_by_heads(predicate, token, bunsetsu, heads),
                None if self.probabilities is None else self.probabilities[instance][place],
            )
            for place, (case, token) in enumerate(zip(CASE_NAMES, self.tokens[instance], strict=True))
            if token >= 0
        ]


def relation_by_heads(predicate: int, token: int, bunsetsu: Sequence[int], heads: Sequence[int]) -> str:
    """Return the name of the relation of a decided argument to its predicate.

    Args:
        predicate: the predicate's token.
        token: the argument's.
        bunsetsu: bunsetsu number of each token.
        heads: head of each bunsetsu, -1 for the root.
    """
    own, other = bunsetsu[predicate], bunsetsu[token]
    return (Relation.OWN_BUNSETSU if own == other else relation(own, other, heads)).name


def _sentences(table: pa.Table, decided: _Decided | None) -> Iterator[ExportedSentence]:
    instance = 0
    for start in range(0, len(table), _ROWS_AT_A_TIME):
        for row in table.slice(start, _ROWS_AT_A_TIME).to_pylist():
            yield _sentence(row, decided, instance)
            instance += len(row["predicates"])


def _sentence(row: Mapping[str, Any], decided: _Decided | None, first: int) -> ExportedSentence:
    """Return the sentence of a row, whose first predicate is the instance ``first``."""
    bunsetsu, heads = row["bunsetsu"], row["heads"]
    predicates = [
        ExportedPredicate(
            predicate["token"],
            predicate["alt"],
            [ExportedArgument(**argument) for argument in predicate["arguments"]]
            if decided is None
            else decided.arguments(instance, predicate["token"], bunsetsu, heads),
        )
        for instance, predicate in enumerate(row["predicates"], first)
    ]
    words = list(zip(row["tokens"], row["lemmas"], row["pos"], row["pos_sub"], strict=True))
    return ExportedSentence(row["doc_id"], row["sent_id"], words, bunsetsu, heads, predicates)
