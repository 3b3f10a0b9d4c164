"""How documents are read: the settings, where a document stands, and what the module of a format has.

A format is one module of this package with the names of `Reader`, and one line in
`zarpipe.config.corpus.READERS` (docs/extending/corpus-format.md).
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from zarpipe.config.corpus import READERS, SEGMENTERS
from zarpipe.config.pos_sets import Tagset
from zarpipe.task.documents import ConstructionMentions, Document, OwnBunsetsu

if TYPE_CHECKING:
    from zarpipe.readers.summary import Summary  # loads pyarrow, which other commands do not need

SplitRule = Literal["taira", "folders", "ids"]
Predicates = Literal["verbal", "verbal_and_nominal"]


@dataclass(frozen=True)
class Place:
    """Where a document stands."""

    path: str
    doc_id: str  # the file name without its ending; in concatenated files the document part of the S-ID
    label: str | None = None  # split whose folder or file it lies in, or None
    start: int = 0  # first byte in the (uncompressed) file
    stop: int | None = None  # byte after the last, or None for the end of the file
    line: int = 1  # line of the file at which it begins


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


def reading(
    corpus_format: str,
    own_bunsetsu: Literal["auto", "drop_case", "drop_mention"] = "auto",
    predicates: Predicates = "verbal",
    coreferent_mentions: bool = True,
    construction_mentions: ConstructionMentions = "sentence",
    tokens: str = "gold",
) -> Reading:
    """Return how to read a format; ``auto`` takes the format's own default.

    What a format does not know is left at its default, so that equal readings are equal.
    """
    module = reader(corpus_format)
    settings: dict[str, Any] = {
        "predicates": predicates,
        "coreferent_mentions": coreferent_mentions,
        "construction_mentions": construction_mentions,
    }
    return Reading(
        corpus_format,
        module.OWN_BUNSETSU if own_bunsetsu == "auto" else own_bunsetsu,
        **{name: settings[name] for name in module.SETTINGS},
        tokens=tokens,
    )


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
        self,
        folder: Path,
        output: Path,
        how: Reading,
        ids: str | Path | None,
        limits: Mapping[str, int | None],
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
