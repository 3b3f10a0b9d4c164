"""The words of UniDic: a text cut by MeCab with unidic-lite, as installed, every character kept."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import Any

from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import ZarpipeError
from zarpipe.readers import resegment
from zarpipe.task.documents import Document, Token

TAGSET: Tagset = "unidic"
# What decides the words.
LIBRARIES: tuple[str, ...] = ("fugashi", "unidic-lite")

_BLANK_POS = "空白"
# MeCab ends a text at the first, and takes the others for blanks or for characters of a word.
_CONTROLS = re.compile(r"([\x00-\x1f\x7f]+)")
# MeCab's words point into its tagger, which is at the next text by then: each thread has its own.
_OF_THREAD = threading.local()


def words(text: str) -> list[Token]:
    """Cut a text into words. Raises ZarpipeError if the dictionary cannot be opened.

    Together the surfaces are the text: white space, which MeCab leaves out, and control characters are words
    of the part of speech 空白. An unknown word's lemma is its surface.
    """
    return [
        word
        for number, part in enumerate(_CONTROLS.split(text))
        for word in ([_blank(part)] if number % 2 else _cut(part))
    ]


def resegmented(document: Document) -> Document:
    """Return a document in words of UniDic."""
    return resegment.resegmented(document, words, TAGSET)


def _cut(text: str) -> Iterator[Token]:
    place = 0
    for word in list(map(_word, _tagger()(text))) if text else ():
        start = text.index(word.surface, place)
        if start > place:
            yield _blank(text[place:start])
        yield word
        place = start + len(word.surface)
    if place < len(text):
        yield _blank(text[place:])


def _word(node: Any) -> Token:
    surface, feature = str(node.surface), node.feature
    lemma = surface if feature.lemma in (None, "*") else str(feature.lemma)
    return Token(surface, lemma, str(feature.pos1), str(feature.pos2 or "*"))


def _blank(text: str) -> Token:
    return Token(text, text, _BLANK_POS, "*")


def _tagger() -> Any:
    if not hasattr(_OF_THREAD, "tagger"):
        _OF_THREAD.tagger = _opened()
    return _OF_THREAD.tagger


def _opened() -> Any:
    try:
        import fugashi
        import unidic_lite

        # Without the user's own mecabrc, which may name another dictionary.
        return fugashi.Tagger(f'-r /dev/null -d "{unidic_lite.DICDIR}"')
    except (ImportError, RuntimeError) as error:
        raise ZarpipeError(
            f"UniDic cannot be opened ({str(error).splitlines()[0]}); install fugashi and unidic-lite again"
        ) from error
