"""What `zarpipe analyse` writes, by the names on the command line: text, as sentences come."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from zarpipe import __version__
from zarpipe.characters import printable
from zarpipe.config.pos_sets import Tagset
from zarpipe.serve.export.json_lines import one_line
from zarpipe.serve.export.table import writer
from zarpipe.task.documents import Sentence

if TYPE_CHECKING:
    from zarpipe.serve.bundle.manifest import Manifest

Write = Callable[[Iterator[Sentence], Tagset, "Manifest"], Iterator[str]]


def write_json(sentences: Iterator[Sentence], tagset: Tagset, _: Manifest) -> Iterator[str]:
    """Yield a line with one JSON object for each sentence (docs/analyse.md)."""
    for sentence in sentences:
        yield one_line(json.dumps(sentence.to_json(tagset), ensure_ascii=False))


def _chained(sentence: Sentence) -> Sentence:
    """Return a sentence without heads with the next bunsetsu as the head of each."""
    bunsetsu = sentence.bunsetsu or list(range(len(sentence.words)))
    heads = sentence.heads or [*range(1, bunsetsu[-1] + 1), -1]
    return sentence._replace(bunsetsu=bunsetsu, heads=heads)


def _export(name: str) -> Write:
    def write(sentences: Iterator[Sentence], tagset: Tagset, _: Manifest) -> Iterator[str]:
        return writer(name).write(map(_chained, sentences), tagset)

    return write


def _write_page(sentences: Iterator[Sentence], _: Tagset, manifest: Manifest) -> Iterator[str]:
    """Yield the page piece by piece, as sentences come: what it shows is never in memory whole.

    Every text is escaped; what cannot be seen is named.
    """
    from zarpipe.report.pages.page import environment  # loads jinja2
    from zarpipe.serve.bundle.card import summary

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
    about = summary(manifest)
    return template.generate(title=title, version=__version__, sentences=shown, about=about)


def _write_text(sentences: Iterator[Sentence], _: Tagset, __: Manifest) -> Iterator[str]:
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
