"""Policy surprisal: the MLM's probability of each token where it is masked by itself."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from augment.policies.sentences import PREDICATES, WORDS, made_row, row

from zarpipe.augment.policies import surprisal
from zarpipe.augment.policies.tokens import InstanceTokens, MlmRun
from zarpipe.cli import main
from zarpipe.config import Config, EncodingConfig, MlmConfig
from zarpipe.formats.corpus import CORPUS_SCHEMA, instances_of
from zarpipe.mlm.loading import load_mlm
from zarpipe.study.study import Study

ROWS = [
    made_row("d-1"),
    row("d-2", WORDS[:3], [1, -1], {}),  # without a predicate
    row("d-3", WORDS[2:5], [1, -1], {1: []}) | {"bunsetsu": [0, 0, 1]},
]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "train.parquet"
    pq.write_table(pa.Table.from_pylist(ROWS, schema=CORPUS_SCHEMA), path)
    return path


def tokens_of(corpus, mlm=None):
    table = pq.read_table(corpus)
    return InstanceTokens(table, instances_of(table), corpus, {}, mlm)


def test_weights_are_the_probabilities_of_the_model_token_by_token(corpus, tiny_mlm):
    mlm, encoding = MlmConfig(path=str(tiny_mlm("bert-ja"))), EncodingConfig(device="cpu")
    tokens = tokens_of(corpus, MlmRun(mlm, encoding, 1))
    model = load_mlm(mlm, encoding)
    one, other = (list(probabilities_by_hand(model, ROWS[row]["tokens"])) for row in (0, 2))
    # The first sentence has two target predicates.
    easy = np.array([*one, *one, *other])
    assert len(PREDICATES) == 2
    assert surprisal.weights(tokens, surprisal.Options(prefer="easy")) == pytest.approx(
        easy, rel=1e-4, abs=1e-7
    )
    assert surprisal.weights(tokens, surprisal.Options()) == pytest.approx(1 - easy, rel=1e-4, abs=1e-7)


def probabilities_by_hand(model, words):
    """Run the model once for each token, without batches."""
    pieces = model.subwords.pieces(words)
    for token, own in enumerate(pieces):
        before = [one for piece in pieces[:token] for one in piece.ids]
        after = [one for piece in pieces[token + 1 :] for one in piece.ids]
        ids = [*model.subwords.prefix, *before, model.subwords.mask_id, *after, *model.subwords.suffix]
        with torch.inference_mode():
            hidden = model.hidden(torch.tensor([ids]))[0, len(model.subwords.prefix) + len(before)]
            scores = model.scores(hidden[None])[0].float().softmax(dim=-1)
        entry = own.ids[own.representative]
        yield 0.0 if entry == model.subwords.unknown_id else float(scores[entry])


def test_the_command_asks_the_model_it_is_given(corpus, tmp_path, capsys, tiny_mlm):
    policy = ["--policy", "hard", "--define-policy", "hard: {use: surprisal}", "--alpha", "0.5"]
    given = ["augment", str(corpus), "--method", "masking", *policy, "--output", str(tmp_path / "v.parquet")]
    assert main(given) == 1
    assert "the policy surprisal needs a masked language model: give it with --mlm" in capsys.readouterr().err
    assert main([*given, "--mlm", str(tiny_mlm("bert-ja"))]) == 0
    assert pq.read_table(tmp_path / "v.parquet").num_rows == 3


def test_only_policies_that_need_the_model_wait_for_it():
    policies = {
        "hard": {"use": "surprisal"},
        "easy": {"use": ["surprisal", "content"]},
        "near": {"use": "distance"},
    }
    augmentation = {"policies": list(policies), "alphas": [0.5], "pos_sets": ["all"]}
    study = Study(Config.model_validate({"policies": policies, "augmentation": augmentation}))
    needs = {
        name: {job.rule for job in study.jobs.augment(recipes[0].variant).reads}
        for name, recipes in study.grid.policies().items()
        if recipes[0].variant
    }
    assert needs["hard"] == needs["easy"] == {"convert", "describe_mlm"}
    assert needs["near"] == needs["all"] == {"convert"}
