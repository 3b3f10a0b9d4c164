"""Morphemes and conjugation in the JUMAN tagset (the one of the NAIST Text Corpus).

A predicate in a sentence is a few morphemes: a verbal noun before する, the predicate itself, then suffixes
(れる, せる, ない, いる). Only the last of them takes the form that the clause asks for; each one before takes
the form that its follower asks for. ``inflect`` does exactly that.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

# Names of forms, as JUMAN writes them.
PLAIN = "基本形"
PAST = "タ形"
TE = "タ系連用テ形"
STEM = "基本連用形"
NEGATIVE_STEM = "未然形"
CONDITIONAL = "基本条件形"
TARA = "タ系条件形"
IMPERATIVE = "命令形"
VOLITIONAL = "意志形"
ADNOMINAL = "ダ列基本連体形"

ACTIVE, PASSIVE, CAUSATIVE = "active", "passive", "causative"


@dataclass(frozen=True, slots=True)
class Morpheme:
    """One line of the corpus: surface, reading, base form and the four JUMAN fields (``*`` for none)."""

    surface: str
    reading: str
    lemma: str
    pos: str
    pos_sub: str = "*"
    conjugation: str = "*"
    form: str = "*"


@dataclass(frozen=True, slots=True)
class Inflected:
    """The morphemes of one predicate; ``predicate`` is the index of the one that is annotated."""

    morphemes: tuple[Morpheme, ...]
    predicate: int


# Consonant-stem verbs: conjugation class -> the kana that follow the stem in
# 未然形, 基本連用形, 基本形, 基本条件形 and 命令形, 意志形, and the タ形 (た or だ at its end).
_CONSONANT_ROWS: dict[str, tuple[str, str, str, str, str, str]] = {
    "子音動詞カ行": ("か", "き", "く", "け", "こ", "いた"),
    "子音動詞カ行促音便形": ("か", "き", "く", "け", "こ", "った"),
    "子音動詞ガ行": ("が", "ぎ", "ぐ", "げ", "ご", "いだ"),
    "子音動詞サ行": ("さ", "し", "す", "せ", "そ", "した"),
    "子音動詞タ行": ("た", "ち", "つ", "て", "と", "った"),
    "子音動詞ナ行": ("な", "に", "ぬ", "ね", "の", "んだ"),
    "子音動詞バ行": ("ば", "び", "ぶ", "べ", "ぼ", "んだ"),
    "子音動詞マ行": ("ま", "み", "む", "め", "も", "んだ"),
    "子音動詞ラ行": ("ら", "り", "る", "れ", "ろ", "った"),
    "子音動詞ワ行": ("わ", "い", "う", "え", "お", "った"),
}
VOWEL, SURU, KURU = "母音動詞", "サ変動詞", "カ変動詞来"
I_ADJECTIVES = ("イ形容詞アウオ段", "イ形容詞イ段")
NA_ADJECTIVES = ("ナ形容詞", "ナノ形容詞")
COPULA = "判定詞"

# Whole forms of the irregular verbs, as (surface, reading).
_SURU: dict[str, str] = {
    PLAIN: "する",
    PAST: "した",
    TE: "して",
    STEM: "し",
    NEGATIVE_STEM: "し",
    CONDITIONAL: "すれば",
    TARA: "したら",
    IMPERATIVE: "しろ",
    VOLITIONAL: "しよう",
}
_KURU: dict[str, tuple[str, str]] = {
    PLAIN: ("来る", "くる"),
    PAST: ("来た", "きた"),
    TE: ("来て", "きて"),
    STEM: ("来", "き"),
    NEGATIVE_STEM: ("来", "こ"),
    CONDITIONAL: ("来れば", "くれば"),
    TARA: ("来たら", "きたら"),
    IMPERATIVE: ("来い", "こい"),
    VOLITIONAL: ("来よう", "こよう"),
}
_VOWEL_ENDINGS: dict[str, str] = {
    PLAIN: "る",
    PAST: "た",
    TE: "て",
    STEM: "",
    NEGATIVE_STEM: "",
    CONDITIONAL: "れば",
    TARA: "たら",
    IMPERATIVE: "ろ",
    VOLITIONAL: "よう",
}
_I_ENDINGS: dict[str, str] = {
    PLAIN: "い",
    PAST: "かった",
    TE: "くて",
    STEM: "く",
    CONDITIONAL: "ければ",
    TARA: "かったら",
    ADNOMINAL: "い",
}
# ナ形容詞 and the copula: form asked for -> (ending, JUMAN's name of the form).
_NA_ENDINGS: dict[str, tuple[str, str]] = {
    PLAIN: ("だ", PLAIN),
    PAST: ("だった", "ダ列タ形"),
    TE: ("で", "ダ列タ系連用テ形"),
    STEM: ("に", "ダ列基本連用形"),
    ADNOMINAL: ("な", ADNOMINAL),
    CONDITIONAL: ("であれば", "デアル列基本条件形"),
    TARA: ("だったら", "ダ列タ系条件形"),
}


def conjugate(
    lemma: str, reading: str, pos: str, conjugation: str, form: str, pos_sub: str = "*"
) -> Morpheme:
    """Return the morpheme of ``lemma`` (base form and its reading) in ``form``.

    ``form`` is one of the constants of this module; adjectives that have one word for two of them (高い
    before a noun) answer with JUMAN's name for it. Raises KeyError for a form that the class lacks.
    """
    ending_of_lemma, ending, name = _endings(conjugation, form)
    if conjugation == KURU:
        surface, sound = _KURU[form]
        return Morpheme(lemma[:-2] + surface, reading[:-2] + sound, lemma, pos, pos_sub, conjugation, form)
    cut = len(ending_of_lemma)
    return Morpheme(
        lemma[: len(lemma) - cut] + ending,
        reading[: len(reading) - cut] + ending,
        lemma,
        pos,
        pos_sub,
        conjugation,
        name,
    )


def _endings(conjugation: str, form: str) -> tuple[str, str, str]:
    """Return what is cut off the base form, what is put there, and the name of the form."""
    if conjugation == KURU:
        return "", "", form
    if conjugation == SURU:
        return "する", _SURU[form], form
    if conjugation == VOWEL:
        return "る", _VOWEL_ENDINGS[form], form
    if conjugation in I_ADJECTIVES:
        return "い", _I_ENDINGS[form], PLAIN if form == ADNOMINAL else form
    if conjugation in NA_ADJECTIVES or conjugation == COPULA:
        return "だ", *_NA_ENDINGS[form]
    return _consonant_endings(conjugation, form)


def _consonant_endings(conjugation: str, form: str) -> tuple[str, str, str]:
    a, i, u, e, o, past = _CONSONANT_ROWS[conjugation]
    endings = {
        PLAIN: u,
        PAST: past,
        TE: past.translate(str.maketrans("ただ", "てで")),
        STEM: i,
        NEGATIVE_STEM: a,
        CONDITIONAL: e + "ば",
        TARA: past + "ら",
        IMPERATIVE: e,
        VOLITIONAL: o + "う",
    }
    return u, endings[form], form


@dataclass(frozen=True, slots=True)
class Word:
    """A word that conjugates: base form, its reading, part of speech and class.

    ``verbal_noun`` is the サ変名詞 before する as (surface, reading), else None.
    """

    lemma: str
    reading: str
    pos: str
    conjugation: str
    verbal_noun: tuple[str, str] | None = None


@functools.cache
def inflect(
    word: Word, form: str, voice: str = ACTIVE, negative: bool = False, progressive: bool = False
) -> Inflected:
    """Return ``word`` with the suffixes of its voice, aspect and polarity, the last one in ``form``."""
    suffixes: list[tuple[str, str, str, str]] = []  # base form, sub part of speech, class, form before it
    if voice != ACTIVE:
        suffixes.append((_voice_suffix(word.conjugation, voice), "動詞性接尾辞", VOWEL, NEGATIVE_STEM))
    if progressive:
        suffixes.append(("いる", "動詞性接尾辞", VOWEL, TE))
    if negative:
        suffixes.append(("ない", "形容詞性述語接尾辞", "イ形容詞アウオ段", NEGATIVE_STEM))
    forms = [before for _, _, _, before in suffixes] + [form]
    head = conjugate(word.lemma, word.reading, word.pos, word.conjugation, forms[0])
    if word.conjugation == SURU and voice != ACTIVE:
        head = Morpheme("さ", "さ", word.lemma, word.pos, "*", SURU, NEGATIVE_STEM)
    tail = [
        conjugate(base, base, "接尾辞", conjugation, wanted, pos_sub)
        for (base, pos_sub, conjugation, _), wanted in zip(suffixes, forms[1:], strict=True)
    ]
    if word.verbal_noun is None:
        return Inflected((head, *tail), 0)
    surface, reading = word.verbal_noun
    return Inflected((Morpheme(surface, reading, surface, "名詞", "サ変名詞"), head, *tail), 1)


def _voice_suffix(conjugation: str, voice: str) -> str:
    short = conjugation not in (VOWEL, KURU)
    if voice == PASSIVE:
        return "れる" if short else "られる"
    return "せる" if short else "させる"
