"""Hidden states of a bundle at work: those of the feature files, whatever stands for a token."""

import numpy as np
import pytest
import torch
from tiny_corpora import write_corpus

from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.encode.encoder import encode
from zarpipe.encode.token_states import TokenStates
from zarpipe.formats.features import Features
from zarpipe.mlm.loading import load_mlm
from zarpipe.serve.bundle.states import computed_states

SENTENCES = [["男", "は", "訴えられた"], ["無罪", "に", "なった", "。"], ["走る"], ["男", "は", "訴えられた"]]


@pytest.mark.parametrize(
    ("layers", "pooling"),
    [("last", "first"), ("last", "mean"), ("mean 0-1", "first"), ("mix", "mean"), ("0+1", "first")],
)
def test_hidden_states_are_those_of_the_feature_files(layers, pooling, tiny_mlm, tmp_path):
    mlm = MlmConfig(path=str(tiny_mlm("bert-ja")))
    encoding = EncodingConfig(device="cpu", layers=layers, pooling=pooling)
    corpus = write_corpus(tmp_path / "corpus.parquet", SENTENCES)
    encode(corpus, mlm, encoding, tmp_path / "corpus.h5")
    features = Features.open(tmp_path / "corpus.h5")
    computed = computed_states(TokenStates.of(load_mlm(mlm, encoding), encoding), SENTENCES, 64)
    assert computed.size == features.hidden_size
    assert computed.lengths.tolist() == [len(one) for one in SENTENCES]
    for number, sequence in enumerate(features.instance_sequence):
        expected = torch.from_numpy(features.gather(np.array([sequence]))).float()
        torch.testing.assert_close(computed.gather(np.array([number])), expected, atol=5e-3, rtol=1e-2)
    both = computed.gather(np.array([1, 2]))
    torch.testing.assert_close(both, torch.cat([computed.gather(np.array([one])) for one in (1, 2)]))
