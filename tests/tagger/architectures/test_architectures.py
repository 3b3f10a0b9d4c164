"""What every architecture of the table owes: the protocol, training, checkpoints, its file, prediction."""

import csv
import json
import operator
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from tiny_study import HIDDEN_SIZE, predict_arguments, train_arguments

from zarpipe.cli import main
from zarpipe.config import TaggerConfig
from zarpipe.config.tagger import ARCHITECTURES, trains_the_mlm
from zarpipe.errors import ZarpipeError
from zarpipe.formats.probabilities import read_probabilities
from zarpipe.formats.tagger import WEIGHTS_NAME, read_tensors, write_tensors
from zarpipe.tagger.batches import pack
from zarpipe.tagger.model import batch_loss, build_model
from zarpipe.tagger.weights import read_tagger
from zarpipe.task.cases import LABELS


def config_of(architecture):
    return TaggerConfig(architecture=architecture, layers=2, hidden_size=12)


@pytest.fixture(params=[name for name in ARCHITECTURES if not trains_the_mlm(name)])
def architecture(request):
    return request.param


@pytest.fixture(scope="module")
def trained(study, tmp_path_factory):
    """A function that gives a trained tagger's folder of an architecture."""
    folders = {}

    def train(architecture):
        if architecture not in folders:
            output = tmp_path_factory.mktemp(architecture) / "tagger"
            more = ["--architecture", architecture, "--seed", "1", "--epochs", "8"]
            assert main(train_arguments(study, output, *more)) == 0
            folders[architecture] = output
        return folders[architecture]

    return train


def test_forward_gives_log_probabilities_of_every_token(train, architecture):
    batch = pack(train, np.arange(30))
    model = build_model(config_of(architecture), train.hidden_states.size, seed=1)
    found = model(batch)
    assert found.shape == (len(batch.row), LABELS)
    torch.testing.assert_close(found.exp().sum(dim=1), torch.ones(len(batch.row)))
    batch_loss(found, batch).backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_initial_weights_follow_from_the_seed_alone(architecture):
    config = config_of(architecture)
    one = build_model(config, 3, seed=5).state_dict()
    torch.rand(7)
    again, other = build_model(config, 3, seed=5).state_dict(), build_model(config, 3, seed=6).state_dict()
    assert all(torch.equal(one[name], again[name]) for name in one)
    assert not torch.equal(one["output.weight"], other["output.weight"])
    assert "output.bias" not in one


def test_it_learns_and_its_file_says_what_it_is(trained, architecture):
    folder = trained(architecture)
    rows = list(csv.DictReader((folder / "history.csv").open(encoding="utf-8")))
    assert float(rows[-1]["loss"]) < float(rows[0]["loss"])
    _, metadata = read_tensors(folder / WEIGHTS_NAME)
    assert metadata["config"]["architecture"] == architecture
    assert metadata["input_size"] == HIDDEN_SIZE
    assert metadata["hidden_states"] == "cached"
    assert type(read_tagger(folder).model) is type(build_model(config_of(architecture), 1))


def test_it_predicts(study, trained, architecture, tmp_path):
    assert main(predict_arguments(study, trained(architecture), tmp_path / "dev.parquet")) == 0
    probabilities = read_probabilities(tmp_path / "dev.probabilities.h5")
    assert probabilities.values.shape[1] == LABELS
    assert np.allclose(probabilities.values.sum(axis=1), 1, atol=1e-5)


def test_an_interrupted_training_goes_on_to_the_same_weights(
    study, trained, architecture, tmp_path, interrupted
):
    arguments = ["--architecture", architecture, "--seed", "1", "--epochs", "8"]
    assert interrupted(train_arguments(study, tmp_path / "tagger", *arguments)) == 9
    again, whole = (folder / WEIGHTS_NAME for folder in (tmp_path / "tagger", trained(architecture)))
    assert again.read_bytes() == whole.read_bytes()


NEEDED = ("config", "thresholds", "provenance", "input_size")
LACKS = "not a tagger of zarpipe: its metadata lack "
UNKNOWN = (
    r"tagger\.architecture: found 'bigrus'; expected 'bigru', 'linear' or 'finetuned'; did you mean 'bigru'\?"
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *((operator.methodcaller("pop", name), LACKS + name) for name in NEEDED),
        (lambda told: told.update(hidden_states="dreamt"), "'dreamt'; expected one of cached, live"),
        (lambda told: told["config"].update(architecture="bigrus"), UNKNOWN),
        (
            lambda told: told["config"].update(architecture="linear"),
            "its weights do not fit its configuration",
        ),
    ],
)
def test_a_file_that_says_something_else_is_refused(trained, tmp_path, change, message):
    weights, metadata = read_tensors(trained("bigru") / WEIGHTS_NAME)
    change(metadata)
    write_tensors(tmp_path / WEIGHTS_NAME, weights, metadata)
    with pytest.raises(ZarpipeError, match=message):
        read_tagger(tmp_path)


def test_the_configuration_knows_the_names_without_torch():
    code = (
        "import sys, json; from zarpipe.config import TaggerConfig; "
        "TaggerConfig(architecture='linear'); print(json.dumps('torch' in sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=os.environ)
    assert json.loads(found.stdout) is False
