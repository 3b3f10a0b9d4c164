"""An analysed text as one self-contained HTML page, whose predicates can be chosen."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from zarpipe import __version__
from zarpipe.characters import printable
from zarpipe.config.pos_sets import Tagset
from zarpipe.report.pages.page import environment
from zarpipe.serve.bundle.text import TextSentence

_TITLE = "Predicates and their arguments"


def write_page(sentences: Iterator[TextSentence], tagset: Tagset) -> Iterator[str]:  # noqa: ARG001 (as all)
    """Yield the page piece by piece, as sentences come: what it shows is never in memory whole.

    Every text is escaped; what cannot be seen is named.
    """
    template = environment("zarpipe.serve.analyse").get_template("analysis.html")
    return template.generate(title=_TITLE, version=__version__, sentences=map(_shown, sentences))


def _shown(sentence: TextSentence) -> dict[str, Any]:
    """Return what the page shows of a sentence."""
    surfaces = [printable(word.surface) for word in sentence.words]
    predicates = [
        {
            "token": predicate.token,
            "text": surfaces[predicate.token],
            "probability": predicate.probability,
            "arguments": [
                {
                    "case": one.case,
                    "token": one.token,
                    "text": surfaces[one.token],
                    "probability": one.probability,
                }
                for one in predicate.arguments
            ],
        }
        for predicate in sentence.predicates
    ]
    bunsetsu = sentence.bunsetsu or range(len(surfaces))
    numbered = zip(enumerate(surfaces), bunsetsu, strict=True)
    phrases = [[word for word, _ in those] for _, those in groupby(numbered, key=lambda one: one[1])]
    return {"name": printable(sentence.sent_id), "phrases": phrases, "predicates": predicates}
