"""The formats of `zarpipe export`, by the names on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from zarpipe.registry import Registry

if TYPE_CHECKING:
    from zarpipe.config.pos_sets import Tagset
    from zarpipe.task.documents import Sentence

# Name of a format -> the module that writes it.
FORMATS = Registry(
    "format",
    {
        "conllu": "zarpipe.serve.export.conllu",
        "knp": "zarpipe.serve.export.knp",
        "json": "zarpipe.serve.export.json_lines",
    },
)


class Writer(Protocol):
    """What a module that writes a format has."""

    def write(self, sentences: Iterator[Sentence], tagset: Tagset) -> Iterator[str]:
        """Yield the text of sentences in words of a tagset. Raises ZarpipeError for what it cannot hold."""


def writer(name: str) -> Writer:
    """Return the module that writes a format, a name in FORMATS."""
    module: Writer = FORMATS.load(name)
    return module


def write_texts(texts: Iterator[str], output: Path | None) -> None:
    """Write texts as they come, in UTF-8 whatever the terminal has: to a file, or to standard output."""
    from zarpipe.files import whole_stream

    if output is None:
        for text in texts:
            sys.stdout.buffer.write(text.encode())
            sys.stdout.buffer.flush()
        return
    with whole_stream(output) as stream:
        stream.writelines(text.encode() for text in texts)
