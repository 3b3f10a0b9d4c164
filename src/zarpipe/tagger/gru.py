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

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor

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
        gates, previous = inputs.new_empty(rows, 4 * size), inputs.new_empty(rows, size)
        states = inputs.new_empty(len(inputs), size)
        transposed, minus_one = weight.t(), inputs.new_tensor(-1.0)
        last = states[:0]
        for start, end in _steps(batch_sizes, from_last):
            kept = slice(start, end) if keep else slice(0, end - start)
            _copy_states(last, previous[kept])
            last = states[start:end]
            _step(inputs[start:end], previous[kept], gates[kept], transposed, bias, minus_one, last)
        if keep:
            ctx.save_for_backward(weight, previous, gates)
            ctx.batch_sizes, ctx.from_last = batch_sizes, from_last
        return states

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None, None]:
        weight, previous, gates = ctx.saved_tensors
        size = weight.shape[1]
        grads = torch.empty_like(gates)
        grad_state = gates.new_zeros(ctx.batch_sizes[0], size)
        product = torch.empty_like(grad_state)
        for start, end in reversed(_steps(ctx.batch_sizes, ctx.from_last)):
            # The rows beyond this step's are zero still, or belong to sequences that began after it.
            grad, gate = grad_state[: end - start], gates[start:end]
            grad.add_(grad_outputs[0][start:end])
            _step_backward(grad, previous[start:end], gate, grads[start:end])
            through_gates = torch.mm(grads[start:end, size:], weight, out=product[: end - start])
            torch.addcmul(through_gates, grad, gate[:, 2 * size : 3 * size], out=grad)
        grad_weight = grads[:, size:].t() @ previous
        return grads[:, : 3 * size], grad_weight, grads[:, 3 * size :].sum(0), None, None, None


def _step(
    inputs: Tensor,
    state: Tensor,
    gates: Tensor,
    transposed: Tensor,
    bias: Tensor,
    minus_one: Tensor,
    new_state: Tensor,
) -> None:
    """Compute the gates and the new state of one time step in place."""
    size = state.shape[1]
    torch.mm(state, transposed, out=gates[:, size:])
    reset_update = gates[:, size : 3 * size]
    reset_update.add_(inputs[:, size:]).sigmoid_()
    new, update, from_state = gates[:, :size], gates[:, 2 * size : 3 * size], gates[:, 3 * size :]
    from_state.add_(bias)
    torch.addcmul(inputs[:, :size], gates[:, size : 2 * size], from_state, out=new)
    # tanh(x) = 2 sigmoid(2x) - 1: PyTorch's sigmoid is several times as fast on the CPU.
    torch.add(minus_one, new.mul_(2).sigmoid_(), alpha=2, out=new)
    torch.lerp(new, state, update, out=new_state)


def _step_backward(grad: Tensor, state: Tensor, gates: Tensor, grads: Tensor) -> None:
    """Compute the gradients before the non-linearities of one step, given that of the new state."""
    new, reset, update, from_state = gates.chunk(4, dim=1)
    grad_new, grad_reset, grad_update, grad_from_state = grads.chunk(4, dim=1)
    torch.addcmul(grad, grad, update, value=-1, out=grad_new)
    _tanh_backward(grad_new, new, grad_input=grad_new)
    torch.mul(grad_new, reset, out=grad_from_state)
    torch.mul(grad_new, from_state, out=grad_reset)
    _sigmoid_backward(grad_reset, reset, grad_input=grad_reset)
    torch.sub(state, new, out=grad_update).mul_(grad)
    _sigmoid_backward(grad_update, update, grad_input=grad_update)


def _steps(batch_sizes: tuple[int, ...], from_last: bool) -> list[tuple[int, int]]:
    """Return the rows of each time step, in the order in which the layer reads them."""
    steps, start = [], 0
    for count in batch_sizes:
        steps.append((start, start + count))
        start += count
    return steps[::-1] if from_last else steps


def _copy_states(last: Tensor, state: Tensor) -> None:
    """Copy the states of the step before; sequences that begin here start from zero."""
    shared = min(len(last), len(state))
    state[:shared].copy_(last[:shared])
    state[shared:].zero_()
