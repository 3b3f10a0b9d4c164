"""The segmenter's model: residual GRU layers, and two heads that decide each token by themselves."""

from __future__ import annotations

import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import Tensor, nn

from zarpipe.tagger.architectures.residual_gru import ResidualGru
from zarpipe.tagger.batches import Batch
from zarpipe.tagger.model import initialise, mixing
from zarpipe.task.segmentation import LABELS


class SegmentationTagger(ResidualGru):
    """The model.

    Its layers are those of the bigru tagger, without flags: nothing is known of a sentence but its hidden
    states. Given them, whether a token is a predicate and whether it begins a bunsetsu are independent, so
    that a label's log-probability is the sum of those of its two parts, and the loss the sum of two losses.
    """

    def __init__(self, layers: int, size: int, input_size: int, seed: int) -> None:
        super().__init__(layers, size, input_size, flags=0)
        self.predicate = nn.Linear(size, 2)
        self.bunsetsu = nn.Linear(size, 2)
        initialise(self, size, seed)

    def forward(self, batch: Batch) -> Tensor:
        """Return [N, LABELS] log-probabilities of a packed batch's tokens."""
        states = self.run(batch)
        predicate = F.log_softmax(self.predicate(states), dim=1)
        bunsetsu = F.log_softmax(self.bunsetsu(states), dim=1)
        return (predicate[:, :, None] + bunsetsu[:, None, :]).reshape(-1, LABELS)


def build_segmenter(
    layers: int, size: int, input_size: int, seed: int = 0, mixed_layers: int | None = None
) -> nn.Module:
    """Return a new model.

    ``input_size`` and ``mixed_layers`` as of `zarpipe.tagger.model.build_model`.
    """
    return mixing(lambda columns: SegmentationTagger(layers, size, columns, seed), input_size, mixed_layers)
