"""Argument probabilities of a tagger over encoded instances."""

from __future__ import annotations

import numpy as np
import torch

from zarpipe.arrays import Float32
from zarpipe.tagger.batches import EncodedInstances, batches_of, sorted_batches
from zarpipe.tagger.model import Tagger
from zarpipe.task.cases import LABELS


@torch.no_grad()
def predict_probabilities(model: Tagger, encoded: EncodedInstances, batch_size: int) -> Float32:
    """Return [N, LABELS] float32 probabilities (the cases, NONE), instance after instance in given order.

    Batches are always composed alike, so that the same tagger gives the same numbers.
    """
    device = next(model.parameters()).device
    probabilities = np.empty((int(encoded.lengths.sum()), LABELS), np.float32)
    starts = np.cumsum(encoded.lengths) - encoded.lengths
    plan = sorted_batches(encoded.lengths, batch_size)
    for instances, batch in zip(plan, batches_of(encoded, plan), strict=True):
        predicted = model(batch.to(device)).exp().float().cpu().numpy()
        given = encoded.lengths[instances]
        shift = np.repeat(starts[instances] - (np.cumsum(given) - given), given)
        place = batch.token.cpu().numpy()
        probabilities[place + shift[place]] = predicted
    return probabilities
