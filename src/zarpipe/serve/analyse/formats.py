"""What `zarpipe analyse` writes, by the names on the command line: text, as sentences come."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from zarpipe.config.pos_sets import Tagset
from zarpipe.serve.bundle.found import FoundPredicate
from zarpipe.serve.bundle.text import TextSentence
from zarpipe.serve.export.json_lines import one_line
from zarpipe.serve.export.sentences import (
    UNKNOWN_RELATION,
    ExportedArgument,
    ExportedCorpus,
    ExportedPredicate,
    ExportedSentence,
    relation_by_heads,
)
from zarpipe.serve.export.table import writer

Write = Callable[[Iterator[TextSentence], Tagset], Iterator[str]]


def write_json(sentences: Iterator[TextSentence], tagset: Tagset) -> Iterator[str]:
    """Yield a line with one JSON object for each sentence (docs/analyse.md)."""
    for sentence in sentences:
        yield one_line(json.dumps(plain_sentence(sentence, tagset), ensure_ascii=False))


def plain_sentence(sentence: TextSentence, tagset: Tagset) -> dict[str, Any]:
    """Return a sentence as plain values; places count code points of the input."""
    bunsetsu = sentence.bunsetsu or (None,) * len(sentence.words)
    tokens = [
        {**vars(word), "bunsetsu": number} for word, number in zip(sentence.words, bunsetsu, strict=True)
    ]
    return {
        "doc_id": sentence.doc_id,
        "sent_id": sentence.sent_id,
        "text": sentence.text,
        "start": sentence.start,
        "end": sentence.end,
        "tagset": tagset,
        "tokens": tokens,
        "predicates": [_plain_predicate(sentence, predicate) for predicate in sentence.predicates],
    }


def _plain_predicate(sentence: TextSentence, predicate: FoundPredicate) -> dict[str, Any]:
    arguments = [
        {"case": one.case, **_place(sentence, one.token), "probability": _rounded(one.probability)}
        for one in predicate.arguments
    ]
    probability = None if predicate.probability is None else _rounded(predicate.probability)
    return {**_place(sentence, predicate.token), "probability": probability, "arguments": arguments}


def _place(sentence: TextSentence, token: int) -> dict[str, Any]:
    word = sentence.words[token]
    return {"token": token, "surface": word.surface, "start": word.start, "end": word.end}


def _rounded(probability: float) -> float:
    """Return a probability without digits that float32 does not have."""
    return float(f"{probability:.6g}")


def exported(sentence: TextSentence) -> ExportedSentence:
    """Return a sentence as the formats of `zarpipe export` take it.

    Without heads each bunsetsu has the next one as its head, and what an argument is to its predicate is
    unknown.
    """
    bunsetsu = list(sentence.bunsetsu or range(len(sentence.words)))
    heads = list(sentence.heads or [*range(1, bunsetsu[-1] + 1), -1])
    predicates = [
        ExportedPredicate(
            predicate.token,
            None,
            [
                ExportedArgument(
                    one.case,
                    one.token,
                    relation_by_heads(predicate.token, one.token, bunsetsu, heads)
                    if sentence.heads
                    else UNKNOWN_RELATION,
                    _rounded(one.probability),
                )
                for one in predicate.arguments
            ],
        )
        for predicate in sentence.predicates
    ]
    words = [(word.surface, word.lemma, word.pos, word.pos_sub) for word in sentence.words]
    return ExportedSentence(sentence.doc_id, sentence.sent_id, words, bunsetsu, heads, predicates)


def _export(name: str) -> Write:
    def write(sentences: Iterator[TextSentence], tagset: Tagset) -> Iterator[str]:
        return writer(name).write(ExportedCorpus(tagset, map(exported, sentences)))

    return write


def _write_page(sentences: Iterator[TextSentence], tagset: Tagset) -> Iterator[str]:
    from zarpipe.serve.analyse.page import write_page  # loads jinja2

    return write_page(sentences, tagset)


FORMATS: dict[str, Write] = {
    "json": write_json,
    "knp": _export("knp"),
    "conllu": _export("conllu"),
    "html": _write_page,
}
"""Name of a format -> what writes it; a terminal is written to by `zarpipe.serve.analyse.terminal`."""
