"""JSON: one object a line for each sentence, with offsets of characters into the sentence's text.

docs/export.md describes the keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from zarpipe.serve.export.sentences import (
    ExportedArgument,
    ExportedCorpus,
    ExportedPredicate,
    ExportedSentence,
)

# Python and others take these for ends of lines too.
_LINE_ENDS = str.maketrans({character: f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"})


def write(corpus: ExportedCorpus) -> Iterator[str]:
    """Yield each sentence as a line."""
    for sentence in corpus.sentences:
        plain = {"tagset": corpus.tagset, **plain_sentence(sentence)}
        yield one_line(json.dumps(plain, ensure_ascii=False))


def one_line(text: str) -> str:
    """Return JSON as one line: characters that end lines elsewhere are escaped."""
    return text.translate(_LINE_ENDS) + "\n"


def plain_sentence(sentence: ExportedSentence) -> dict[str, Any]:
    """Return a sentence as plain values. Offsets count code points; the end is behind the last character."""
    surfaces = [word[0] for word in sentence.words]
    ends = list(accumulate(map(len, surfaces)))
    spans = [{"start": end - len(surface), "end": end} for end, surface in zip(ends, surfaces, strict=True)]
    tokens = [
        {"surface": surface, "lemma": lemma, "pos": pos, "pos_sub": sub, **span, "bunsetsu": number}
        for (surface, lemma, pos, sub), span, number in zip(
            sentence.words, spans, sentence.bunsetsu, strict=True
        )
    ]
    return {
        "doc_id": sentence.doc_id,
        "sent_id": sentence.sent_id,
        "text": "".join(surfaces),
        "tokens": tokens,
        "heads": sentence.heads,
        "predicates": [_predicate(predicate, spans) for predicate in sentence.predicates],
    }


def _predicate(predicate: ExportedPredicate, spans: Sequence[dict[str, int]]) -> dict[str, Any]:
    return {
        "token": predicate.token,
        **spans[predicate.token],
        "alt": predicate.alt,
        "arguments": [_argument(argument, spans[argument.token]) for argument in predicate.arguments],
    }


def _argument(argument: ExportedArgument, span: dict[str, int]) -> dict[str, Any]:
    plain = {"case": argument.case, "token": argument.token, **span, "relation": argument.relation}
    if argument.probability is not None:
        plain["probability"] = argument.probability
    return plain
