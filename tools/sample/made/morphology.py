"""Conjugation: verbs and adjectives with the suffixes of voice, aspect and polarity behind them.

A predicate is made of parts: a verbal noun before する, the predicate itself, then suffixes (れる, せる,
ない, いる). Only the last of them takes the form that the clause asks for; each one before takes the one that
its follower asks for. Where MeCab cuts them is settled later (`made.words`).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

PLAIN, PAST, TE, STEM, NEGATIVE_STEM = "plain", "past", "te", "stem", "negative"
CONDITIONAL, TARA, IMPERATIVE, VOLITIONAL, ADNOMINAL = "if", "tara", "imperative", "volitional", "adnominal"
ACTIVE, PASSIVE, CAUSATIVE = "active", "passive", "causative"

# Classes: the kana row of a consonant-stem verb, or one of these.
GO, VOWEL, SURU, KURU, I_ADJECTIVE, NA_ADJECTIVE = "促", "一", "する", "来", "イ", "ナ"

# Row -> what stands after the stem: before ない, stem, base form, before ば and as order, before う, past.
_CONSONANT_ROWS = {
    "カ": "か き く け こ いた",
    GO: "か き く け こ った",
    "ガ": "が ぎ ぐ げ ご いだ",
    "サ": "さ し す せ そ した",
    "タ": "た ち つ て と った",
    "ナ": "な に ぬ ね の んだ",
    "バ": "ば び ぶ べ ぼ んだ",
    "マ": "ま み む め も んだ",
    "ラ": "ら り る れ ろ った",
    "ワ": "わ い う え お った",
}
_VERB_FORMS = (PLAIN, PAST, TE, STEM, NEGATIVE_STEM, CONDITIONAL, TARA, IMPERATIVE, VOLITIONAL)
_ADJECTIVE_FORMS = (PLAIN, PAST, TE, STEM, CONDITIONAL, TARA, ADNOMINAL)
_ENDINGS = {
    VOWEL: ("る", _VERB_FORMS, "る た て - - れば たら ろ よう"),
    SURU: ("する", _VERB_FORMS, "する した して し し すれば したら しろ しよう"),
    KURU: ("る", _VERB_FORMS, "る た て - - れば たら い よう"),
    I_ADJECTIVE: ("い", _ADJECTIVE_FORMS, "い かった くて く ければ かったら い"),
    NA_ADJECTIVE: ("だ", _ADJECTIVE_FORMS, "だ だった で に であれば だったら な"),
}


@dataclass(frozen=True, slots=True)
class Word:
    """A word that conjugates: base form and class; ``verbal_noun`` is the noun before する, else empty."""

    lemma: str
    conjugation: str
    verbal_noun: str = ""

    @property
    def is_adjective(self) -> bool:
        """Whether it is an adjective."""
        return self.conjugation in (I_ADJECTIVE, NA_ADJECTIVE)


@dataclass(frozen=True, slots=True)
class Inflected:
    """The parts of one predicate.

    Attributes:
        parts: as they are written.
        predicate: the index of the one that is annotated.
        pos: what parts of speech MeCab may give it.
    """

    parts: tuple[str, ...]
    predicate: int
    pos: tuple[str, ...]


def conjugate(lemma: str, conjugation: str, form: str) -> str:
    """Return a base form in another form. Raises KeyError for a form that the class lacks."""
    cut, endings = _endings(conjugation)
    return lemma.removesuffix(cut) + endings[form]


@functools.cache
def _endings(conjugation: str) -> tuple[str, dict[str, str]]:
    """Return what is cut off the base form, and what stands there in each form."""
    if conjugation in _ENDINGS:
        cut, forms, endings = _ENDINGS[conjugation]
        return cut, dict(zip(forms, endings.replace("-", "").split(" "), strict=True))
    a, i, u, e, o, past = _CONSONANT_ROWS[conjugation].split()
    te = past[:-1] + {"た": "て", "だ": "で"}[past[-1]]
    return u, dict(zip(_VERB_FORMS, (u, past, te, i, a, e + "ば", past + "ら", e, o + "う"), strict=True))


@functools.cache
def inflect(
    word: Word, form: str, voice: str = ACTIVE, negative: bool = False, progressive: bool = False
) -> Inflected:
    """Return ``word`` with the suffixes of its voice, aspect and polarity, the last one in ``form``."""
    suffixes: list[tuple[str, str, str]] = []  # base form, class, form before it
    if voice != ACTIVE:
        suffixes.append((_voice_suffix(word.conjugation, voice), VOWEL, NEGATIVE_STEM))
    if progressive:
        suffixes.append(("いる", VOWEL, TE))
    if negative:
        suffixes.append(("ない", I_ADJECTIVE, NEGATIVE_STEM))
    forms = [before for _, _, before in suffixes] + [form]
    head = conjugate(word.lemma, word.conjugation, forms[0])
    if word.conjugation == SURU and voice != ACTIVE:
        head = "さ"
    tail = [
        conjugate(base, conjugation, wanted)
        for (base, conjugation, _), wanted in zip(suffixes, forms[1:], strict=True)
    ]
    pos = ("形容詞", "形状詞", "名詞") if word.is_adjective else ("動詞",)
    if word.verbal_noun:
        return Inflected((word.verbal_noun, head, *tail), 1, pos)
    return Inflected((head, *tail), 0, pos)


def _voice_suffix(conjugation: str, voice: str) -> str:
    short = conjugation not in (VOWEL, KURU)
    if voice == PASSIVE:
        return "れる" if short else "られる"
    return "せる" if short else "させる"
