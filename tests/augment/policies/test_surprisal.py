"""Policy surprisal: the MLM's probability of each token where it is masked by itself."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from augment.policies.sentences import PREDICATES, WORDS, made_row, row

from zarpipe.augment.policies import surprisal
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.cli import main
from zarpipe.config import Config, EncodingConfig, MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.corpus import CORPUS_SCHEMA, instances_of
from zarpipe.formats.token_probabilities import read_token_probabilities, write_token_probabilities
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


def tokens_of(corpus, file):
    table = pq.read_table(corpus)
    return InstanceTokens(table, instances_of(table), corpus, {}, file)


def test_weights_by_hand(corpus, tmp_path):
    file = tmp_path / "p.parquet"
    given = np.array([*np.arange(10) / 10, 0.25, 0.5, 0.75], np.float32)
    write_token_probabilities(
        file, pa.chunked_array([["d-1", "d-3"]]), np.array([0, 10, 13]), given, file_digest(corpus)
    )
    tokens = tokens_of(corpus, file)
    # The first sentence has two target predicates.
    easy = [*given[:10], *given[:10], *given[10:]]
    assert len(PREDICATES) == 2
    assert surprisal.weights(tokens, surprisal.Options(prefer="easy")) == pytest.approx(easy)
    assert surprisal.weights(tokens, surprisal.Options()) == pytest.approx(1 - np.array(easy))


def test_probabilities_are_those_of_the_model_token_by_token(corpus, tmp_path, tiny_mlm):
    folder, file = str(tiny_mlm("bert-ja")), tmp_path / "p.parquet"
    assert main(["token-probabilities", str(corpus), "--mlm", folder, "--output", str(file)]) == 0
    offsets, found = read_token_probabilities(file, file_digest(corpus))
    assert offsets.tolist() == [0, 10, 13]
    model = load_mlm(MlmConfig(path=folder), EncodingConfig(device="cpu"))
    for sentence, start in ((ROWS[0], 0), (ROWS[2], 10)):
        pieces = model.subwords.pieces(sentence["tokens"])
        for token, own in enumerate(pieces):
            before = [one for piece in pieces[:token] for one in piece.ids]
            after = [one for piece in pieces[token + 1 :] for one in piece.ids]
            ids = [*model.subwords.prefix, *before, model.subwords.mask_id, *after, *model.subwords.suffix]
            with torch.inference_mode():
                hidden = model.hidden(torch.tensor([ids]))[0, len(model.subwords.prefix) + len(before)]
                scores = model.scores(hidden[None])[0].float().softmax(dim=-1)
            entry = own.ids[own.representative]
            expected = 0.0 if entry == model.subwords.unknown_id else float(scores[entry])
            assert found[start + token] == pytest.approx(expected, rel=1e-4, abs=1e-7)


def test_without_the_file_or_with_another_corpus_it_is_refused(corpus, tmp_path, capsys):
    policy = ["--policy", "hard", "--define-policy", "hard: {use: surprisal}", "--alpha", "0.5"]
    given = ["augment", str(corpus), "--method", "masking", *policy, "--output", str(tmp_path / "v.parquet")]
    assert main(given) == 1
    assert "--token-probabilities: found nothing; the policy surprisal needs" in capsys.readouterr().err
    file = tmp_path / "p.parquet"
    write_token_probabilities(
        file, pa.chunked_array([["d-1"]]), np.array([0, 1]), np.ones(1, np.float32), "x"
    )
    assert main([*given, "--token-probabilities", str(file)]) == 1
    assert f"{file}: made from another corpus" in capsys.readouterr().err
    with pytest.raises(ZarpipeError, match="cannot be read as token probabilities"):
        read_token_probabilities(corpus, "x")


def test_one_job_serves_every_policy_that_needs_it():
    policies = {
        "hard": {"use": "surprisal"},
        "easy": {"use": ["surprisal", "content"]},
        "near": {"use": "distance"},
    }
    augmentation = {"policies": list(policies), "alphas": [0.5], "pos_sets": ["all"]}
    study = Study(Config.model_validate({"policies": policies, "augmentation": augmentation}))
    needs = {
        name: {job.name for job in study.jobs.augment(recipes[0].variant).needs}
        for name, recipes in study.grid.policies().items()
        if recipes[0].variant
    }
    assert needs["hard"] == needs["easy"] == {"convert", "token_probabilities"}
    assert needs["near"] == needs["all"] == {"convert"}
