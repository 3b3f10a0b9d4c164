"""JSON: one object a line for each sentence, with offsets of characters into the sentence's text.

docs/export.md describes the keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from zarpipe.config.pos_sets import Tagset
from zarpipe.task.documents import Argument, Predicate, Sentence

# Python and others take these for ends of lines too.
_LINE_ENDS = str.maketrans({character: f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"})


def write(sentences: Iterable[Sentence], tagset: Tagset) -> Iterator[str]:
    """Yield each sentence as a line."""
    for sentence in sentences:
        plain = {"tagset": tagset, **_plain_sentence(sentence)}
        yield one_line(json.dumps(plain, ensure_ascii=False))


def one_line(text: str) -> str:
    """Return JSON as one line: characters that end lines elsewhere are escaped."""
    return text.translate(_LINE_ENDS) + "\n"


def _plain_sentence(sentence: Sentence) -> dict[str, Any]:
    tokens = sentence.plain_words()
    spans = [{"start": token["start"], "end": token["end"]} for token in tokens]
    return {
        "doc_id": sentence.doc_id,
        "sent_id": sentence.sent_id,
        "text": sentence.text,
        "tokens": tokens,
        "heads": sentence.heads,
        "predicates": [_predicate(predicate, spans) for predicate in sentence.predicates],
    }


def _predicate(predicate: Predicate, spans: Sequence[dict[str, int]]) -> dict[str, Any]:
    return {
        "token": predicate.token,
        **spans[predicate.token],
        "alt": predicate.alt,
        "arguments": [_argument(argument, spans[argument.token]) for argument in predicate.arguments],
    }


def _argument(argument: Argument, span: dict[str, int]) -> dict[str, Any]:
    plain = {"case": argument.case, "token": argument.token, **span, "relation": argument.relation}
    if argument.probability is not None:
        plain["probability"] = argument.probability
    return plain
