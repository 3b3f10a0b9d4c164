"""What `zarpipe analyse` writes, by the names on the command line: text, as sentences come."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from zarpipe import __version__
from zarpipe.characters import printable
from zarpipe.config.pos_sets import Tagset
from zarpipe.serve.export.json_lines import one_line, plain_tokens
from zarpipe.serve.export.table import writer
from zarpipe.task.documents import Predicate, Sentence

Write = Callable[[Iterator[Sentence], Tagset], Iterator[str]]


def write_json(sentences: Iterator[Sentence], tagset: Tagset) -> Iterator[str]:
    """Yield a line with one JSON object for each sentence (docs/analyse.md)."""
    for sentence in map(_rounded, sentences):
        yield one_line(json.dumps(_plain_sentence(sentence, tagset), ensure_ascii=False))


def _plain_sentence(sentence: Sentence, tagset: Tagset) -> dict[str, Any]:
    """Return a sentence as plain values; places count code points of the input."""
    tokens = plain_tokens(sentence)
    places = [
        {"token": number, **{key: token[key] for key in ("surface", "start", "end")}}
        for number, token in enumerate(tokens)
    ]
    return {
        "doc_id": sentence.doc_id,
        "sent_id": sentence.sent_id,
        "text": sentence.text,
        "start": sentence.start,
        "end": sentence.end,
        "tagset": tagset,
        "tokens": tokens,
        "predicates": [
            {
                **places[predicate.token],
                "probability": predicate.probability,
                "arguments": [
                    {"case": one.case, **places[one.token], "probability": one.probability}
                    for one in predicate.arguments
                ],
            }
            for predicate in sentence.predicates
        ],
    }


def _rounded(sentence: Sentence) -> Sentence:
    """Return a sentence whose probabilities have no digits that float32 does not have."""
    return sentence._replace(predicates=list(map(_rounded_predicate, sentence.predicates)))


def _rounded_predicate(predicate: Predicate) -> Predicate:
    arguments = [one._replace(probability=_digits(one.probability)) for one in predicate.arguments]
    return predicate._replace(arguments=arguments, probability=_digits(predicate.probability))


def _digits(probability: float | None) -> float | None:
    return None if probability is None else float(f"{probability:.6g}")


def _chained(sentence: Sentence) -> Sentence:
    """Return a sentence without heads with the next bunsetsu as the head of each."""
    bunsetsu = sentence.bunsetsu or list(range(len(sentence.words)))
    heads = sentence.heads or [*range(1, bunsetsu[-1] + 1), -1]
    return sentence._replace(bunsetsu=bunsetsu, heads=heads)


def _export(name: str) -> Write:
    def write(sentences: Iterator[Sentence], tagset: Tagset) -> Iterator[str]:
        return writer(name).write(map(_chained, map(_rounded, sentences)), tagset)

    return write


def _write_page(sentences: Iterator[Sentence], tagset: Tagset) -> Iterator[str]:  # noqa: ARG001 (as all)
    """Yield the page piece by piece, as sentences come: what it shows is never in memory whole.

    Every text is escaped; what cannot be seen is named.
    """
    from zarpipe.report.pages.page import environment  # loads jinja2

    shown = (
        {
            "name": printable(sentence.sent_id),
            "words": list(map(printable, sentence.tokens)),
            "phrases": sentence.phrases,
            "predicates": sentence.predicates,
        }
        for sentence in sentences
    )
    template = environment("zarpipe.serve.analyse").get_template("analysis.html")
    title = "Predicates and their arguments"
    return template.generate(title=title, version=__version__, sentences=shown)


def _write_text(sentences: Iterator[Sentence], tagset: Tagset) -> Iterator[str]:  # noqa: ARG001 (as all)
    from zarpipe.serve.analyse.terminal import block

    return (f"{block(sentence, 'utf-8').plain}\n" for sentence in sentences)


FORMATS: dict[str, Write] = {
    "json": write_json,
    "knp": _export("knp"),
    "conllu": _export("conllu"),
    "html": _write_page,
    "terminal": _write_text,
}
"""Name of a format -> what writes it to a file; a terminal itself gets `zarpipe.serve.analyse.terminal`."""
