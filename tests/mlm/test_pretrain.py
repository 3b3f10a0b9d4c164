import shutil

import numpy as np
import pytest
import torch

from zarpipe.config import MlmConfig, PretrainingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.mlm import pretrain as module
from zarpipe.mlm.files import MODEL_FILES, PRETRAINED_MARK
from zarpipe.mlm.loading import load_tokenizer
from zarpipe.mlm.pretrain import masked_batch, pretrain, read_sentences
from zarpipe.mlm.subwords import SubwordTokenizer

TINY = PretrainingConfig(layers=1, hidden_size=64, steps=3, batch_size=8, vocabulary_size=150)
TEXT = "学生 が ㈱ を 　 運んだ 。\n山川 は 東京都 の 書類 を 食べた と 思う 。\n\n" * 20


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pretrain")
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    pretrain(folder / "text.txt", folder / "one", TINY)
    return folder


def test_transformers_loads_the_folder(trained):
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(trained / "one")
    assert type(tokenizer).__name__ == "BertJapaneseTokenizer"
    model, report = AutoModelForMaskedLM.from_pretrained(trained / "one", output_loading_info=True)
    assert type(model).__name__ == "BertForMaskedLM"
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    assert model.config.hidden_size == 64
    assert len(tokenizer) == model.config.vocab_size <= 150
    filled = model(**tokenizer("学生が[MASK]を運んだ。", return_tensors="pt")).logits
    assert torch.isfinite(filled).all()


def test_corpus_tokens_are_known_in_the_form_that_encoding_gives_them(trained):
    subwords = SubwordTokenizer(load_tokenizer(MlmConfig(path=str(trained / "one"))))
    known = subwords.pieces(["学生", "㈱", "運んだ", "東京都"])
    assert all(subwords.unknown_id not in pieces.ids for pieces in known)
    assert subwords.pieces(["　"])[0].ids == (subwords.unknown_id,)


def test_the_same_seed_gives_the_same_model(trained):
    pretrain(trained / "text.txt", trained / "two", TINY)
    for name in ("model.safetensors", "vocab.txt", "config.json", "tokenizer_config.json"):
        assert (trained / "one" / name).read_bytes() == (trained / "two" / name).read_bytes()
    pretrain(trained / "text.txt", trained / "three", TINY.model_copy(update={"seed": 2}))
    weights = [(trained / name / "model.safetensors").read_bytes() for name in ("one", "three")]
    assert weights[0] != weights[1]


def test_the_folder_holds_no_machine_path(trained):
    for file in (trained / "one").iterdir():
        assert str(trained).encode() not in file.read_bytes()


def test_an_interrupted_run_leaves_nothing(trained, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_loss", interrupt)
    with pytest.raises(KeyboardInterrupt):
        pretrain(trained / "text.txt", trained / "interrupted", TINY)
    assert [path.name for path in trained.iterdir() if "interrupted" in path.name] == []


def test_a_model_of_another_make_is_not_overwritten(trained):
    foreign = trained / "foreign"
    shutil.copytree(trained / "one", foreign)
    (foreign / PRETRAINED_MARK).unlink()
    before = {path.name: path.read_bytes() for path in foreign.iterdir()}
    with pytest.raises(ZarpipeError, match="exists already"):
        pretrain(trained / "text.txt", foreign, TINY)
    assert {path.name: path.read_bytes() for path in foreign.iterdir()} == before


def test_a_pretrained_model_is_replaced_by_the_next(trained):
    again = trained / "again"
    shutil.copytree(trained / "one", again)
    pretrain(trained / "text.txt", again, TINY.model_copy(update={"seed": 2}))
    assert (again / "model.safetensors").read_bytes() != (trained / "one/model.safetensors").read_bytes()
    assert sorted(path.name for path in again.iterdir()) == sorted(MODEL_FILES)


def test_heads_must_fit_the_hidden_size(trained):
    with pytest.raises(ZarpipeError, match=r"hidden_size.*multiple of 32"):
        pretrain(trained / "text.txt", trained / "odd", TINY.model_copy(update={"hidden_size": 40}))


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "no sentence"), (b"\n \n", "no sentence"), ("学生\n".encode("euc_jp"), ":1: not UTF-8")],
)
def test_texts_that_cannot_be_used(tmp_path, content, message):
    (tmp_path / "text.txt").write_bytes(content)
    with pytest.raises(ZarpipeError, match=message):
        read_sentences(tmp_path / "text.txt")
    with pytest.raises(ZarpipeError, match="cannot read"):
        read_sentences(tmp_path / "none.txt")


def test_tokens_are_cut_at_ascii_spaces_only(tmp_path):
    (tmp_path / "text.txt").write_bytes("あ 　 い\r\nう\u2028え お".encode())
    assert read_sentences(tmp_path / "text.txt") == [["あ", "　", "い"], ["う\u2028え", "お"]]


def test_a_masked_token_is_one_mask_and_its_label_the_first_subword(trained):
    subwords = SubwordTokenizer(load_tokenizer(MlmConfig(path=str(trained / "one"))))
    sentences = [subwords.pieces(["あいう", "が", "学生", "運んだ"])] * 400
    ids, labels = masked_batch(sentences, subwords, 100, np.random.default_rng(1))
    firsts = {pieces.ids[0] for pieces in sentences[0]}
    predicted = labels != -100
    assert set(labels[predicted].tolist()) == firsts
    assert predicted.any(axis=1).all()
    at_predicted = ids[predicted]
    masked = (at_predicted == subwords.mask_id).mean()
    kept = (at_predicted == labels[predicted]).mean()
    assert masked == pytest.approx(0.8, abs=0.05)
    assert kept == pytest.approx(0.1, abs=0.05)
    assert not (ids[~predicted] == subwords.mask_id).any()
