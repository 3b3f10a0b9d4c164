"""Makes a sentence's texts fit to be shown: nothing unseen, nothing that the terminal lacks."""

from __future__ import annotations

from zarpipe.characters import fits, printable
from zarpipe.serve.show.sentences import Shown, ShownPredicate

BLANK = "␣"
_OTHER_BLANK = "_"


def printable_sentence(shown: Shown, encoding: str = "utf-8") -> Shown:
    """Return a sentence whose names, tokens and replacements can be seen (`zarpipe.characters.printable`).

    Where the encoding of the terminal or page lacks ␣, a blank is written as ``_``.
    """
    sentence = shown.sentence
    made = sentence._replace(
        doc_id=printable(sentence.doc_id, encoding),
        sent_id=printable(sentence.sent_id, encoding),
        words=[word._replace(surface=_token(word.surface, encoding)) for word in sentence.words],
    )
    return Shown(made, [_predicate(predicate, encoding) for predicate in shown.predicates])


def _predicate(predicate: ShownPredicate, encoding: str) -> ShownPredicate:
    return predicate._replace(
        alt=None if predicate.alt is None else printable(predicate.alt, encoding),
        masked={
            token: None if text is None else _token(text, encoding)
            for token, text in predicate.masked.items()
        },
    )


def _token(text: str, encoding: str) -> str:
    text = printable(text, encoding)
    return text if fits(BLANK, encoding) else text.replace(" ", _OTHER_BLANK)
