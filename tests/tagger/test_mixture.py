"""What epochs see: draws, ratios, stages and dropped tokens."""

import itertools
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import tiny_study
import torch
from tiny_study import train_arguments

from zarpipe.cli import main
from zarpipe.config import TaggerConfig, TrainingConfig
from zarpipe.formats.features import Features
from zarpipe.study.recipe import Mixture
from zarpipe.tagger import loop
from zarpipe.tagger.batches import pack
from zarpipe.tagger.cached import drawn_copies
from zarpipe.tagger.mixture import mixed
from zarpipe.tagger.model import build_model
from zarpipe.task.cases import LABELS

GOLDEN = Path(__file__).parents[1] / "golden" / "training" / "sequences.json"
SECOND_STAGES = [
    sequence
    for sequence in json.loads(GOLDEN.read_text(encoding="utf-8"))
    if sequence["initial_best_f1"] is not None
]
NAMES = ("tagger.safetensors", "thresholds.json", "history.csv")


@pytest.fixture(scope="module")
def draws(study, tmp_path_factory):
    """Feature files of three draws."""
    folder = tmp_path_factory.mktemp("draws")
    paths = [study.variant_features, folder / "draw2.h5", folder / "draw3.h5"]
    for path, scale in zip(paths[1:], (0.25, 0.125), strict=True):
        tiny_study.write_variant_features(path, study.train_features, study.train, scale)
    return paths


def drop(probability):
    return {"use": "drop", "probability": probability}


def parts(train, draws, epochs=(1,), stage=0, **mixture):
    """How often each epoch sees the originals and the copies of each draw."""
    data = mixed(train, drawn_copies(train, list(map(Features.open, draws))), Mixture(**mixture))
    found = [np.bincount(data.members(stage, epoch) // len(train), minlength=4) for epoch in epochs]
    return [tuple((counts / len(train)).tolist()) for counts in found]


def test_what_an_epoch_sees(train, draws):
    assert parts(train, []) == [(1, 0, 0, 0)]
    assert parts(train, [], copies=2) == [(2, 0, 0, 0)]
    assert parts(train, draws[:1]) == [(1, 1, 0, 0)]
    assert parts(train, draws) == [(1, 1, 1, 1)]
    assert parts(train, draws, copies=3, variant_copies=2) == [(3, 2, 2, 2)]
    assert parts(train, [], perturb=drop("0.1")) == [(1, 1, 0, 0)]
    each = parts(train, draws, epochs=(1, 2, 3, 4), per_epoch=True)
    assert each == [(1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1), (1, 1, 0, 0)]
    assert parts(train, draws[:1], stages="masked_first") == [(0, 1, 0, 0)]
    assert parts(train, draws[:1], stage=1, stages="masked_first") == [(1, 0, 0, 0)]


def test_copies_of_every_draw_have_their_own_hidden_states(train, draws):
    features = list(map(Features.open, draws))
    data = mixed(train, drawn_copies(train, features), Mixture())
    for number, draw in enumerate(data.draws):
        alone = mixed(train, drawn_copies(train, [features[number]]), Mixture())
        for mine, its in zip(draw[::7], alone.draws[0][::7], strict=True):
            one, other = (
                pack(encoded, np.array([place]))
                for encoded, place in ((data.encoded, mine), (alone.encoded, its))
            )
            assert torch.equal(one.hidden[one.row], other.hidden[other.row])


def test_dropped_tokens_are_zeros_of_copies_only_and_never_the_target(train):
    data = mixed(train, [], Mixture(perturb=drop("0.4")))
    encoded = data.perturbed(1, 1)
    n, dropped, tokens = len(train), 0, 0
    for place in range(0, 2 * n, 5):
        batch = pack(encoded, np.array([place, (place + n) % (2 * n), place]))
        plain = pack(data.encoded, np.array([place, (place + n) % (2 * n), place]))
        zero = (batch.hidden[batch.row] == 0).all(dim=1)
        same = (batch.hidden[batch.row] == plain.hidden[plain.row]).all(dim=1)
        assert (zero | same).all()
        assert not zero[batch.flags[:, 0] == 1].any()
        dropped, tokens = dropped + int(zero.sum()), tokens + len(zero)
    originals = pack(encoded, np.arange(n))
    assert not (originals.hidden == 0).all(dim=1).any()
    # Half of the instances above are copies; their target predicates are kept.
    assert 0.1 < dropped / tokens < 0.2


def test_dropped_tokens_follow_from_seed_and_epoch(train):
    data = mixed(train, [], Mixture(perturb=drop("0.3")))
    given = [(1, 1), (1, 1), (1, 2), (2, 1)]
    first, again, later, other = (data.perturbed(seed, epoch).zeroed.tokens for seed, epoch in given)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, later)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("sequence", SECOND_STAGES, ids=lambda sequence: sequence["name"])
def test_the_second_stage_equals_golden(train, draws, sequence, monkeypatch, tmp_path):
    """The first stage is never better than after its first epoch; the second gets the golden scores."""
    first = [sequence["initial_best_f1"], *[0.1] * 24]  # six rates of four epochs
    scores = itertools.chain(first, sequence["dev_f1"])

    def scripted(*_):
        return SimpleNamespace(f1=next(scores), thresholds={})

    monkeypatch.setattr(loop, "predict_probabilities", lambda *_: np.zeros(1))
    copies = drawn_copies(train, [Features.open(draws[0])])
    config = TrainingConfig(epochs=sequence["max_epochs"], batch_size=1000)
    tagger = TaggerConfig(layers=1, hidden_size=2)
    training = loop.Training(
        build_model(tagger, train.cached.size, seed=1),
        mixed(train, copies, Mixture(stages="masked_first")),
        train,
        LABELS,
        scripted,
        1000,
        config,
        1,
    )
    state = training.run(lambda _: None, tmp_path / "checkpoint")
    assert next(scores, None) is None
    second = state.history[len(first) :]
    assert [row["event"] for row in second] == [event["event"] for event in sequence["events"]]
    assert [row["learning_rate"] for row in second] == [event["lr_used"] for event in sequence["events"]]
    assert [row["epoch"] for row in state.history] == list(range(1, len(state.history) + 1))
    schedule = state.schedule
    assert (schedule.best_f1, schedule.best_epoch) == (sequence["best_f1"], sequence["best_epoch"])
    assert state.best_epoch == (len(first) + schedule.best_epoch if schedule.best_epoch else 1)


OPTIONS = {
    "decay": ["--patience", "1", "--epochs", "12"],
    "per_epoch": ["--per-epoch", "true"],
    "masked_first": ["--stages", "masked_first", "--patience", "1"],
    "drop": ["--perturb", "{use: drop, probability: 0.2}"],
    "noise": ["--perturb", "{use: noise}"],
    "consistency": ["--consistency", "2"],
    "ratio": ["--copies", "2", "--variant-copies", "3"],
}


@pytest.mark.parametrize("name", OPTIONS)
def test_resuming_after_any_epoch_gives_the_same_weights(study, draws, tmp_path, interrupted, name):
    files = draws[: {"decay": 0, "drop": 0, "per_epoch": 2}.get(name, 1)]
    given = [*(["--variant-features", *map(str, files)] if files else []), "--epochs", "4", *OPTIONS[name]]
    assert main(train_arguments(study, tmp_path / "whole", *given)) == 0
    runs = interrupted(train_arguments(study, tmp_path / "parts", *given))
    whole, resumed = (tmp_path / folder for folder in ("whole", "parts"))
    for file in NAMES:
        assert (resumed / file).read_bytes() == (whole / file).read_bytes()
    history = (whole / "history.csv").read_text(encoding="utf-8")
    assert runs == history.count("\n")
    assert "decay_and_reload" in history or name != "decay"
