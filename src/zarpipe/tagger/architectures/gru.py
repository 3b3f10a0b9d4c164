"""GRU layers over packed sequences on the CPU, with their gradient written out.

The equations are those of `torch.nn.GRU` (and of the golden model notes), for state s and input a:

    r = sigmoid(W_ir a + b_ir + W_hr s + b_hr)
    z = sigmoid(W_iz a + b_iz + W_hz s + b_hz)
    n = tanh(W_in a + b_in + r * (W_hn s + b_hn))
    s' = (1 - z) * n + z * s

Tokens are packed by time: step t holds the first ``batch_sizes[t]`` sequences, sorted by falling length. A
layer that reads backwards walks the same rows from the last step to the first; a shorter sequence joins
with state zero.

What makes it fast: the gradients of both matrices are one product each over all steps instead of one per
step. A step of many sequences is cut into blocks whose gates fit a core's cache, and everything that
touches a block is done while it is there: its input's product, the recurrent product, the element-wise
operations, the residual. Threads take blocks of different sequences, which do not depend on each other, and
need not wait for each other.

Gates lie in the order n, r, z, g, where g = W_hn s + b_hn. The gradient of the input's share is then the
first three quarters of a row (n, r, z) and that of the recurrent share the last three (r, z, g): no copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, cast, overload

import torch
from torch import Tensor

# Unused columns at the end of each row of gates: rows a power of two bytes apart would fall on the same cache
# lines and slow the matrix products down by a fifth.
_PADDING = 16

# Elements of a gate that one processor core works on at a time: what its own cache holds of all gates.
_ELEMENTS = 1 << 16

_sigmoid_backward = torch.ops.aten.sigmoid_backward.grad_input
_tanh_backward = torch.ops.aten.tanh_backward.grad_input


def gru_layer(
    # [N, H], the input a; of the first layer [N, 3H], its share of the gates, computed before: W_i a and all
    # biases except b_hn, in the order n, r, z
    inputs: Tensor,
    input_weight: Tensor | None,  # [3H, H], W_i in the order n, r, z; None for the first layer
    bias: Tensor | None,  # [3H], all biases except b_hn, in the order n, r, z; None for the first layer
    weight: Tensor,  # [3H, H], the recurrent matrix W_h in PyTorch's order r, z, n
    new_bias: Tensor,  # [H], b_hn
    batch_sizes: Sequence[int],  # sequences of each time step, falling; they sum to N
    from_last: bool,  # whether the layer reads from the last token to the first
    # number format of the matrix products; all else, and None, is as the weights are
    dtype: torch.dtype | None = None,
) -> Tensor:
    """Run a GRU layer, whose output is added to its input unless that is the first layer's.

    Returns [N, H], the state after each token, with its input added where that is [N, H].
    """
    blocks = _Blocks.of(tuple(batch_sizes), from_last, _rows_of_block(batch_sizes[0], weight.shape[1]))
    arguments = (inputs, input_weight, bias, weight, new_bias, blocks, dtype, torch.is_grad_enabled())
    return cast(Tensor, _Layer.apply(*arguments))  # type: ignore[no-untyped-call]


class _Layer(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        input_weight: Tensor | None,
        bias: Tensor | None,
        weight: Tensor,
        new_bias: Tensor,
        blocks: _Blocks,
        dtype: torch.dtype | None,
        keep: bool,
    ) -> Tensor:
        size = weight.shape[1]
        # Without a gradient to come, one step's worth of gates and previous states is enough.
        rows = len(inputs) if keep else blocks.sequences
        gates = inputs.new_empty(rows, 4 * size + _PADDING)
        previous, output = inputs.new_empty(rows, size), inputs.new_empty(len(inputs), size)
        kept = blocks.views if keep else blocks.shared_views
        projection = (
            None if input_weight is None or bias is None else (bias, _rounded(input_weight, dtype).t())
        )
        _take_steps(
            inputs, projection, _rounded(weight, dtype), new_bias, blocks, kept, gates, previous, output
        )
        if keep:
            ctx.save_for_backward(inputs, input_weight, weight, previous, gates)
            ctx.blocks, ctx.dtype = blocks, dtype
        return output

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        inputs, input_weight, weight, previous, gates = ctx.saved_tensors
        (grad_output,) = grad_outputs
        size, blocks, dtype = weight.shape[1], ctx.blocks, ctx.dtype
        matrix, input_matrix = _rounded(weight, dtype), _rounded(input_weight, dtype)
        grads = torch.empty_like(gates)
        grad_from_input, grad_recurrent = grads[:, : 3 * size], grads[:, size : 4 * size]
        grad_inputs = grad_from_input if input_weight is None else torch.empty_like(inputs)
        grad_gates, recurrent = blocks.views(grads[:, : 4 * size]), blocks.views(grad_recurrent)
        update, grad_out = blocks.views(_quarters(gates)[2]), blocks.views(grad_output)
        carried = gates.new_zeros(blocks.sequences, size)
        # The rows of `carried` beyond a step's are zero still, or belong to sequences that began after it.
        grad, product = blocks.shared_views(carried), blocks.shared_views(torch.empty_like(carried))

        def run(own_blocks: list[int]) -> None:
            for rows, group in blocks.groups_backwards(own_blocks):
                _derivatives(previous[rows], gates[rows], grads[rows])
                for b in group:
                    grad[b].add_(grad_out[b])
                    grad_gates[b].unflatten(1, (4, size)).mul_(grad[b][:, None])
                    _multiply(recurrent[b], matrix, product[b])
                    torch.addcmul(product[b], grad[b], update[b], out=grad[b])
                if input_matrix is not None:
                    _multiply_add(grad_output[rows], grad_from_input[rows], input_matrix, grad_inputs[rows])

        _in_threads(run, blocks.by_thread())
        grad_weight = _weight_gradient(previous, grad_recurrent, dtype)
        grad_new_bias = grads[:, 3 * size : 4 * size].sum(0)
        if input_weight is None:
            return grad_inputs, None, None, grad_weight, grad_new_bias, None, None, None
        grad_input_weight = _weight_gradient(inputs, grad_from_input, dtype)
        grad_bias = grad_from_input.sum(0)
        return grad_inputs, grad_input_weight, grad_bias, grad_weight, grad_new_bias, None, None, None


def _take_steps(
    inputs: Tensor,
    projection: tuple[Tensor, Tensor] | None,
    weight: Tensor,
    new_bias: Tensor,
    blocks: _Blocks,
    kept: Callable[[Tensor], Sequence[Tensor]],
    gates: Tensor,
    previous: Tensor,
    output: Tensor,
) -> None:
    """Write gates, previous states and output of all steps; ``kept`` gives each block's rows of a tensor."""
    size = weight.shape[1]
    new, reset, update, from_state = map(kept, _quarters(gates))
    from_input, reset_update = kept(gates[:, : 3 * size]), kept(gates[:, size : 3 * size])
    given, out, state = blocks.views(inputs), blocks.views(output), kept(previous)
    # The state after the step before; zero still for the sequences that have not begun.
    current = blocks.shared_views(inputs.new_zeros(blocks.sequences, size))
    to_reset_update, to_new = torch.split(weight.t(), [2 * size, size], dim=1)
    minus_one = inputs.new_tensor(-1.0)

    def run(own_blocks: list[int]) -> None:
        for b in own_blocks:
            state[b].copy_(current[b])
            if projection is None:
                from_input[b].copy_(given[b])
            else:
                _multiply_add(projection[0], given[b], projection[1], from_input[b])
            _multiply_add(reset_update[b], state[b], to_reset_update, reset_update[b])
            reset_update[b].sigmoid_()
            _multiply_add(new_bias, state[b], to_new, from_state[b])
            torch.addcmul(new[b], reset[b], from_state[b], out=new[b])
            # tanh(x) = 2 sigmoid(2x) - 1: PyTorch's sigmoid is several times as fast on the CPU.
            torch.add(minus_one, new[b].mul_(2).sigmoid_(), alpha=2, out=new[b])
            torch.lerp(new[b], state[b], update[b], out=current[b])
            if projection is None:
                out[b].copy_(current[b])
            else:
                torch.add(given[b], current[b], out=out[b])

    _in_threads(run, blocks.by_thread())


def _multiply(rows: Tensor, matrix: Tensor, out: Tensor) -> None:
    """Write the product of rows and a matrix in the matrix's number format."""
    if matrix.dtype == rows.dtype:
        torch.mm(rows, matrix, out=out)
    else:
        out.copy_(rows.to(matrix.dtype) @ matrix)


def _multiply_add(summand: Tensor, rows: Tensor, matrix: Tensor, out: Tensor) -> None:
    """Write the same with something added in float32."""
    if matrix.dtype == rows.dtype:
        torch.addmm(summand, rows, matrix, out=out)
    else:
        torch.add(summand, rows.to(matrix.dtype) @ matrix, out=out)


def _weight_gradient(inputs: Tensor, grad: Tensor, dtype: torch.dtype | None) -> Tensor:
    """Return the gradient of a matrix, [out, in], from what it was multiplied with and what came of it."""
    return (_rounded(inputs, dtype).t() @ _rounded(grad, dtype)).t().to(grad.dtype)


@overload
def _rounded(values: Tensor, dtype: torch.dtype | None) -> Tensor: ...
@overload
def _rounded(values: Tensor | None, dtype: torch.dtype | None) -> Tensor | None: ...
def _rounded(values: Tensor | None, dtype: torch.dtype | None) -> Tensor | None:
    """Return values in the number format of the products."""
    return values if values is None or dtype is None else values.to(dtype)


def _derivatives(state: Tensor, gates: Tensor, out: Tensor) -> None:
    """Write the derivatives of the new state by what goes into the gates n, r, z, g, row by row."""
    new, reset, update, from_state = _quarters(gates)
    by_new, by_reset, by_update, by_from_state = _quarters(out)
    _tanh_backward(torch.sub(1, update, out=by_new), new, grad_input=by_new)
    torch.mul(by_new, reset, out=by_from_state)
    _sigmoid_backward(torch.mul(by_new, from_state, out=by_reset), reset, grad_input=by_reset)
    _sigmoid_backward(torch.sub(state, new, out=by_update), update, grad_input=by_update)


@dataclass(frozen=True)
class _Blocks:
    """The steps of a packed batch, cut into blocks of at most ``rows`` sequences, numbered as in memory."""

    rows: int  # upper limit
    sequences: int  # sequences of the batch
    start: list[int]  # first row of each block
    size: list[int]  # its rows
    top: list[int]  # its first row within its step
    order: range  # the blocks in the order in which the layer reads them: that of memory, or its reverse

    @classmethod
    def of(cls, batch_sizes: tuple[int, ...], from_last: bool, rows: int) -> _Blocks:
        """Cut the steps of a batch that is read from the first or from the last token."""
        blocks = cls(rows, batch_sizes[0], [], [], [], range(0))
        start = 0
        for count in batch_sizes:
            tops = range(0, count, rows)
            blocks.start.extend(start + top for top in tops)
            blocks.size.extend(min(rows, count - top) for top in tops)
            blocks.top.extend(tops)
            start += count
        order = range(len(blocks.start))
        return replace(blocks, order=order[::-1] if from_last else order)

    def views(self, packed: Tensor) -> Sequence[Tensor]:
        """Return the rows of each block of a packed tensor."""
        return torch.split(packed, self.size)

    def shared_views(self, step: Tensor) -> Sequence[Tensor]:
        """Return each block's rows of a tensor that all steps use, [sequences, ...]."""
        return [step[top : top + size] for top, size in zip(self.top, self.size, strict=True)]

    def by_thread(self) -> list[list[int]]:
        """Share the blocks out to threads by their sequences, each in the order in which they are read."""
        threads = torch.get_num_threads()
        shares: dict[int, list[int]] = {}
        for block in self.order:
            shares.setdefault(self.top[block] // self.rows % threads, []).append(block)
        return list(shares.values())

    def groups_backwards(self, blocks: list[int]) -> Iterator[tuple[slice, list[int]]]:
        """Go back over a thread's blocks; neighbours in memory come in groups of at least ``rows`` rows."""
        group: list[int] = []
        for block in reversed(blocks):
            if group and (self._rows_of(group) >= self.rows or abs(block - group[-1]) > 1):
                yield self._span(group), group
                group = []
            group.append(block)
        yield self._span(group), group

    def _rows_of(self, group: list[int]) -> int:
        return sum(self.size[block] for block in group)

    def _span(self, group: list[int]) -> slice:
        first, last = min(group), max(group)
        return slice(self.start[first], self.start[last] + self.size[last])


def _rows_of_block(sequences: int, size: int) -> int:
    """Return as many rows as fit a core's cache, but few enough that every thread gets some."""
    return max(1, min(_ELEMENTS // size, -(-sequences // torch.get_num_threads())))


def _in_threads(run: Callable[[list[int]], None], by_thread: list[list[int]]) -> None:
    """Run each share of the blocks in a thread of its own: different sequences do not depend on each other.

    These threads need not wait for each other at every operation, as PyTorch's own threads do.
    """
    if len(by_thread) == 1:
        run(by_thread[0])
    else:
        list(_pool(len(by_thread)).map(torch.no_grad()(run), by_thread))


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,))


def _quarters(gates: Tensor) -> tuple[Tensor, ...]:
    """Return the columns n, r, z and g."""
    size = gates.shape[1] // 4 - _PADDING // 4
    return tuple(gates[:, start : start + size] for start in range(0, 4 * size, size))
