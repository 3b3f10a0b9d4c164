"""Argument probabilities of a tagger over encoded instances."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from zarpipe.arrays import Float32
from zarpipe.tagger.batches import EncodedInstances, sorted_batches
from zarpipe.task.cases import LABELS


@torch.no_grad()
def predict_probabilities(
    model: nn.Module, encoded: EncodedInstances, batch_size: int, labels: int = LABELS
) -> Float32:
    """Return [N, labels] float32 probabilities, instance after instance in given order.

    Batches are always composed alike, so that the same tagger gives the same numbers.
    """
    device = next(model.parameters()).device
    model.eval()
    probabilities = np.empty((int(encoded.lengths.sum()), labels), np.float32)
    starts = np.cumsum(encoded.lengths) - encoded.lengths
    for instances in sorted_batches(encoded.reading_lengths, batch_size):
        lengths = encoded.lengths[instances]
        # From the index of a token within the batch's instances to that within all instances.
        shift = np.repeat(starts[instances] - (np.cumsum(lengths) - lengths), lengths)
        for batch in encoded.parts(instances):
            index = batch.flat_index.numpy()
            probabilities[index + shift[index]] = model(batch.to(device)).exp().float().cpu().numpy()
    return probabilities
