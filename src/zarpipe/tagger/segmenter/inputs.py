"""All sentences of a split, with their labels and their hidden states."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.corpus import read_segmentation
from zarpipe.formats.features import ALL_SENTENCES, Features
from zarpipe.tagger.batches import EncodedInstances, with_features
from zarpipe.tagger.hidden_states import HiddenStates
from zarpipe.tagger.inputs import check_same_mlm
from zarpipe.tagger.segmenter.sentences import sentence_instances


def read_sentences(corpus: Path, features: Path, sentences: Path) -> EncodedInstances:
    """Read all sentences of a split, checked against their hidden states.

    Args:
        corpus: corpus Parquet.
        features: its feature file.
        sentences: feature file of all its sentences, which refers to the other.

    Raises:
        ZarpipeError: a file is damaged, or does not belong to the others.
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
    hidden_states, sequence = with_features(HiddenStates((originals,)), added)
    lengths = np.diff(offsets)
    if len(sequence) != len(lengths) or (hidden_states.lengths[sequence] != lengths).any():
        raise ZarpipeError(
            f"{sentences}: its sentences are not those of {corpus}; encode them again with `zarpipe encode`"
        )
    return sentence_instances(hidden_states, sequence, lengths, labels)
