"""What all architectures share: building a model by its configuration, its initial weights, its loss."""

from __future__ import annotations

import importlib
import math
from typing import Protocol, cast

import torch
from torch import Tensor, nn

from zarpipe.config import TaggerConfig
from zarpipe.tagger.architectures import ARCHITECTURES
from zarpipe.tagger.parts import Part


class Architecture(Protocol):
    """A module of the table ARCHITECTURES that reads hidden states."""

    def build(self, config: TaggerConfig, input_size: int, seed: int) -> nn.Module:
        """Return a new model.

        Args:
            config: section `tagger` of the configuration.
            input_size: D, the size of the MLM's hidden states.
            seed: seed of the initial weights, on which alone they depend.

        Returns:
            A module whose ``forward(batch)`` gives the log-probabilities [N, LABELS] of a packed batch.
        """


def build_model(config: TaggerConfig, input_size: int, seed: int = 0) -> nn.Module:
    """Return a new model of the configured architecture."""
    architecture = cast(Architecture, importlib.import_module(ARCHITECTURES[config.architecture]))
    return architecture.build(config, input_size, seed)


@torch.no_grad()
def initialise(model: nn.Module, size: int, seed: int) -> None:
    """Draw all weights uniformly within 1 / sqrt(size), as PyTorch initialises GRUs and linear layers."""
    generator = torch.Generator().manual_seed(seed)
    bound = 1 / math.sqrt(size)
    for parameter in model.parameters():
        parameter.copy_(torch.empty(parameter.shape).uniform_(-bound, bound, generator=generator))


def batch_loss(log_probabilities: Tensor, batch: Part) -> Tensor:
    """Return the batch's loss: the sum over instances of the mean over tokens of -log P(gold label)."""
    chosen = log_probabilities.gather(1, batch.labels[:, None])[:, 0]
    return -(chosen * batch.weights.to(chosen.dtype)).sum()
