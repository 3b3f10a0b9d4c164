"""The embedded default and the tool that makes it."""

import json
import random

import numpy as np
import pytest
from made import lexicon
from made.discourse import Discourse, Memory
from made.documents import make_document, write_documents
from made.events import Event
from made.grammar import ClauseShape, Grammar
from made.lexicon import GA, WO
from made.tree import Bunsetsu, Entity, Token, sentence_of
from made.words import in_words
from pretrain import Settings, masked_batch, pretrain

from zarpipe.cli import main
from zarpipe.config import MlmConfig
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.corpus_tags import tagset_of
from zarpipe.mlm.loading import load_tokenizer
from zarpipe.mlm.subwords import SubwordTokenizer
from zarpipe.readers import unidic
from zarpipe.sample import CORPUS, MODEL


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    assert main(["convert", str(CORPUS), "--format", "ntc", "--output", str(folder)]) == 0
    return {split: read_corpus(folder / f"{split}.parquet") for split in ("train", "dev", "test")}


@pytest.fixture(scope="module")
def subwords():
    return SubwordTokenizer(load_tokenizer(MlmConfig(path=str(MODEL))))


def test_the_tool_makes_the_committed_corpus_which_is_small(tmp_path):
    write_documents(tmp_path)
    made, committed = ({one.name: one.read_bytes() for one in of.iterdir()} for of in (tmp_path, CORPUS))
    assert made == committed
    files = [file for folder in (CORPUS, MODEL) for file in folder.iterdir()]
    assert sum(file.stat().st_size for file in files) < 4_000_000


def test_sizes_and_tagset(converted):
    documents = {split: len(set(rows["doc_id"].to_pylist())) for split, rows in converted.items()}
    assert documents == {"train": 100, "dev": 40, "test": 40}
    assert {tagset_of(rows) for rows in converted.values()} == {"unidic"}


def test_words_are_those_of_raw_text_and_no_predicate_is_an_auxiliary(converted):
    pos = set()
    for sentence in converted["dev"].to_pylist():
        words = unidic.words("".join(sentence["tokens"]))
        assert [word[0] for word in words] == sentence["tokens"]
        assert [word[2] for word in words] == sentence["pos"]
        pos |= {sentence["pos"][predicate["token"]] for predicate in sentence["predicates"]}
    assert pos == {"動詞", "形容詞", "形状詞", "名詞"}


def test_the_model_knows_the_words_of_the_corpus(converted, subwords):
    words = sorted(
        {word for rows in converted.values() for one in rows["tokens"].to_pylist() for word in one}
    )
    pieces = zip(words, subwords.pieces(words), strict=True)
    assert [word for word, those in pieces if subwords.unknown_id in those.ids] == []
    config = json.loads((MODEL / "config.json").read_text(encoding="utf-8"))
    assert (config["hidden_size"], config["num_hidden_layers"]) == (128, 2)


def clause(verb, **roles):
    """A clause about entities named by their nouns, and these."""
    entities = {case: Entity(lexicon.NOUNS[noun], known=True) for case, noun in roles.items()}
    grammar = Grammar(Discourse(random.Random(0), lexicon.SCENES[0]), Memory())
    predicate = next(one for one in lexicon.VERBS if one.name == verb)
    return grammar.clause(Event(predicate, entities), ClauseShape(bare=True)), entities


def test_an_annotation_goes_to_the_content_word():
    node, entities = clause("読む", **{GA: "編集者", WO: "報告書"})
    words = {token.surface: token for token in in_words(sentence_of(node)).tokens()}
    assert "".join(words) == "編集者が報告書を読んだ"
    assert words["編集"].entity is entities[GA]
    assert words["報告"].entity is entities[WO]
    assert words["読ん"].annotation.arguments == entities
    assert words["だ"].annotation is None


@pytest.mark.parametrize(
    ("phrases", "why"),
    [
        ((("そ",), ("の", "日")), "その is one word"),
        ((("編", "集"),), "two mentions in one word"),
        ((("とても",),), "an adverb is no mention"),
    ],
)
def test_what_words_cannot_carry_is_refused(phrases, why):
    units = [[Token(part, Entity(lexicon.NOUNS["客"])) for part in phrase] for phrase in phrases]
    root = Bunsetsu(units[-1], [Bunsetsu(tokens) for tokens in units[:-1]])
    assert in_words(sentence_of(root)) is None, why


def test_a_document_follows_from_its_seed():
    one, two, three = ([[t.surface for t in s.tokens()] for s in make_document(seed)] for seed in "aab")
    assert one == two != three


def test_pretraining(tmp_path):
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    sentences = [
        ["学生", "が", "㈱", "を", "運ん", "だ"],
        ["山川", "は", "東京", "の", "書類", "を", "見", "た"],
    ] * 20
    tiny = Settings(layers=1, hidden_size=64, steps=3, batch_size=8, vocabulary_size=150)
    for name in ("one", "two"):
        pretrain(sentences, tmp_path / name, tiny)
    model, report = AutoModelForMaskedLM.from_pretrained(tmp_path / "one", output_loading_info=True)
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    assert len(AutoTokenizer.from_pretrained(tmp_path / "one")) == model.config.vocab_size <= 150
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
        assert str(tmp_path).encode() not in file.read_bytes()


def test_a_masked_token_is_one_mask_and_its_label_the_first_subword(subwords):
    sentences = [subwords.pieces(["いろは", "が", "学生", "運ん"])] * 400
    ids, labels = masked_batch(sentences, subwords, 100, np.random.default_rng(1))
    firsts = {pieces.ids[0] for pieces in sentences[0]}
    predicted = labels != -100
    assert set(labels[predicted].tolist()) == firsts
    assert predicted.any(axis=1).all()
    at_predicted = ids[predicted]
    assert (at_predicted == subwords.mask_id).mean() == pytest.approx(0.8, abs=0.05)
    assert (at_predicted == labels[predicted]).mean() == pytest.approx(0.1, abs=0.05)
    assert not (ids[~predicted] == subwords.mask_id).any()
