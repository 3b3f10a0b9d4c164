"""What is done to hidden states in training: numbers, limits that give other recipes, and independence."""

import contextlib

import numpy as np
import pytest
import tiny_study
import torch
from tiny_study import train_arguments

from zarpipe.cli import main
from zarpipe.errors import ZarpipeError
from zarpipe.formats.features import Features
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.batches import pack
from zarpipe.tagger.cached import drawn_copies
from zarpipe.tagger.differences import variance
from zarpipe.tagger.mixture import mixed
from zarpipe.tagger.model import divergence
from zarpipe.tagger.train import _sentences

EVERY = {
    "drop": {"use": "drop", "probability": 0.3},
    "span": {"use": "cut", "share": 0.3},
    "dimensions": {"use": "cut", "over": "dimensions", "share": 0.3},
    "noise": {"use": "noise"},
    "shuffled": {"use": "noise", "shuffled": True},
    "drawn": {"use": "interpolate", "beta": 0.5},
    "half": {"use": "interpolate", "fixed": 0.5},
}


@pytest.fixture(scope="module")
def perturbed(train, study):
    """A function that gives the instances of an epoch, and what they are made of."""

    def make(perturb, seed=1, epoch=1, kept=None):
        copies = drawn_copies(train, [Features.open(study.variant_features)])
        data = mixed(train, copies, Mixture(perturb=perturb), "all", kept)
        return data, data.perturbed(seed, epoch)

    return make


def states(encoded, place, beside=()):
    """The hidden states of an instance, in a batch with others."""
    batch = pack(encoded, np.array([place, *beside]))
    of_tokens = torch.empty(len(batch.row), batch.hidden.shape[1])
    of_tokens[batch.flat_index] = batch.hidden[batch.row]
    return of_tokens[: int(encoded.lengths[place])]


@pytest.mark.parametrize("name", EVERY)
def test_draws_follow_from_seed_epoch_and_instance_whatever_the_batch(perturbed, train, name):
    data, first = perturbed(EVERY[name])
    _, again = perturbed(EVERY[name])
    _, later = perturbed(EVERY[name], epoch=2)
    _, other = perturbed(EVERY[name], seed=2)
    n, differ = len(train), {"later": 0, "other": 0}
    for place in range(n, 2 * n, 9):
        found = states(first, place)
        assert torch.equal(found, states(again, place, (3, place - n, n + 5, place)))
        differ["later"] += not torch.equal(found, states(later, place))
        differ["other"] += not torch.equal(found, states(other, place))
        assert torch.equal(states(first, place - n, (place,)), states(data.encoded, place - n))
    assert (min(differ.values()) > 0) == (name != "half")


@pytest.mark.parametrize("name", sorted(set(EVERY) - {"drop", "noise"}))
def test_documents_that_are_left_out_change_no_draw(perturbed, train, name):
    kept = np.arange(len(train)) % 3 > 0
    _, every = perturbed(EVERY[name])
    _, some = perturbed(EVERY[name], kept=kept)
    places = np.flatnonzero(kept)
    for number in range(0, len(places), 7):
        found = states(some, len(places) + number)
        assert torch.equal(found, states(every, len(train) + int(places[number])))


def test_what_is_cut(perturbed, train):
    n = len(train)
    data, span = perturbed(EVERY["span"])
    _, dimensions = perturbed(EVERY["dimensions"])
    for place in range(n, 2 * n, 7):
        target, plain = int(train.predicate[place - n]), states(data.encoded, place)
        zero = (states(span, place) == 0).all(dim=1)
        count = max(1, round(0.3 * len(zero)))
        where = np.flatnonzero(zero)
        assert count - 1 <= len(where) <= count
        assert not len(where) or where[-1] - where[0] <= count - 1
        assert not zero[target]
        found = states(dimensions, place)
        gone = (found == 0) & (plain != 0)
        assert gone.sum(dim=1).tolist() == [0 if token == target else 2 for token in range(len(found))]
        assert torch.equal(found[target], plain[target])


def test_noise_has_the_variance_of_the_difference_in_each_dimension(perturbed, train):
    data, _ = perturbed(EVERY["noise"])
    n = len(train)
    places = range(n, 2 * n)
    difference = torch.cat(
        [states(data.encoded, place) - states(data.encoded, place - n) for place in places]
    )
    wanted = difference.double().numpy().var(axis=0)
    assert variance(data) == pytest.approx(wanted, rel=1e-6)
    epochs = [data.perturbed(1, epoch) for epoch in range(1, 11)]
    added = torch.cat([states(one, place) - states(one, place - n) for one in epochs for place in places])
    assert added.double().numpy().var(axis=0) == pytest.approx(wanted, rel=0.1)
    assert added.mean().item() == pytest.approx(0, abs=0.02)


def test_shuffled_noise_is_the_difference_of_the_instance_at_other_tokens(perturbed, train):
    data, found = perturbed(EVERY["shuffled"])
    n, moved = len(train), 0
    for place in range(n, 2 * n, 5):
        wanted = states(data.encoded, place) - states(data.encoded, place - n)
        added = states(found, place) - states(found, place - n)
        order, other = (np.lexsort(one.numpy().round(4).T) for one in (wanted, added))
        torch.testing.assert_close(added[other], wanted[order], atol=1e-5, rtol=1e-4)
        moved += not torch.allclose(added, wanted, atol=1e-3)
    assert moved


def test_interpolated_states_lie_between_a_copy_and_its_original(perturbed, train):
    data, half = perturbed(EVERY["half"])
    _, drawn = perturbed(EVERY["drawn"])
    n, shares = len(train), []
    for place in range(n, 2 * n):
        original, copy = states(data.encoded, place - n), states(data.encoded, place)
        torch.testing.assert_close(states(half, place), (original + copy) / 2)
        if not torch.equal(original, copy):
            difference = (original - copy).flatten()
            share = float((states(drawn, place) - copy).flatten() @ difference / (difference @ difference))
            torch.testing.assert_close(states(drawn, place), share * original + (1 - share) * copy)
            shares.append(share)
    # Beta(0.5, 0.5) has mean 1/2 and variance 1/8.
    assert np.mean(shares) == pytest.approx(0.5, abs=0.1)
    assert np.var(shares) == pytest.approx(0.125, abs=0.03)


@pytest.mark.parametrize("architecture", ["bigru", "linear"])
@pytest.mark.parametrize(
    ("perturb", "same"),
    [
        ("{use: interpolate, fixed: 0}", "masking"),
        ("{use: interpolate, fixed: 1}", "baseline2x"),
        ("{use: noise, scale: 0}", "baseline2x"),
        ("{use: noise, scale: 0, shuffled: true}", "baseline2x"),
    ],
)
def test_limits_give_masking_and_the_baseline_to_the_last_bit(study, tmp_path, architecture, perturb, same):
    variant = ["--variant-features", str(study.variant_features)]
    others = {"masking": variant, "baseline2x": ["--copies", "2"]}
    for name, given in {"one": [*variant, "--perturb", perturb], "other": others[same]}.items():
        options = ["--epochs", "2", "--architecture", architecture, *given]
        assert main(train_arguments(study, tmp_path / name, *options)) == 0
    for file in ("tagger.safetensors", "thresholds.json", "history.csv"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "other" / file).read_bytes()


def test_consistency_adds_the_divergence_of_two_views(study, train, tmp_path):
    """Two equal views agree: the same numbers as with the originals and their twins in a batch."""
    copies = drawn_copies(train, [Features.open(study.variant_features)])
    data = mixed(train, copies, Mixture(consistency=1))
    n = len(train)
    assert data.members(0, 1).tolist() == list(range(n, 2 * n))
    seen = data.together(np.array([n + 3, n + 1]))
    assert seen.tolist() == [3, 1, n + 3, n + 1]
    batch = pack(data.encoded, seen)
    scores = torch.randn(len(batch.labels), 4).log_softmax(dim=1)
    flat = scores[batch.flat_index.argsort()].double()
    one, other = flat.chunk(2)
    middle = ((one.exp() + other.exp()) / 2).log()
    lengths = data.encoded.lengths[seen[:2]]
    weights = torch.from_numpy(np.repeat(1 / lengths, lengths))
    tokens = ((one.exp() * (one - middle)).sum(1) + (other.exp() * (other - middle)).sum(1)) / 2
    assert divergence(scores, batch).item() == pytest.approx((tokens * weights).sum().item(), rel=1e-4)
    losses = {}
    for weight in ("1e-9", "5"):
        given = ["--variant-features", str(study.variant_features), "--consistency", weight, "--epochs", "3"]
        assert main(train_arguments(study, tmp_path / weight, *given)) == 0
        losses[weight] = (tmp_path / weight / "history.csv").read_text(encoding="utf-8")
    assert losses["1e-9"] != losses["5"]


def test_layers_that_the_tagger_mixes_are_perturbed_side_by_side(make, study, tmp_path):
    files = {}
    for seed, split in enumerate(("train", "dev")):
        files[f"{split}_features"] = tmp_path / f"{split}.h5"
        make.features(files[f"{split}_features"], getattr(study, split), seed, mixed_layers=2)
    variant = tmp_path / "variant.h5"
    tiny_study.write_variant_features(variant, files["train_features"], study.train, mixed_layers=2)
    mixing = type(study)(**(vars(study) | files))
    for name, perturb in EVERY.items():
        given = ["--variant-features", str(variant), "--perturb", str(perturb), "--epochs", "1"]
        assert main(train_arguments(mixing, tmp_path / name, *given)) == 0


OWN = """\
def given(states, sentence, generator, scale: float = 0):
    assert len(sentence.tokens) == len(states)
    (predicate,) = sentence.predicates
    states[[token != predicate.token for token in range(len(states))]] += scale
    return {returned}
"""


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("states", None),
        ("states[1:]", "returned one of the shape [8, 8]"),
        ("None", "returned None"),
        ("'no'", "returned 'no'"),
        ("states * float('nan')", "returned nan or infinity"),
        ("states + 1", "changed the target predicate, token"),
        ("states / wrong", "stopped with NameError"),
    ],
)
def test_an_own_function_is_checked(train, study, tmp_path, monkeypatch, returned, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(OWN.format(returned=returned), encoding="utf-8")
    mixture = Mixture(perturb={"use": "mine.py:given", "scale": 2})
    data = mixed(train, [], mixture, sentences=lambda: _sentences(study.train))
    place = len(train) + 4
    expected = pytest.raises(ZarpipeError, match=r"mine\.py:") if message else contextlib.nullcontext()
    with expected as raised:
        found = states(data.perturbed(1, 1), place) - states(data.encoded, place)
        target = int(train.predicate[4])
        for token, row in enumerate(found):
            torch.testing.assert_close(row, torch.full((len(row),), 0.0 if token == target else 2.0))
    if raised:
        assert message in str(raised.value)
