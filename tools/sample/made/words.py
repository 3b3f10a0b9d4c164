"""The words of a made sentence: those that MeCab cuts with unidic-lite, as it cuts the same text anywhere."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

from made.tree import EVENT_NOUN, Sentence, Token
from zarpipe.readers import unidic
from zarpipe.readers.knp_phrases import content_word

_MENTIONS = ("名詞", "代名詞")


def in_words(sentence: Sentence) -> Sentence | None:
    """Return the sentence with words as its tokens; what a part carried goes to its content word.

    None for a sentence that cannot be annotated exactly in these words: one of them reaches over the end of a
    bunsetsu, two annotations would come to one of them, or MeCab takes a predicate or mention for something
    else (話し for a noun).
    """
    words = unidic.words("".join(token.surface for token in sentence.tokens()))
    ends = list(accumulate(len(word[0]) for word in words))
    made = [Token(surface, tags=tags) for surface, *tags in words]
    place = first = 0
    units = []
    for unit in sentence.bunsetsu:
        for token in unit.tokens:
            start, place = place, place + len(token.surface)
            if token.entity is None and token.annotation is None:
                continue
            shared = [n for n, end in enumerate(ends) if end > start and end - len(words[n][0]) < place]
            word = made[shared[content_word([words[n] for n in shared])]]
            if not _fits(token, word):
                return None
            word.entity = word.entity or token.entity
            word.annotation = word.annotation or token.annotation
        if place not in ends:
            return None
        units.append(replace(unit, tokens=made[first : ends.index(place) + 1]))
        first = ends.index(place) + 1
    return Sentence(tuple(units), sentence.heads)


def _fits(token: Token, word: Token) -> bool:
    """Tell whether a word can carry what a part of a sentence carries."""
    pos = word.tags[1]
    if token.entity is not None and (word.entity is not None or pos not in _MENTIONS):
        return False
    annotation = token.annotation
    if annotation is None or annotation.kind == EVENT_NOUN:
        return True
    return word.annotation is None and pos in annotation.pos
