"""Sentences as the segmenter reads them: one instance each, in which no predicate is known."""

from __future__ import annotations

import numpy as np

from zarpipe.arrays import Int8, Int64
from zarpipe.tagger.batches import EncodedInstances
from zarpipe.tagger.hidden_states import HiddenStates

_NO_TOKEN = -1


def sentence_instances(
    hidden_states: HiddenStates, sequence: Int64, lengths: Int64, labels: Int8
) -> EncodedInstances:
    """Return sentences as instances without a target predicate, and without flags.

    Args:
        hidden_states: where their hidden states come from.
        sequence: [n] int64, the sequence of each sentence there.
        lengths: [n] int64, its tokens.
        labels: [N] int8, of all tokens (`zarpipe.task.segmentation`).
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
