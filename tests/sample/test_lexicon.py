"""The lexicon's tables: words that a case frame names exist, and readings are kana."""

from __future__ import annotations

import re

import pytest

from zarpipe.sample import lexicon
from zarpipe.sample.lexicon import GA, NI, WO, members


def verb(name):
    return next(verb for verb in lexicon.VERBS if verb.name == name)


def test_size():
    assert len(lexicon.NOUNS) > 300
    assert len(lexicon.VERBS) > 150


def test_readings_are_hiragana():
    readings = [noun.reading for noun in lexicon.NOUNS.values()]
    readings += [predicate.word.reading for predicate in (*lexicon.VERBS, *lexicon.ADJECTIVES)]
    assert [reading for reading in readings if not re.fullmatch("[ぁ-んー]+", reading)] == []


def test_words_are_in_the_corpus_encoding():
    for word in [*lexicon.NOUNS, *(predicate.name for predicate in lexicon.VERBS)]:
        assert word.encode("euc_jp").decode("euc_jp") == word


def test_restrictions():
    read = verb("読む")
    assert read.accepts(GA, lexicon.NOUNS["学生"])
    assert read.accepts(WO, lexicon.NOUNS["手紙"])
    assert not read.accepts(WO, lexicon.NOUNS["パン"])
    assert not read.accepts(NI, lexicon.NOUNS["学生"])
    assert verb("売る").optional == {NI}


def test_groups_contain_their_classes():
    assert members("official") < members("human") < members("agent")
    assert members("犬 猫") == {"犬", "猫"}


def test_unknown_name_is_an_error():
    with pytest.raises(KeyError):
        members("no_such_class")


def test_every_verb_has_a_subject_and_every_frame_somebody():
    for predicate in lexicon.VERBS:
        assert GA in predicate.frame
        assert all(nouns for nouns in predicate.frame.values()), predicate.name
