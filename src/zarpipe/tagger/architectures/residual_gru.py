"""Residual GRU layers of alternating direction (Konno et al. 2020, Section 3.2; golden model notes).

Layer 1 reads the hidden state, and flags if there are any, from left to right. Layer k >= 2 reads layer
k - 1, even layers from right to left, and adds its output to its input. The recurrent state of a layer is its
own output without the residual, as in any GRU.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from zarpipe.tagger.architectures.gru import gru_layer
from zarpipe.tagger.batches import Batch


class ResidualGru(nn.Module):
    """The layers; who inherits from them adds what reads their output.

    The first layer reads so many of the batch's flags, all or none.
    """

    def __init__(self, layers: int, size: int, input_size: int, flags: int) -> None:
        super().__init__()
        sizes = [input_size + flags] + [size] * (layers - 1)
        self.layers = nn.ModuleList(nn.GRU(width, size) for width in sizes)
        self.flags = flags
        self._dtype: torch.dtype | None = None

    def multiply_in(self, dtype: torch.dtype) -> None:
        """Let training steps on a CPU multiply matrices in this number format."""
        self._dtype = dtype

    def run(self, batch: Batch) -> Tensor:
        """Return [N, size], the last layer's output for a packed batch's tokens."""
        return self._by_cudnn(batch) if batch.hidden.is_cuda else self._by_gru_layer(batch)

    def _by_gru_layer(self, batch: Batch) -> Tensor:
        """Run the layers with this package's GRU layer."""
        first, *others = self._gru_layers()
        # Decisions are computed as the weights are, in float32.
        dtype = self._dtype if torch.is_grad_enabled() else None
        shares = _first_share(batch, *_input_weights(first), self.flags, dtype)
        hidden = gru_layer(shares, None, None, *_recurrent_weights(first), batch.batch_sizes, False, dtype)
        for number, layer in enumerate(others, 2):
            weights = (*_input_weights(layer), *_recurrent_weights(layer))
            hidden = gru_layer(hidden, *weights, batch.batch_sizes, number % 2 == 0, dtype)
        return hidden

    def _by_cudnn(self, batch: Batch) -> Tensor:
        """Run the layers with PyTorch's own GRU (cuDNN on a GPU)."""
        sizes = torch.tensor(batch.batch_sizes)
        reverse = _reversal(batch.batch_sizes).to(batch.row.device)
        inputs = torch.cat([batch.hidden[batch.row], batch.flags[:, : self.flags]], dim=1)
        first, *others = self._gru_layers()
        hidden = first(PackedSequence(inputs, sizes))[0].data
        for number, layer in enumerate(others, 2):
            if number % 2 == 0:
                states = layer(PackedSequence(hidden[reverse], sizes))[0].data[reverse]
            else:
                states = layer(PackedSequence(hidden, sizes))[0].data
            hidden = hidden + states
        return cast(Tensor, hidden)

    def _gru_layers(self) -> list[nn.GRU]:
        return [cast(nn.GRU, layer) for layer in self.layers]


def _input_weights(layer: nn.GRU) -> tuple[Tensor, Tensor]:
    """Return the input matrix and bias in the order n, r, z, with the recurrent biases of r and z added."""
    size = layer.hidden_size
    weight, _, bias, recurrent_bias = _weights(layer)
    bias = bias + torch.cat([recurrent_bias[: 2 * size], recurrent_bias.new_zeros(size)])
    return weight.roll(size, 0), bias.roll(size, 0)


def _recurrent_weights(layer: nn.GRU) -> tuple[Tensor, Tensor]:
    """Return the recurrent matrix and the recurrent bias of n."""
    _, weight, _, bias = _weights(layer)
    return weight, bias[2 * layer.hidden_size :]


def _weights(layer: nn.GRU) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return W_i, W_h, b_i and b_h in PyTorch's order r, z, n."""
    named = (layer.weight_ih_l0, layer.weight_hh_l0, layer.bias_ih_l0, layer.bias_hh_l0)
    return cast(tuple[Tensor, Tensor, Tensor, Tensor], named)


def _first_share(batch: Batch, weight: Tensor, bias: Tensor, flags: int, dtype: torch.dtype | None) -> Tensor:
    """Project the inputs of layer 1: hidden states once per distinct sequence, flags as a rank-two update."""
    size = batch.hidden.shape[1]
    by_row = _linear(batch.hidden, weight[:, :size], bias, dtype)
    share = _TakeRows.apply(by_row, batch.row, *batch.occurrences)  # type: ignore[no-untyped-call]
    return cast(Tensor, share.addmm_(batch.flags, weight[:, size:].t()) if flags else share)


def _linear(inputs: Tensor, weight: Tensor, bias: Tensor, dtype: torch.dtype | None) -> Tensor:
    """Multiply in a number format, and add the bias as it is."""
    if dtype is None:
        return F.linear(inputs, weight, bias)
    return F.linear(inputs.to(dtype), weight.to(dtype)) + bias


class _TakeRows(torch.autograd.Function):
    """Takes rows of a matrix, with a gradient that adds in a fixed order (PyTorch's own has none)."""

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, row: Tensor, *occurrences: Tensor) -> Tensor:
        ctx.save_for_backward(row, *occurrences)
        return matrix.index_select(0, row)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        row, first, *further = ctx.saved_tensors
        (grad,) = grad_outputs
        total = grad.index_select(0, first)
        for tokens in further:
            rows = row[tokens]
            total[rows] = total.index_select(0, rows) + grad.index_select(0, tokens)
        return total, *[None] * (2 + len(further))


def _reversal(batch_sizes: Sequence[int]) -> Tensor:
    """Return [N] int64: the packed row of the mirrored token of the same sequence."""
    sizes = torch.tensor(batch_sizes)
    starts = sizes.cumsum(0) - sizes
    time = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
    member = torch.arange(int(sizes.sum())) - starts[time]
    lengths = (sizes[None, :] > torch.arange(int(sizes[0]))[:, None]).sum(1)
    return starts[lengths[member] - 1 - time] + member
