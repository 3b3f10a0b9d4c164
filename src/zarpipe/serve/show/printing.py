"""Makes a sentence's texts fit to be shown: nothing unseen, nothing that the terminal lacks."""

from __future__ import annotations

from dataclasses import replace

from zarpipe.characters import fits, printable
from zarpipe.serve.show.sentences import ShownPredicate, ShownSentence

BLANK = "␣"
_OTHER_BLANK = "_"


def printable_sentence(sentence: ShownSentence, encoding: str = "utf-8") -> ShownSentence:
    """Return a sentence whose names, tokens and replacements can be seen (`zarpipe.characters.printable`).

    Args:
        sentence: as it was read.
        encoding: of the terminal or page. Where it lacks ␣, a blank is written as ``_``.
    """
    return replace(
        sentence,
        doc_id=printable(sentence.doc_id, encoding),
        sent_id=printable(sentence.sent_id, encoding),
        tokens=[_token(token, encoding) for token in sentence.tokens],
        predicates=[_predicate(predicate, encoding) for predicate in sentence.predicates],
    )


def _predicate(predicate: ShownPredicate, encoding: str) -> ShownPredicate:
    return replace(
        predicate,
        alt=None if predicate.alt is None else printable(predicate.alt, encoding),
        masked={
            token: None if text is None else _token(text, encoding)
            for token, text in predicate.masked.items()
        },
    )


def _token(text: str, encoding: str) -> str:
    text = printable(text, encoding)
    return text if fits(BLANK, encoding) else text.replace(" ", _OTHER_BLANK)
