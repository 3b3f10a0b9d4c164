"""The sentences of a corpus Parquet as they are exported: with their gold arguments, or with decided ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import pyarrow as pa

from zarpipe.config.pos_sets import Tagset
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.corpus_tags import tagset_of
from zarpipe.formats.predictions import Gold, read_decided_arguments
from zarpipe.task.documents import Sentence

_ROWS_AT_A_TIME = 500


def read_exported(
    corpus: str | Path, predictions: str | Path | None = None
) -> tuple[Iterator[Sentence], Tagset]:
    """Read a corpus Parquet, with decisions in the place of the gold arguments if a file of them is given.

    Returns the sentences in text order, and whose parts of speech they have.

    Raises:
        ZarpipeError: a file is missing or wrong, or the decisions are of another corpus.
    """
    table = read_corpus(corpus)
    sentences = sentences_of(table)
    if predictions is not None:
        tokens, probabilities = read_decided_arguments(predictions, Gold.of(table))
        shown = repeat(None) if probabilities is None else probabilities.tolist()
        decisions = zip(tokens.tolist(), shown, strict=False)
        sentences = (sentence.with_decisions(decisions) for sentence in sentences)
    return sentences, tagset_of(table)


def sentences_of(table: pa.Table) -> Iterator[Sentence]:
    """Yield the sentences of a corpus, some in memory at a time."""
    for start in range(0, len(table), _ROWS_AT_A_TIME):
        yield from map(Sentence.of_row, table.slice(start, _ROWS_AT_A_TIME).to_pylist())
