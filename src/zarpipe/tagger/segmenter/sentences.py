"""Sentences as the segmenter reads them: one instance each, in which no predicate is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from zarpipe.arrays import Int8, Int64
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.corpus import flat_numbers, read_corpus
from zarpipe.formats.features import ALL_SENTENCES, Features
from zarpipe.formats.parquet import flat, numbers
from zarpipe.tagger.batches import EncodedInstances
from zarpipe.tagger.cached import CachedStates, check_same_mlm
from zarpipe.tagger.hidden_states import HiddenStates
from zarpipe.task.segmentation import labels_of

_NO_TOKEN = -1


def read_sentences(corpus: Path, features: Path, sentences: Path) -> EncodedInstances:
    """Read all sentences of a split, checked against their hidden states.

    ``sentences`` is the feature file of all its sentences, which refers to ``features``.

    Raises ZarpipeError: a file is damaged, or does not belong to the others.
    """
    labels, offsets = read_segmentation(corpus)
    originals, added = Features.open(features), Features.open(sentences)
    if not added.provenance.get(ALL_SENTENCES):
        raise ZarpipeError(
            f"{sentences}: holds no sentences without a predicate; expected the features of all sentences "
            "(`zarpipe encode --all-sentences`)"
        )
    for one in (originals, added):
        one.check_corpus(file_digest(corpus))
        one.check_whole()
    check_same_mlm(added, originals.provenance, str(features))
    hidden_states, sequence = CachedStates((originals,)).with_file(added)
    lengths = np.diff(offsets)
    if len(sequence) != len(lengths) or (hidden_states.lengths[sequence] != lengths).any():
        raise ZarpipeError(
            f"{sentences}: its sentences are not those of {corpus}; encode them again with `zarpipe encode`"
        )
    return sentence_instances(hidden_states, sequence, lengths, labels)


def read_segmentation(path: str | Path) -> tuple[Int8, Int64]:
    """Read which tokens of a corpus are predicates and which begin a bunsetsu.

    Returns [N] int8, the label of each token (`zarpipe.task.segmentation`), and [n + 1] int64, the first
    token of each sentence.

    Raises ZarpipeError: the file is missing or damaged.
    """
    table = read_corpus(path, ["tokens", "bunsetsu", "heads", "predicates"])
    offsets, bunsetsu = flat_numbers(table["bunsetsu"])
    predicate_offsets, predicates = flat(table["predicates"])
    is_predicate = np.zeros(len(bunsetsu), bool)
    first_token = np.repeat(offsets[:-1], np.diff(predicate_offsets))
    is_predicate[first_token + numbers(predicates.field("token"))] = True
    begins = np.diff(bunsetsu, prepend=-1) != 0
    begins[offsets[:-1][np.diff(offsets) > 0]] = True
    return labels_of(is_predicate, begins), offsets


def sentence_instances(
    hidden_states: HiddenStates, sequence: Int64, lengths: Int64, labels: Int8
) -> EncodedInstances:
    """Return sentences as instances without a target predicate, and without flags.

    [n] sequences and lengths in tokens, [N] labels of all tokens (`zarpipe.task.segmentation`).
    """
    return EncodedInstances(
        hidden_states,
        sequence,
        np.cumsum(lengths) - lengths,
        lengths,
        np.full(len(lengths), _NO_TOKEN),
        np.zeros(len(lengths), bool),
        labels,
        np.zeros(len(labels), bool),
    )
