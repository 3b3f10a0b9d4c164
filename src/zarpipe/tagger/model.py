"""What all architectures share: building a model by its configuration, its initial weights, its loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, cast

import torch
from torch import Tensor, nn

from zarpipe.config import TaggerConfig
from zarpipe.config.tagger import ARCHITECTURES
from zarpipe.tagger.batches import Batch
from zarpipe.tagger.hidden_states import Part


class Architecture(Protocol):
    """A module of the table ARCHITECTURES that reads hidden states."""

    def build(self, config: TaggerConfig, input_size: int, seed: int) -> nn.Module:
        """Return a new model.

        Its weights depend on the seed alone; ``input_size`` is D, the size of the MLM's hidden
        states.

        Returns A module whose ``forward(batch)`` gives the log-probabilities [N, LABELS] of a packed batch.
        """


def build_model(
    config: TaggerConfig, input_size: int, seed: int = 0, mixed_layers: int | None = None
) -> nn.Module:
    """Return a new model of the configured architecture.

    Rows have ``input_size`` columns; ``mixed_layers`` of the MLM's layers stand side by side in one, for
    the model to mix (None: it is read as it is). Its weights follow from the seed.
    """
    architecture: Architecture = ARCHITECTURES.load(config.architecture)
    return mixing(lambda columns: architecture.build(config, columns, seed), input_size, mixed_layers)


def multiply_in(model: nn.Module, dtype: torch.dtype) -> None:
    """Let all of a model that can (`multiply_in`) multiply matrices in this number format when trained."""
    for module in model.modules():
        if callable(change := getattr(module, "multiply_in", None)):
            change(dtype)


def mixing(build: Callable[[int], nn.Module], input_size: int, mixed_layers: int | None) -> nn.Module:
    """Return a new model that reads rows of a size, or the mean of the layers that stand in them.

    ``build`` makes the model that reads rows of a size; for the others see `build_model`.
    """
    if mixed_layers is None:
        return build(input_size)
    return MixedLayers(build(input_size // mixed_layers), mixed_layers)


class MixedLayers(nn.Module):
    """A tagger that reads a mean of the MLM's layers, whose weights it learns.

    Source: Peters et al. (2018), Deep contextualized word representations, equation 1: the scale times the
    sum of the layers, each with its weight, the weights being a softmax. All layers weigh the same at first.
    """

    def __init__(self, tagger: nn.Module, layers: int) -> None:
        super().__init__()
        self.tagger = tagger
        self.layer_weights = nn.Parameter(torch.zeros(layers))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, batch: Batch) -> Tensor:
        """Return [N, LABELS] log-probabilities of a packed batch with hidden [M, L * D]."""
        layers = batch.hidden.reshape(len(batch.hidden), len(self.layer_weights), -1)
        mixed = torch.einsum("mld,l->md", layers, self.scale * self.layer_weights.softmax(dim=0))
        return cast(Tensor, self.tagger(replace(batch, hidden=mixed)))


@torch.no_grad()
def initialise(model: nn.Module, size: int, seed: int) -> None:
    """Draw all weights uniformly within 1 / sqrt(size), as PyTorch initialises GRUs and linear layers."""
    generator = torch.Generator().manual_seed(seed)
    bound = 1 / math.sqrt(size)
    for parameter in model.parameters():
        parameter.copy_(torch.empty(parameter.shape).uniform_(-bound, bound, generator=generator))


def divergence(log_probabilities: Tensor, batch: Part) -> Tensor:
    """Return the Jensen-Shannon divergence between two views of instances, in nats.

    The batch holds instances, and behind them the other view of each. It is the sum over instances of the
    mean over tokens.
    """
    order = batch.flat_index.argsort()
    one, other = log_probabilities[order].chunk(2)
    middle = torch.logaddexp(one, other) - math.log(2)
    of_tokens = (one.exp() * (one - middle) + other.exp() * (other - middle)).sum(dim=1) / 2
    return (of_tokens * batch.weights[order][: len(one)].to(of_tokens.dtype)).sum()


def batch_loss(log_probabilities: Tensor, batch: Part) -> Tensor:
    """Return the batch's loss: the sum over instances of the mean over tokens of -log P(gold label)."""
    chosen = log_probabilities.gather(1, batch.labels[:, None])[:, 0]
    return -(chosen * batch.weights.to(chosen.dtype)).sum()
