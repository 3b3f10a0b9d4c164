"""The readers of corpus formats, by the names in `zarpipe.config.corpus.READERS`.

A format is one module of this package with the names of `Reader`, and one line in READERS
(docs/extending/corpus-format.md).
"""

from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING, Protocol

from zarpipe.config.corpus import READERS, SEGMENTERS
from zarpipe.config.pos_sets import Tagset
from zarpipe.readers.resegment import resegmented
from zarpipe.task.documents import Document, OwnBunsetsu, Token

if TYPE_CHECKING:
    from zarpipe.readers.convert import Reading, SplitRule
    from zarpipe.readers.scan import Place


class Reader(Protocol):
    """What a module that reads a format has."""

    @property
    def ENDINGS(self) -> tuple[str, ...]:  # noqa: N802 (a module's constant)
        """Endings of its files, in small letters; each may carry ``.gz``."""

    @property
    def FOLDERS(self) -> tuple[str, ...]:  # noqa: N802
        """Where a distribution keeps the files, seen from folders that people name; the first that exists."""

    @property
    def TAGSET(self) -> Tagset:  # noqa: N802
        """Whose parts of speech its documents have, where the document itself does not say."""

    @property
    def SPLIT(self) -> SplitRule:  # noqa: N802
        """How documents are split when nothing else is asked for."""

    @property
    def OWN_BUNSETSU(self) -> OwnBunsetsu:  # noqa: N802
        """What ``own_bunsetsu: auto`` means."""

    @property
    def SETTINGS(self) -> tuple[str, ...]:  # noqa: N802
        """The settings of `Reading` that count beside ``own_bunsetsu``."""

    def read(self, text: str, place: Place, how: Reading) -> Document:
        """Read one document. Raises FileProblem for a malformed one."""


class Segmenter(Protocol):
    """What a module that cuts text into words has."""

    @property
    def TAGSET(self) -> Tagset:  # noqa: N802
        """Whose parts of speech the words have."""

    @property
    def LIBRARIES(self) -> tuple[str, ...]:  # noqa: N802
        """The distributions whose versions decide the words."""

    def words(self, text: str) -> list[Token]:
        """Cut a text into words, whose surfaces together are the text."""


if TYPE_CHECKING:
    # Whether these modules are readers is checked with the types.
    from zarpipe.readers import knp, ntc, unidic

    _BUILT_IN: tuple[Reader, ...] = (ntc, knp)
    _SEGMENTERS: tuple[Segmenter, ...] = (unidic,)


def reader(name: str) -> Reader:
    """Return the module that reads a format, a name in READERS."""
    module: Reader = READERS.load(name)
    return module


def segmenter(name: str) -> Segmenter:
    """Return the module that cuts text into words, a name in SEGMENTERS."""
    module: Segmenter = SEGMENTERS.load(name)
    return module


def segmenter_title(name: str) -> str:
    """Return the libraries of a segmenter with their versions: ``fugashi 1.5.2, unidic-lite 1.0.8``."""
    libraries = segmenter(name).LIBRARIES
    return ", ".join(f"{library} {importlib.metadata.version(library)}" for library in libraries)


def in_words_of(name: str, document: Document) -> Document:
    """Return a document in the words of a segmenter."""
    module = segmenter(name)
    return resegmented(document, module.words, module.TAGSET)
