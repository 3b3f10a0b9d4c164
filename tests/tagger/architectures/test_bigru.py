"""The model, its loss and its gradients against the golden cases, and its GRU layer against PyTorch's."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from zarpipe.config import TaggerConfig
from zarpipe.tagger.architectures.bigru import BiGruTagger
from zarpipe.tagger.architectures.gru import gru_layer
from zarpipe.tagger.batches import Batch
from zarpipe.tagger.model import batch_loss, multiply_in

GOLDEN = Path(__file__).parents[2] / "golden" / "model"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.npz"))
TOLERANCE = {torch.float64: 1e-8, torch.float32: 1e-5}


def load(name, dtype):
    """Return the golden arrays, a tagger with their weights, and their instances as a packed batch."""
    arrays = dict(np.load(GOLDEN / f"{name}.npz"))
    layers = int(name.removeprefix("layers"))
    size = arrays["W_out"].shape[1]
    config = TaggerConfig(layers=layers, hidden_size=size, output_bias=True)
    tagger = BiGruTagger(config, arrays["x"].shape[2], seed=0).to(dtype)
    state = {"output.weight": arrays["W_out"], "output.bias": arrays["b_out"]}
    for layer in range(1, layers + 1):
        for ours, theirs in (("weight", "W"), ("bias", "b")):
            for kind in ("ih", "hh"):
                state[f"layers.{layer - 1}.{ours}_{kind}_l0"] = arrays[f"{theirs}_{kind}_{layer}"]
    tagger.load_state_dict({key: torch.from_numpy(value).to(dtype) for key, value in state.items()})
    return arrays, tagger, *packed(arrays, dtype)


def packed(arrays, dtype):
    lengths = arrays["lengths"]
    order = np.argsort(-lengths, kind="stable")
    rows = [(i, t) for t in range(lengths.max()) for i in order if t < lengths[i]]
    instance, time = np.array(rows).T
    flags = np.stack([arrays["is_target"], arrays["is_predicate"]], axis=-1)[instance, time]
    batch = Batch(
        torch.from_numpy(arrays["x"][instance, time]).to(dtype),
        torch.arange(len(rows)),
        (torch.arange(len(rows)),),
        torch.from_numpy(flags).to(dtype),
        torch.from_numpy(arrays["labels"][instance, time].astype(np.int64)),
        torch.from_numpy(1.0 / lengths[instance]).to(dtype),
        tuple(int((lengths > t).sum()) for t in range(lengths.max())),
        torch.arange(len(rows)),
    )
    return batch, instance, time


def runs(tagger):
    """Both ways to run the layers: this package's layer (CPU) and PyTorch's own GRU (as on a GPU)."""
    return {"gru_layer": tagger._by_gru_layer, "torch_gru": tagger._by_cudnn}


@pytest.mark.parametrize("run", ["gru_layer", "torch_gru"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_log_probabilities_equal_golden(name, dtype, run):
    arrays, tagger, batch, instance, time = load(name, dtype)
    with torch.no_grad():
        found = torch.log_softmax(tagger.output(runs(tagger)[run](batch)), dim=1)
    expected = arrays["logprobs"][instance, time]
    np.testing.assert_allclose(found.double().numpy(), expected, rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("name", ["layers2", "layers10"])
def test_loss_and_gradients_equal_golden(name, dtype):
    arrays, tagger, batch, _, _ = load(name, dtype)
    loss = batch_loss(tagger(batch), batch)
    loss.backward()
    tolerance = {"rtol": 0, "atol": TOLERANCE[dtype]}
    np.testing.assert_allclose(loss.item(), arrays["loss"], **tolerance)
    first = tagger.layers[0].weight_ih_l0
    np.testing.assert_allclose(first.grad, arrays["grad_W_ih_1"], **tolerance)
    np.testing.assert_allclose(tagger.output.weight.grad, arrays["grad_W_out"], **tolerance)
    np.testing.assert_allclose(tagger.output.bias.grad, arrays["grad_b_out"], **tolerance)
    norm = nn.utils.clip_grad_norm_(tagger.parameters(), 1.0)
    np.testing.assert_allclose(norm.item(), arrays["grad_norm_all_parameters"], **tolerance)
    np.testing.assert_allclose(first.grad, arrays["clipped_grad_W_ih_1"], **tolerance)


LAYERS = {"first": lambda shares, *given: gru_layer(shares, None, None, *given), "residual": gru_layer}


def layer_values(kind, tokens, size, dtype):
    """Return random tensors that a layer of this kind takes: input, its weights, recurrent weights."""
    shapes = {
        "first": [(tokens, 3 * size), (3 * size, size), (size,)],
        "residual": [(tokens, size), (3 * size, size), (3 * size,), (3 * size, size), (size,)],
    }
    return [torch.randn(shape, dtype=dtype) * 0.7 for shape in shapes[kind]]


def states_and_gradients(kind, values, grad, sizes, from_last):
    leaves = [value.clone().requires_grad_() for value in values]
    states = LAYERS[kind](*leaves, sizes, from_last)
    states.backward(grad)
    return [states.detach(), *(leaf.grad for leaf in leaves)]


@pytest.mark.parametrize("from_last", [False, True])
@pytest.mark.parametrize("kind", LAYERS)
def test_layers_pass_gradcheck(kind, from_last):
    torch.manual_seed(1)
    sizes = (4, 3, 3, 1)
    values = [value.requires_grad_() for value in layer_values(kind, sum(sizes), 3, torch.float64)]
    assert torch.autograd.gradcheck(lambda *given: LAYERS[kind](*given, sizes, from_last), values)


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_gradients_equal_those_of_torch_gru(layers):
    """Every parameter's gradient, with hidden states that several instances share."""
    torch.manual_seed(2)
    tagger = BiGruTagger(TaggerConfig(layers=layers, hidden_size=5, output_bias=True), 6, seed=3).double()
    sizes = (5, 5, 4, 2, 2, 1)
    total = sum(sizes)
    row = torch.cat([torch.randperm(8), torch.randperm(8)[:7], torch.randperm(8)[:4]])
    batch = Batch(
        torch.randn(8, 6, dtype=torch.float64),
        row,
        (row[:8].argsort(), 8 + row[8:15].argsort(), 15 + row[15:].argsort()),
        torch.randint(0, 2, (total, 2)).double(),
        torch.randint(0, 4, (total,)),
        torch.rand(total, dtype=torch.float64),
        sizes,
        torch.arange(total),
    )
    gradients = []
    for run in runs(tagger).values():
        tagger.zero_grad()
        batch_loss(torch.log_softmax(tagger.output(run(batch)), dim=1), batch).backward()
        gradients.append([parameter.grad.clone() for parameter in tagger.parameters()])
    for ours, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("elements", [1, 12, 30, 10_000])
@pytest.mark.parametrize("from_last", [False, True])
@pytest.mark.parametrize("kind", LAYERS)
def test_blocks_and_groups_do_not_change_the_result(kind, from_last, elements, monkeypatch):
    """Cut into single sequences, into uneven blocks, or with all steps in one group."""
    from zarpipe.tagger.architectures import gru

    torch.manual_seed(5)
    sizes = (7, 7, 6, 3, 3, 1)
    values = layer_values(kind, sum(sizes), 3, torch.float64)
    grad = torch.randn(sum(sizes), 3, dtype=torch.float64)
    expected = states_and_gradients(kind, values, grad, sizes, from_last)
    monkeypatch.setattr(gru, "_ELEMENTS", elements)
    found = states_and_gradients(kind, values, grad, sizes, from_last)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("from_last", [False, True])
@pytest.mark.parametrize("kind", LAYERS)
def test_threads_do_not_change_the_states(kind, from_last):
    """Each thread has sequences of its own; the same thread count gives the same bits."""
    torch.manual_seed(6)
    sizes = (40, 40, 33, 20, 7, 1)
    values, grad = layer_values(kind, sum(sizes), 8, torch.float32), torch.randn(sum(sizes), 8)
    results = []
    try:
        for threads in (1, 2, 3, 2):
            torch.set_num_threads(threads)
            results.append(states_and_gradients(kind, values, grad, sizes, from_last))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(1)
    for result in results[1:]:
        torch.testing.assert_close(result, results[0], rtol=1e-5, atol=2e-5)
    assert all(torch.equal(one, other) for one, other in zip(results[1], results[3], strict=True))


@pytest.mark.parametrize("kind", LAYERS)
def test_without_gradients_the_states_are_the_same(kind):
    torch.manual_seed(4)
    values = layer_values(kind, 9, 4, torch.float32)
    kept = LAYERS[kind](values[0].requires_grad_(), *values[1:], (4, 3, 2), True)
    with torch.no_grad():
        assert torch.equal(LAYERS[kind](*values, (4, 3, 2), True), kept)


# bfloat16 keeps 8 bits: what is rounded once differs by at most 1 in 256.
BFLOAT16 = {"rtol": 2**-8, "atol": 2**-8}


def product(rows, matrix):
    """A product of rounded matrices, itself rounded."""
    return (rows.bfloat16() @ matrix.bfloat16()).float()


def states_step_by_step(kind, inputs, *weights, sizes):
    """A layer as its formula says, read from the first token, with bfloat16 products and all else float32."""
    weight, new_bias = weights[-2:]
    size, state, states = len(new_bias), torch.zeros(sizes[0], len(new_bias)), []
    share = inputs if kind == "first" else product(inputs, weights[0].t()) + weights[1]
    for rows in share.split(sizes):
        new, reset, update = rows.split(size, dim=1)
        before = state[: len(rows)]
        by_reset, by_update, by_new = product(before, weight.t()).split(size, dim=1)
        reset, update = torch.sigmoid(reset + by_reset), torch.sigmoid(update + by_update)
        new = torch.tanh(new + reset * (by_new + new_bias))
        state = new + update * (before - new)
        states.append(state)
    states = torch.cat(states)
    return states if kind == "first" else inputs + states


@pytest.mark.parametrize("kind", LAYERS)
def test_bfloat16_products_have_float32_states(kind):
    torch.manual_seed(7)
    sizes = (9, 9, 7, 3, 1)
    values = layer_values(kind, sum(sizes), 16, torch.float32)
    found = LAYERS[kind](*values, sizes, False, torch.bfloat16)
    assert found.dtype == torch.float32
    expected = states_step_by_step(kind, *values, sizes=sizes)
    # A sum in another order may round to the next number with 8 bits.
    torch.testing.assert_close(found, expected, **BFLOAT16)
    assert (found - expected).abs().median() < 1e-6
    exact = LAYERS[kind](*values, sizes, False)
    assert (found - exact).abs().median() > 1e-4


@pytest.mark.parametrize("kind", LAYERS)
def test_gradients_of_bfloat16_products_are_those_of_float32_but_for_rounding(kind):
    torch.manual_seed(8)
    sizes = (30, 30, 21, 9)
    leaves = [value.requires_grad_() for value in layer_values(kind, sum(sizes), 16, torch.float32)]
    grad = torch.randn(sum(sizes), 16)
    exact = torch.autograd.grad(LAYERS[kind](*leaves, sizes, True), leaves, grad)
    rounded = torch.autograd.grad(LAYERS[kind](*leaves, sizes, True, torch.bfloat16), leaves, grad)
    for one, other in zip(exact, rounded, strict=True):
        assert other.dtype == torch.float32
        assert 0 < (one - other).norm() < 0.02 * one.norm()


def test_only_training_steps_multiply_in_bfloat16():
    _, tagger, batch, *_ = load(NAMES[-1], torch.float32)
    with torch.no_grad():
        exact = tagger(batch)
    multiply_in(tagger, torch.bfloat16)
    with torch.no_grad():
        assert torch.equal(tagger(batch), exact)
    trained = tagger(batch)
    assert not torch.equal(trained, exact)
    torch.testing.assert_close(trained, exact, rtol=0.1, atol=0.1)
    trained.sum().backward()
    assert {parameter.grad.dtype for parameter in tagger.parameters()} == {torch.float32}
