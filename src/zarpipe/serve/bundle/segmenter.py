"""The segmenter of a bundle at work: predicates and bunsetsu of sentences of given words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import nn

from zarpipe.tagger.batches import StoredStates
from zarpipe.tagger.inference import predict_probabilities
from zarpipe.tagger.segmenter.sentences import sentence_instances
from zarpipe.task.segmentation import LABELS, Segmentation, decide

# Sentences in a batch.
_BATCH_SIZE = 512


@dataclass(frozen=True)
class Segmenter:
    """A trained segmenter: its model, and from which probability on a token is a predicate."""

    model: nn.Module
    threshold: float

    def find(self, states: StoredStates) -> Segmentation:
        """Find the predicates and bunsetsu of sentences, by the hidden states of all sequences.

        Returns what all of their tokens are, sequence after sequence.
        """
        lengths = states.lengths
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        labels = np.zeros(int(offsets[-1]), np.int8)
        sentences = sentence_instances(states, np.arange(len(lengths)), lengths, labels)
        probabilities = predict_probabilities(self.model, sentences, _BATCH_SIZE, LABELS)
        return decide(probabilities, offsets, self.threshold)
