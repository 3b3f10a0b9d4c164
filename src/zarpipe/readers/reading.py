"""How documents are read: the settings, where a document stands, and what the module of a format has.

A format is one module of this package with the names of `Reader`, and one line in
`zarpipe.config.corpus.READERS` (docs/extending/corpus-format.md).
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from zarpipe.config.corpus import READERS, SEGMENTERS, CorpusConfig
from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import FileProblem
from zarpipe.task.documents import ConstructionMentions, Document, OwnBunsetsu

if TYPE_CHECKING:
    from zarpipe.readers.summary import Summary  # loads pyarrow, which other commands do not need

SplitRule = Literal["taira", "folders", "ids"]
Predicates = Literal["verbal", "verbal_and_nominal"]
Limits = Mapping[str, int | None]
"""Documents to take per split; None takes all."""


@dataclass(frozen=True)
class Place:
    """Where a document stands."""

    path: str
    doc_id: str  # the file name without its ending; in concatenated files the document part of the S-ID
    label: str | None = None  # split whose folder or file it lies in, or None
    start: int = 0  # first byte in the (uncompressed) file
    stop: int | None = None  # byte after the last, or None for the end of the file
    line: int = 1  # line of the file at which it begins

    def problem(self, message: str, line: int | None = None) -> FileProblem:
        """Return a problem at a line, by default at the first one."""
        return FileProblem(self.path, self.line if line is None else line, message)


@dataclass(frozen=True)
class Reading:
    """How documents are read."""

    format: str  # name in `zarpipe.config.corpus.READERS`
    # What a mention in the predicate's own bunsetsu does to the argument's other mentions.
    own_bunsetsu: OwnBunsetsu
    predicates: Predicates = "verbal"  # KNP: which annotated base phrases are target predicates
    # KNP: whether coreferent mentions in the sentence are mentions of the argument.
    coreferent_mentions: bool = True
    construction_mentions: ConstructionMentions = "sentence"  # KNP: how far `=構` and `=役` make mentions
    # `gold`, the corpus's own words, or a name in `zarpipe.config.corpus.SEGMENTERS`.
    tokens: str = field(default="gold", repr=False)  # the digest of the sources names it by itself

    @property
    def segmenter(self) -> str | None:
        """What cuts the sentences into words, with versions: ``fugashi 1.5.2, unidic-lite 1.0.8``.

        None in gold words.
        """
        if self.tokens == "gold":
            return None
        libraries = segmenter(self.tokens).LIBRARIES
        return ", ".join(f"{library} {importlib.metadata.version(library)}" for library in libraries)


def reading(corpus_format: str, own_bunsetsu: str = "auto", **settings: Any) -> Reading:
    """Return how to read a format, by settings of `Reading`; ``auto`` takes the format's own default.

    What a format does not know is left at its default, so that equal readings are equal.
    """
    module = reader(corpus_format)
    own: Any = module.OWN_BUNSETSU if own_bunsetsu == "auto" else own_bunsetsu
    known = {name: settings[name] for name in (*module.SETTINGS, "tokens") if name in settings}
    return Reading(corpus_format, own, **known)


def configured_reading(corpus_format: str, corpus: CorpusConfig) -> Reading:
    """Return how to read a format as configured."""
    names = (field.name for field in fields(Reading) if field.name != "format")
    return reading(corpus_format, **{name: getattr(corpus, name) for name in names})


class Format(Protocol):
    """What every module that reads a format has."""

    ENDINGS: tuple[str, ...]
    """Endings of its files, in small letters; each may carry ``.gz``."""
    FOLDERS: tuple[str, ...]
    """Where a distribution keeps the files, seen from folders that people name; the first that exists."""
    TAGSET: Tagset
    """Whose parts of speech its documents have, where the document itself does not say."""
    SPLIT: SplitRule
    """How documents are split when nothing else is asked for."""
    OWN_BUNSETSU: OwnBunsetsu
    """What ``own_bunsetsu: auto`` means."""
    SETTINGS: tuple[str, ...]
    """The settings of `Reading` that count beside ``own_bunsetsu``."""


class Reader(Format, Protocol):
    """What a module has whose format is text."""

    def read(self, text: str, place: Place, how: Reading) -> Document:
        """Read one document. Raises FileProblem for a malformed one."""


@runtime_checkable
class TableReader(Format, Protocol):
    """What a module has whose files are corpora already, a file a split."""

    def convert(
        self, folder: Path, output: Path, how: Reading, ids: str | Path | None, limits: Limits
    ) -> Summary:
        """Check the files of a folder and write them as `zarpipe.readers.convert.convert` does."""


class Segmenter(Protocol):
    """What a module that cuts text into words has."""

    TAGSET: Tagset
    """Whose parts of speech the words have."""
    LIBRARIES: tuple[str, ...]
    """The distributions whose versions decide the words."""

    def resegmented(self, document: Document) -> Document:
        """Return a document in these words."""


def reader(name: str) -> Reader | TableReader:
    """Return the module that reads a format, a name in READERS."""
    module: Reader | TableReader = READERS.load(name)
    return module


def segmenter(name: str) -> Segmenter:
    """Return the module that cuts text into words, a name in SEGMENTERS."""
    module: Segmenter = SEGMENTERS.load(name)
    return module
