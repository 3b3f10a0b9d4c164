"""Sentences of a KNP corpus as their lines say: bunsetsu, base phrases, relations, content words."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field

from rhoknp.cohesion.rel import RelTag

from zarpipe.readers.lines import OpenSentence
from zarpipe.task.documents import Token

# Parts of speech that make a base phrase verbal.
COPULA = "判定詞"
PREDICATE_POS = frozenset({"動詞", "形容詞", COPULA})

SYMBOL = "特殊"
# What can be a content word, the best first, with the parts of speech that only UniDic has (代名詞, 形状詞;
# its 記号 are letters). In the fourth place stand symbols written with letters or digits
# (Ａ in Ａ級), in the eighth other symbols (♂ in ♂しか).
_PREFERENCE = {
    pos: rank
    for rank, group in {
        0: ("名詞", "動詞", "形容詞", "未定義語", "代名詞", "形状詞"),
        1: ("指示詞",),
        2: ("副詞", "感動詞", "接続詞", "連体詞"),
        3: ("記号",),
        4: ("接尾辞",),
        5: ("判定詞", "助動詞"),
        6: ("接頭辞",),
        8: ("助詞",),
    }.items()
    for pos in group
}
_LETTER, _OTHER_SYMBOL, _NO_CONTENT = 3, 7, 9


def content_word(words: Sequence[Token]) -> int:
    """Return which morpheme of a base phrase is its content word: the last one of the best kind.

    The kinds, from the best: noun, verb, adjective or unknown word; demonstrative; adverb, interjection,
    conjunction or adnominal; letter or digit; suffix; copula or auxiliary; prefix; other symbol; particle.
    Brackets, punctuation and blanks are none; of nothing else the first morpheme is taken.
    """
    ranks = [_rank(word) for word in words]
    best = min(ranks)
    return 0 if best == _NO_CONTENT else len(ranks) - 1 - ranks[::-1].index(best)


def _rank(word: Token) -> int:
    surface, _, pos, pos_sub = word
    if pos != SYMBOL:
        return _PREFERENCE.get(pos, _NO_CONTENT)
    if any(character.isalnum() for character in surface):
        return _LETTER
    return _NO_CONTENT if pos_sub != "記号" or surface.isspace() else _OTHER_SYMBOL


@dataclass
class BasePhrase:
    """A base phrase."""

    line: int  # line of the file at which it begins
    first_token: int  # its first token in the sentence
    relations: Sequence[RelTag]  # its `<rel>` tags
    words: list[Token] = field(default_factory=list)  # its tokens
    head: int = -1  # the base phrase that it depends on, as its line says

    @functools.cached_property
    def content_word(self) -> int:
        """Token of the content word; asked for when the base phrase is whole."""
        return self.first_token + content_word(self.words)

    @property
    def is_verbal(self) -> bool:
        """Whether it contains a verb, an adjective or a copula."""
        return any(word[2] in PREDICATE_POS for word in self.words)

    @property
    def is_nominaliser(self) -> bool:
        """Whether it is の that makes a noun of a clause, as in a cleft sentence: 好きなのは魚です."""
        return self.words[content_word(self.words)][0] == "の"

    @functools.cached_property
    def has_copula(self) -> bool:
        """Whether it contains a copula, so that it is the predicate noun of a copular clause."""
        return any(word[2] == COPULA for word in self.words)


class AnnotatedSentence(OpenSentence):
    """A sentence with its base phrases, before relations are looked up."""

    def __init__(self) -> None:
        super().__init__()
        self.base_phrases: list[BasePhrase] = []
