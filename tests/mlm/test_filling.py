"""The MLM's words for masked tokens."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from zarpipe.augment.cda import predict_replacements
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.formats.corpus import CORPUS_SCHEMA
from zarpipe.mlm.filling import top_words
from zarpipe.mlm.loading import load_mlm

SENTENCES = [["東京", "の", "学生", "が", "食べた"], ["店員", "が", "運んだ"], ["山川", "は", "待", "た"]]
MASKED = [[0, 2], [], [1, 2]]


@pytest.fixture(scope="module", params=["bert-ja", "xlm-roberta"])
def mlm(request, tiny_mlm):
    return MlmConfig(path=str(tiny_mlm(request.param)))


def test_the_first_word_is_what_cda_picks(mlm, tmp_path):
    """CDA with multi and argmax is the reference."""
    rows = [
        {
            "doc_id": "d",
            "sent_id": str(number),
            "tokens": tokens,
            "lemmas": tokens,
            "pos": tokens,
            "pos_sub": tokens,
        }
        | {"bunsetsu": list(range(len(tokens))), "heads": [-1] * len(tokens)}
        | {"predicates": [{"token": len(tokens) - 1, "alt": None, "arguments": []}]}
        for number, tokens in enumerate(SENTENCES)
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=CORPUS_SCHEMA), tmp_path / "corpus.parquet")
    offsets = np.array([0, 2, 2, 4])
    picked = predict_replacements(
        tmp_path / "corpus.parquet", offsets, np.array([0, 2, 1, 2]), mlm, EncodingConfig(device="cpu")
    )
    words = ask(mlm, count=1)
    assert [[word.text for (word,) in of_sentence] for of_sentence in words] == [
        picked.texts[:2],
        [],
        picked.texts[2:],
    ]
    given = [word.probability for of_sentence in words for (word,) in of_sentence]
    np.testing.assert_allclose(given, picked.probabilities, rtol=1e-5)


def test_words_come_from_the_most_probable_on_without_special_tokens(mlm):
    model = load_mlm(mlm, EncodingConfig(device="cpu"))
    special = {model.subwords.text(entry) for entry in model.subwords.never_picked}
    (words, *_), *_ = ask(mlm, count=40)
    probabilities = [word.probability for word in words]
    assert probabilities == sorted(probabilities, reverse=True)
    assert 0 < sum(probabilities) < 1
    assert not special & {word.text for word in words}
    assert len({word.text for word in words}) == 40


def ask(mlm, count):
    return top_words(load_mlm(mlm, EncodingConfig(device="cpu")), SENTENCES, MASKED, count, 64)
