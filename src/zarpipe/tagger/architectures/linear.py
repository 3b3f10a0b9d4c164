"""The cheapest baseline: a linear layer on each token's hidden state and flags, without any context."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import Tensor, nn

from zarpipe.config import TaggerConfig
from zarpipe.tagger.batches import FLAGS, Batch
from zarpipe.tagger.model import initialise
from zarpipe.task.cases import LABELS


def build(config: TaggerConfig, input_size: int, seed: int) -> LinearTagger:
    """Return a new linear tagger."""
    return LinearTagger(config, input_size, seed)


class LinearTagger(nn.Module):
    """A linear layer and a softmax.

    Of the configuration only ``output_bias`` counts: there are no layers.
    """

    def __init__(self, config: TaggerConfig, input_size: int, seed: int) -> None:
        super().__init__()
        self.output = nn.Linear(input_size + FLAGS, LABELS, bias=config.output_bias)
        initialise(self, input_size + FLAGS, seed)

    def forward(self, batch: Batch) -> Tensor:
        """Return [N, LABELS] log-probabilities of a packed batch's tokens."""
        inputs = torch.cat([batch.hidden[batch.row], batch.flags], dim=1)
        return F.log_softmax(self.output(inputs), dim=1)
