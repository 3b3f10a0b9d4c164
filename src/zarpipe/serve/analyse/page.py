"""An analysed text as one self-contained HTML page, whose predicates can be chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from zarpipe import __version__
from zarpipe.characters import printable
from zarpipe.config.pos_sets import Tagset
from zarpipe.report.pages.page import environment
from zarpipe.task.documents import Sentence

_TITLE = "Predicates and their arguments"


def write_page(sentences: Iterator[Sentence], tagset: Tagset) -> Iterator[str]:  # noqa: ARG001 (as all)
    """Yield the page piece by piece, as sentences come: what it shows is never in memory whole.

    Every text is escaped; what cannot be seen is named.
    """
    template = environment("zarpipe.serve.analyse").get_template("analysis.html")
    return template.generate(title=_TITLE, version=__version__, sentences=map(_shown, sentences))


def _shown(sentence: Sentence) -> dict[str, Any]:
    """Return what the page shows of a sentence."""
    return {
        "name": printable(sentence.sent_id),
        "words": list(map(printable, sentence.tokens)),
        "phrases": sentence.phrases,
        "predicates": sentence.predicates,
    }
