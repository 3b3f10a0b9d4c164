"""The BiGRU sequence labeller (Konno et al. 2020, Section 3.2; golden model notes).

Residual GRU layers of alternating direction (`residual_gru`) read the hidden state and the two flags. A
linear layer gives the log-probabilities of the cases and NONE.
"""

from __future__ import annotations

import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import Tensor, nn

from zarpipe.config import TaggerConfig
from zarpipe.tagger.architectures.residual_gru import ResidualGru
from zarpipe.tagger.batches import FLAGS, Batch
from zarpipe.tagger.model import initialise
from zarpipe.task.cases import LABELS


def build(config: TaggerConfig, input_size: int, seed: int) -> BiGruTagger:
    """Return a new BiGRU tagger."""
    return BiGruTagger(config, input_size, seed)


class BiGruTagger(ResidualGru):
    """The sequence labeller.

    Its weights follow from the seed alone: uniform within 1 / sqrt(size), as PyTorch initialises GRUs.
    """

    def __init__(self, config: TaggerConfig, input_size: int, seed: int) -> None:
        super().__init__(config.layers, config.hidden_size, input_size, FLAGS)
        self.output = nn.Linear(config.hidden_size, LABELS, bias=config.output_bias)
        initialise(self, config.hidden_size, seed)

    def forward(self, batch: Batch) -> Tensor:
        """Return [N, LABELS] log-probabilities of a packed batch's tokens."""
        return F.log_softmax(self.output(self.run(batch)), dim=1)
