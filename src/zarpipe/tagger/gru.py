"""One GRU layer over packed sequences on the CPU, with its gradient written out.

The equations are those of `torch.nn.GRU` (and of the golden model notes), for state s and input a:

    r = sigmoid(W_ir a + b_ir + W_hr s + b_hr)
    z = sigmoid(W_iz a + b_iz + W_hz s + b_hz)
    n = tanh(W_in a + b_in + r * (W_hn s + b_hn))
    s' = (1 - z) * n + z * s

What can be done once for all time steps is kept out of the steps: the input's share of the gates (one matrix
product before) and the gradient of the recurrent weights (one product over all steps instead of one per
step). What is left per step is one product with the recurrent matrix and a few element-wise operations in
place.

Tokens are packed by time: step t holds the first ``batch_sizes[t]`` sequences, sorted by falling length. A
layer that reads backwards walks the same rows from the last step to the first; a shorter sequence joins with
state zero.

Gates lie in the order n, r, z, g, where g = W_hn s + b_hn. The gradient of the input's share is then the
first three quarters of a row (n, r, z) and that of the recurrent share the last three (r, z, g): no copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, cast

import torch
from torch import Tensor

# Unused columns at the end of each row of gates: rows a power of two bytes apart would fall on the same cache
# lines and slow the matrix products down by a fifth.
_PADDING = 16

# Elements of a gate whose derivatives are computed together: many small steps at once, but no more than the
# processor's cache holds.
_CHUNK_ELEMENTS = 1 << 16

_sigmoid_backward = torch.ops.aten.sigmoid_backward.grad_input
_tanh_backward = torch.ops.aten.tanh_backward.grad_input


def gru_layer(
    inputs: Tensor, weight: Tensor, bias: Tensor, batch_sizes: Sequence[int], from_last: bool
) -> Tensor:
    """Run the recurrent part of a GRU layer.

    Args:
        inputs: [N, 3H], the input's share of the gates in the order n, r, z, with all biases of r and z.
        weight: [3H, H], the recurrent matrix W_h in PyTorch's order r, z, n.
        bias: [H], b_hn.
        batch_sizes: sequences of each time step, falling; they sum to N.
        from_last: whether the layer reads from the last token to the first.

    Returns:
        [N, H], the state after each token.
    """
    keep = torch.is_grad_enabled()
    states = _Recurrence.apply(inputs, weight, bias, tuple(batch_sizes), from_last, keep)  # type: ignore[no-untyped-call]
    return cast(Tensor, states)


class _Recurrence(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        weight: Tensor,
        bias: Tensor,
        batch_sizes: tuple[int, ...],
        from_last: bool,
        keep: bool,
    ) -> Tensor:
        size = weight.shape[1]
        # Without a gradient to come, one step's worth of gates and previous states is enough.
        rows = len(inputs) if keep else batch_sizes[0]
        gates = inputs.new_empty(rows, 4 * size + _PADDING)
        previous, states = inputs.new_empty(rows, size), inputs.new_empty(len(inputs), size)
        steps = _Steps(batch_sizes, from_last)
        one_step = steps.views if keep else steps.shared_views
        new, reset, update, from_state = map(one_step, _quarters(gates))
        reset_update, recurrent = one_step(gates[:, size : 3 * size]), one_step(gates[:, size : 4 * size])
        input_new, input_reset_update = steps.views(inputs[:, :size]), steps.views(inputs[:, size:])
        state, new_state = one_step(previous), steps.views(states)
        transposed, minus_one, last = weight.t(), inputs.new_tensor(-1.0), states[:0]
        for t in steps.order:
            _copy_states(last, state[t])
            torch.mm(state[t], transposed, out=recurrent[t])
            reset_update[t].add_(input_reset_update[t]).sigmoid_()
            from_state[t].add_(bias)
            torch.addcmul(input_new[t], reset[t], from_state[t], out=new[t])
            # tanh(x) = 2 sigmoid(2x) - 1: PyTorch's sigmoid is several times as fast on the CPU.
            torch.add(minus_one, new[t].mul_(2).sigmoid_(), alpha=2, out=new[t])
            last = torch.lerp(new[t], state[t], update[t], out=new_state[t])
        if keep:
            ctx.save_for_backward(weight, previous, gates)
            ctx.steps = steps
        return states

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None, None]:
        weight, previous, gates = ctx.saved_tensors
        size, steps = weight.shape[1], ctx.steps
        grads = torch.empty_like(gates)
        grad_recurrent = grads[:, size : 4 * size]
        grad_gates, recurrent = steps.views(grads[:, : 4 * size]), steps.views(grad_recurrent)
        update, grad_state = steps.views(_quarters(gates)[2]), steps.views(grad_outputs[0])
        carried = gates.new_zeros(len(grad_state[0]), size)
        # The rows of `carried` beyond a step's are zero still, or belong to sequences that began after it.
        grad, product = steps.shared_views(carried), steps.shared_views(torch.empty_like(carried))
        for rows, chunk in steps.chunks_backwards(_CHUNK_ELEMENTS // size):
            _derivatives(previous[rows], gates[rows], grads[rows])
            for t in chunk:
                grad[t].add_(grad_state[t])
                grad_gates[t].unflatten(1, (4, size)).mul_(grad[t][:, None])
                torch.mm(recurrent[t], weight, out=product[t])
                torch.addcmul(product[t], grad[t], update[t], out=grad[t])
        grad_weight = (previous.t() @ grad_recurrent).t()
        return grads[:, : 3 * size], grad_weight, grads[:, 3 * size : 4 * size].sum(0), None, None, None


def _derivatives(state: Tensor, gates: Tensor, out: Tensor) -> None:
    """Write the derivatives of the new state by what goes into the gates n, r, z, g, row by row."""
    new, reset, update, from_state = _quarters(gates)
    by_new, by_reset, by_update, by_from_state = _quarters(out)
    _tanh_backward(torch.sub(1, update, out=by_new), new, grad_input=by_new)
    torch.mul(by_new, reset, out=by_from_state)
    _sigmoid_backward(torch.mul(by_new, from_state, out=by_reset), reset, grad_input=by_reset)
    _sigmoid_backward(torch.sub(state, new, out=by_update), update, grad_input=by_update)


class _Steps:
    """The time steps of a packed batch, in the order in which a layer reads them."""

    def __init__(self, batch_sizes: tuple[int, ...], from_last: bool) -> None:
        self._sizes = list(batch_sizes)
        self._starts = list(accumulate(batch_sizes, initial=0))
        self.order = range(len(batch_sizes))[:: -1 if from_last else 1]

    def views(self, rows: Tensor) -> Sequence[Tensor]:
        """Return the rows of each step of a packed tensor."""
        return torch.split(rows, self._sizes)

    def shared_views(self, rows: Tensor) -> Sequence[Tensor]:
        """Return, for each step, as many rows as it has from the top of a tensor that all steps use."""
        return [rows[:count] for count in self._sizes]

    def chunks_backwards(self, rows: int) -> Iterator[tuple[slice, Sequence[int]]]:
        """Go back from the step read last, in chunks of steps with at least `rows` rows together."""
        chunk: list[int] = []
        held = 0
        for t in reversed(self.order):
            chunk.append(t)
            held += self._sizes[t]
            if held >= rows or t == self.order[0]:
                yield slice(self._starts[min(chunk)], self._starts[max(chunk) + 1]), chunk
                chunk, held = [], 0


def _quarters(gates: Tensor) -> tuple[Tensor, ...]:
    """Return the columns n, r, z and g."""
    size = gates.shape[1] // 4 - _PADDING // 4
    return tuple(gates[:, start : start + size] for start in range(0, 4 * size, size))


def _copy_states(last: Tensor, state: Tensor) -> None:
    """Copy the states of the step before; sequences that begin here start from zero."""
    shared = min(len(last), len(state))
    state[:shared].copy_(last[:shared])
    if shared < len(state):
        state[shared:].zero_()
