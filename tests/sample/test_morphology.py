"""Conjugation against forms that any grammar of Japanese gives."""

from __future__ import annotations

import pytest

from zarpipe.sample import lexicon
from zarpipe.sample.morphology import (
    ADNOMINAL,
    CAUSATIVE,
    CONDITIONAL,
    IMPERATIVE,
    NEGATIVE_STEM,
    PASSIVE,
    PAST,
    PLAIN,
    STEM,
    TARA,
    TE,
    VOLITIONAL,
    Word,
    inflect,
)

READ = Word("読む", "よむ", "動詞", "子音動詞マ行")
GO = Word("行く", "いく", "動詞", "子音動詞カ行促音便形")
EAT = Word("食べる", "たべる", "動詞", "母音動詞")
COME = Word("来る", "くる", "動詞", "カ変動詞来")
REPORT = Word("する", "する", "動詞", "サ変動詞", ("報告", "ほうこく"))
OLD = Word("古い", "ふるい", "形容詞", "イ形容詞アウオ段")
QUIET = Word("静かだ", "しずかだ", "形容詞", "ナ形容詞")

FORMS = [PLAIN, PAST, TE, STEM, NEGATIVE_STEM, CONDITIONAL, TARA, IMPERATIVE, VOLITIONAL]
PARADIGMS = {
    READ: "よむ よんだ よんで よみ よま よめば よんだら よめ よもう",
    GO: "いく いった いって いき いか いけば いったら いけ いこう",
    EAT: "たべる たべた たべて たべ たべ たべれば たべたら たべろ たべよう",
    COME: "くる きた きて き こ くれば きたら こい こよう",
    REPORT: "ほうこくする ほうこくした ほうこくして ほうこくし ほうこくし ほうこくすれば ほうこくしたら ほうこくしろ ほうこくしよう",
}


def spoken(word: Word, form: str, **how: object) -> str:
    return "".join(part.reading for part in inflect(word, form, **how).morphemes)


@pytest.mark.parametrize("word", PARADIGMS)
def test_paradigm(word):
    assert [spoken(word, form) for form in FORMS] == PARADIGMS[word].split()


@pytest.mark.parametrize(
    ("lemma", "conjugation", "past", "te"),
    [
        ("書く", "子音動詞カ行", "書いた", "書いて"),
        ("泳ぐ", "子音動詞ガ行", "泳いだ", "泳いで"),
        ("話す", "子音動詞サ行", "話した", "話して"),
        ("待つ", "子音動詞タ行", "待った", "待って"),
        ("死ぬ", "子音動詞ナ行", "死んだ", "死んで"),
        ("呼ぶ", "子音動詞バ行", "呼んだ", "呼んで"),
        ("走る", "子音動詞ラ行", "走った", "走って"),
        ("買う", "子音動詞ワ行", "買った", "買って"),
    ],
)
def test_sound_changes_of_consonant_verbs(lemma, conjugation, past, te):
    word = Word(lemma, lemma, "動詞", conjugation)
    assert [spoken(word, PAST), spoken(word, TE)] == [past, te]


@pytest.mark.parametrize(
    ("word", "how", "expected"),
    [
        (READ, {"voice": PASSIVE}, "よまれた"),
        (EAT, {"voice": PASSIVE}, "たべられた"),
        (COME, {"voice": PASSIVE}, "こられた"),
        (REPORT, {"voice": PASSIVE}, "ほうこくされた"),
        (READ, {"voice": CAUSATIVE}, "よませた"),
        (EAT, {"voice": CAUSATIVE}, "たべさせた"),
        (REPORT, {"voice": CAUSATIVE}, "ほうこくさせた"),
        (READ, {"negative": True}, "よまなかった"),
        (REPORT, {"negative": True}, "ほうこくしなかった"),
        (READ, {"progressive": True}, "よんでいた"),
        (REPORT, {"voice": PASSIVE, "negative": True}, "ほうこくされなかった"),
    ],
)
def test_suffixes(word, how, expected):
    assert spoken(word, PAST, **how) == expected


def test_juman_names_of_adjective_forms():
    assert inflect(OLD, ADNOMINAL).morphemes[0].form == "基本形"
    quiet = inflect(QUIET, ADNOMINAL).morphemes[0]
    assert (quiet.surface, quiet.form) == ("静かな", "ダ列基本連体形")
    assert inflect(QUIET, PAST).morphemes[0].form == "ダ列タ形"


def test_predicate_of_a_verbal_noun_is_suru():
    inflected = inflect(REPORT, PAST, voice=PASSIVE)
    assert [part.surface for part in inflected.morphemes] == ["報告", "さ", "れた"]
    assert inflected.predicate == 1
    assert inflected.morphemes[1].lemma == "する"


@pytest.mark.parametrize("predicate", [*lexicon.VERBS, *(verb.predicate for verb in lexicon.CLAUSE_VERBS)])
def test_every_verb_of_the_lexicon_conjugates(predicate):
    for form in FORMS:
        for part in inflect(predicate.word, form).morphemes:
            assert part.surface
            assert part.reading
            assert " " not in part.surface + part.reading
    assert inflect(predicate.word, PLAIN).morphemes[-1].surface == predicate.word.lemma
