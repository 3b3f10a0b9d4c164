"""Layers and pooling: rows of the cache against plain forward passes, and what may not be put together."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tiny_corpora import write_corpus

from zarpipe.cli import main
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.encode.encoder import encode
from zarpipe.encode.token_states import TokenStates
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import read_instances
from zarpipe.formats.features import Features
from zarpipe.formats.tagger import WEIGHTS_NAME, read_tensors
from zarpipe.mlm.loading import load_mlm
from zarpipe.tagger.cached import CachedStates, encoded_instances
from zarpipe.tagger.inference import predict_probabilities
from zarpipe.tagger.model import MixedLayers
from zarpipe.tagger.weights import read_tagger

SENTENCES = [
    ["東京都", "の", "学生", "が", "書類", "を", "食べた", "。"],
    ["　", "㈱", "山川", "が", "運んだ"],
    ["東京都葛城", "の", "編集者", "が", "人々名詞", "を", "食べた", "。"],
]
CPU = {"device": "cpu"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    return write_corpus(folder / "train.parquet", SENTENCES, [[6], [4], [6, 2]])


def encoded(corpus, mlm, output, **encoding):
    encode(corpus, MlmConfig(path=str(mlm)), EncodingConfig(**CPU, **encoding), output)
    return Features.open(output)


def by_hand(mlm, tokens):
    """Every layer's hidden states of one sentence by itself, [L, t, D], and where each token's subwords are."""
    pieces = mlm.subwords.pieces(tokens)
    ids, spans = list(mlm.subwords.prefix), []
    for piece in pieces:
        spans.append((len(ids) + piece.representative, len(ids) + len(piece.ids)))
        ids += piece.ids
    with torch.inference_mode():
        output = mlm.model.base_model(
            input_ids=torch.tensor([ids + mlm.subwords.suffix]), output_hidden_states=True
        )
    assert torch.equal(output.hidden_states[-1], output.last_hidden_state)
    return torch.cat(output.hidden_states).numpy(), spans


def rows_by_hand(mlm, tokens, layers, pooling):
    states, spans = by_hand(mlm, tokens)
    layer_rows = {
        "last": states[-1],
        "0": states[0],
        "1+2": np.concatenate([states[1], states[2]], axis=1),
        "mean 1-2": (states[1] + states[2]) / 2,
        "mix": np.concatenate(list(states), axis=1),
    }[layers]
    if pooling == "first":
        spans = [(first, first + 1) for first, _ in spans]
    return np.stack([layer_rows[first:end].mean(axis=0) for first, end in spans])


@pytest.mark.parametrize("kind", ["bert-ja", "xlm-roberta", "modernbert"])
@pytest.mark.parametrize(
    ("layers", "pooling"),
    [("0", "first"), ("1+2", "first"), ("mean 1-2", "mean"), ("mix", "first"), ("last", "mean")],
)
def test_rows_are_those_of_a_plain_forward_pass(tiny_mlm, corpus, tmp_path, kind, layers, pooling):
    features = encoded(corpus, tiny_mlm(kind), tmp_path / "train.h5", layers=layers, pooling=pooling)
    mlm = load_mlm(MlmConfig(path=str(tiny_mlm(kind))), EncodingConfig(**CPU))
    assert features.hidden_size == 32 * {"1+2": 2, "mix": 3}.get(layers, 1)
    for sentence, number in zip((0, 1, 2), features.instance_sequence.tolist(), strict=False):
        found = features.hidden[features.offsets[number] : features.offsets[number + 1]].astype(np.float32)
        expected = rows_by_hand(mlm, SENTENCES[sentence], layers, pooling)
        np.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-3)


def test_a_token_that_its_window_cuts_is_the_mean_of_what_the_window_has(tiny_mlm, tmp_path):
    """Eight positions take six subwords; the second sentence's token has more of its own."""
    corpus = write_corpus(tmp_path / "c.parquet", [["名詞" * 4, "が"]], [[1]])
    features = encoded(corpus, tiny_mlm("bert-ja", 8), tmp_path / "o.h5", pooling="mean")
    mlm = load_mlm(MlmConfig(path=str(tiny_mlm("bert-ja", 8))), EncodingConfig(**CPU))
    ids = mlm.subwords.pieces(["名詞" * 4])[0].ids
    assert len(ids) == 8
    with torch.inference_mode():
        window = mlm.hidden(torch.tensor([[*mlm.subwords.prefix, *ids[:6], *mlm.subwords.suffix]]))
    np.testing.assert_allclose(features.hidden[0], window[0, 1:7].mean(dim=0), rtol=2e-3, atol=2e-3)


def test_what_is_as_in_the_paper_is_not_written_down(tiny_mlm, corpus, tmp_path):
    features = encoded(corpus, tiny_mlm("bert-ja"), tmp_path / "train.h5")
    assert not {"layers", "pooling", "mixed_layers"} & set(features.provenance)
    mixed = encoded(corpus, tiny_mlm("bert-ja"), tmp_path / "mix.h5", layers="mix", pooling="mean").provenance
    assert (mixed["layers"], mixed["pooling"], mixed["mixed_layers"]) == ("mix", "mean", 3)


def test_a_layer_that_the_model_lacks(tiny_mlm):
    mlm = load_mlm(MlmConfig(path=str(tiny_mlm("bert-ja"))), EncodingConfig(**CPU))
    with pytest.raises(ZarpipeError, match=r"encoding\.layers: found 1\+3; .* has the layers 0 .* to 2$"):
        TokenStates.of(mlm, EncodingConfig(layers=[1, 3]))


@pytest.fixture(scope="module")
def mixed(tiny_mlm, corpus, tmp_path_factory):
    """Features of all layers, and a tagger that has learned to mix them."""
    folder = tmp_path_factory.mktemp("mixed")
    for layers in ("mix", "last"):
        encoded(corpus, tiny_mlm("bert-ja"), folder / f"{layers}.h5", layers=layers)
    assert main(train_arguments(corpus, folder, "mix", "mix")) == 0
    return folder


def train_arguments(corpus, folder, features, dev):
    return [
        *("train", "--corpus", str(corpus), "--features", str(folder / f"{features}.h5")),
        *("--dev-corpus", str(corpus), "--dev-features", str(folder / f"{dev}.h5")),
        *("--output", str(folder / "tagger"), "--seed", "1", "--epochs", "3"),
        *("--layers", "2", "--hidden-size", "8", "--device", "cpu"),
    ]


def test_a_tagger_learns_the_weights_of_the_layers(mixed):
    weights, metadata = read_tensors(mixed / "tagger" / WEIGHTS_NAME)
    assert metadata["provenance"]["mixed_layers"] == 3
    assert weights["layer_weights"].shape == (3,)
    assert weights["layer_weights"].abs().max() > 0
    assert weights["scale"] != 1
    assert weights["tagger.layers.0.weight_ih_l0"].shape == (24, 32 + 2)


def test_its_decisions_are_those_of_the_mean(mixed, corpus):
    """The same tagger, given a cache that holds the mean already."""
    tagger = read_tagger(mixed / "tagger").model
    assert isinstance(tagger, MixedLayers)
    features = Features.open(mixed / "mix.h5")
    instances = read_instances(corpus)
    found = predict_probabilities(tagger, encoded_instances(instances, CachedStates((features,))), 8)
    weights = (tagger.scale * tagger.layer_weights.softmax(dim=0)).detach().numpy()
    mean = np.einsum("nld,l->nd", features.hidden.reshape(-1, 3, 32).astype(np.float32), weights)
    plain = Features(**{**vars(features), "hidden": mean, "provenance": {}})
    expected = predict_probabilities(
        tagger.tagger, _exactly(encoded_instances(instances, CachedStates((plain,))), mean), 8
    )
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def _exactly(instances, rows):
    """Instances whose hidden states are these rows in full precision."""

    class Exact(CachedStates):
        def gather(self, sequences):
            offsets = self.originals.offsets
            return torch.from_numpy(np.concatenate([rows[offsets[s] : offsets[s + 1]] for s in sequences]))

    return replace(instances, hidden_states=Exact(instances.hidden_states.files))


def test_what_was_made_in_another_way_is_refused(mixed, corpus, tiny_mlm, tmp_path, capsys):
    assert main(train_arguments(corpus, mixed, "mix", "last")) == 1
    assert "last.h5: made with encoding.layers last, " in capsys.readouterr().err
    prediction = ["predict", "--corpus", str(corpus), "--features", str(mixed / "last.h5")]
    prediction += ["--tagger", str(mixed / "tagger")]
    assert main([*prediction, "--output", str(tmp_path / "dev.parquet")]) == 1
    assert "tagger with mix; encode both in the same way" in capsys.readouterr().err
    with pytest.raises(ZarpipeError, match=r"last.h5: made with another layers \(last, now mix\)"):
        encode(
            corpus,
            MlmConfig(path=str(tiny_mlm("bert-ja"))),
            EncodingConfig(**CPU, layers="mix"),
            tmp_path / "v.h5",
            originals=mixed / "last.h5",
        )
