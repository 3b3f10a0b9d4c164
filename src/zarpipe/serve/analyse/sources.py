"""Where the sentences to be analysed come from: a text, a stream of text, or a corpus file."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import FileProblem, ZarpipeError
from zarpipe.readers.convert import read_document
from zarpipe.readers.raw_text import ByteStream, lines
from zarpipe.readers.reading import Reading, reading
from zarpipe.readers.scan import (
    LARGEST_DOCUMENT,
    contents,
    document_stem,
    documents_in,
    documents_of,
    explained_reading,
    is_compressed,
    refuse_special,
)
from zarpipe.serve.bundle.text import source_sentences
from zarpipe.task.documents import Document, Sentence

Input = Literal["text", "knp", "tab"]
"""What a file holds: raw text, the output of KNP, or CaboCha's tab-separated form."""

_FORMATS = {"knp": "knp", "tab": "ntc"}
_PROGRAMS = {"knp": "KNP's", "tab": "CaboCha's"}
_ENDINGS: dict[str, Input] = {".knp": "knp", ".cabocha": "tab", ".tab": "tab", ".ntc": "tab"}
STANDARD_INPUT = "-"
# What the sentences belong to, where the text has no name.
_UNNAMED = "text"
# The KNP format cannot hold a sentence's name with one of these.
_NOT_IN_NAMES = re.compile(r'[\s"]')
_BYTES_TO_LOOK_AT = 4096
# A word of CaboCha's output as it is without the option for named entities, which the annotated form has.
_WITHOUT_NAMED_ENTITY = re.compile(rb"^([^\t\n]+\t[^\t\n]+)$", re.MULTILINE)
_ANNOTATED = re.compile(rb"# S-ID:|\* ?-?\d+ ?-?\d*[A-Z](?:[ \t\r<]|$)")
_BASE_PHRASE = re.compile(rb"^\+ ?-?\d", re.MULTILINE)


def kind_of(file: Path) -> Input:
    """Tell what a file holds, by its ending or else by its first lines."""
    ending = next((suffix for suffix in reversed(file.suffixes) if suffix.lower() != ".gz"), "").lower()
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    with opened(file) as stream:
        return BegunStream(stream).kind


class BegunStream:
    """A stream whose beginning has been looked at, to tell what it holds.

    That is its first line that is not blank; of an annotated text, the first sentence.
    """

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._begun = b""
        while len(self._begun) < _BYTES_TO_LOOK_AT and not self._is_enough():
            content = stream.read1(_BYTES_TO_LOOK_AT)
            if not content:
                break
            self._begun += content

    def _is_enough(self) -> bool:
        first, newline, others = self._lines()
        return bool(newline) and (b"\nEOS" in others or not _ANNOTATED.match(first))

    def _lines(self) -> tuple[bytes, bytes, bytes]:
        return self._begun.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")

    @property
    def kind(self) -> Input:
        """What the stream holds."""
        first, _, others = self._lines()
        if not _ANNOTATED.match(first):
            return "text"
        return "knp" if _BASE_PHRASE.search(others) else "tab"

    def read1(self, size: int, /) -> bytes:
        """Return what is there, without waiting for more; nothing at the end."""
        begun, self._begun = self._begun, b""
        return begun or self._stream.read1(size)

    def all(self) -> bytes:
        """Return all of it, an annotated text. Raises ZarpipeError if that is more than a document has."""
        content = bytearray()
        while more := self.read1(_BYTES_TO_LOOK_AT):
            content += more
            if len(content) > LARGEST_DOCUMENT:
                found = f"standard input: found more than {LARGEST_DOCUMENT >> 20} MiB of annotated text"
                raise ZarpipeError(f"{found}; put it into a file")
        return bytes(content)


@contextlib.contextmanager
def opened(file: Path) -> Iterator[ByteStream]:
    """Open a file of raw text, compressed or not.

    Raises:
        ZarpipeError: it is none, or cannot be read.
    """
    refuse_special(file)
    with explained_reading(file), gzip.open(file) if is_compressed(file) else file.open("rb") as stream:
        yield stream


def of_text(text: str) -> Iterator[list[Sentence]]:
    """Yield the sentences of a text."""
    yield list(_named(source_sentences(text), _UNNAMED, 1))


def of_stream(stream: ByteStream, encoding: str, name: str) -> Iterator[list[Sentence]]:
    """Yield the sentences of raw text, at each time those of the lines that have come.

    ``name``: of the stream, for messages and as the document's.

    Raises:
        ZarpipeError: bytes that the encoding does not have.
    """
    document = _NOT_IN_NAMES.sub("_", document_stem(Path(name))) if name != STANDARD_INPUT else _UNNAMED
    number = 1
    for come in lines(stream, encoding, name):
        cut = (one for line in come for one in source_sentences(line.text, line.start))
        sentences = list(_named(cut, document, number))
        number += len(sentences)
        yield sentences


def of_corpus(
    source: Path | BegunStream, kind: Input, guessed: bool
) -> tuple[Tagset, Iterator[list[Sentence]]]:
    """Return whose parts of speech a text has, and the sentences of each document in its words and bunsetsu.

    Places count characters of the sentences of the whole text, one after the other. ``guessed``: nobody
    said that it is of this kind.

    Raises:
        ZarpipeError: the source is malformed; beyond its first document, when the sentences are read.
    """
    documents = _documents(source, reading(_FORMATS[kind]))
    try:
        first = next(documents)
    except FileProblem as problem:
        if not guessed:
            raise
        hint = f"{problem.message}. Its first line is one of {_PROGRAMS[kind]}; for raw text: --input text"
        raise FileProblem(problem.path, problem.line, hint) from problem
    return first.tagset or "juman", _of_documents(itertools.chain([first], documents))


def _of_documents(documents: Iterable[Document]) -> Iterator[list[Sentence]]:
    place = 0
    for document in documents:
        sentences = []
        for sentence in document.sentences:
            sentences.append(sentence._replace(doc_id=document.doc_id, start=place))
            place = sentences[-1].end
        yield sentences


def _documents(source: Path | BegunStream, how: Reading) -> Iterator[Document]:
    if isinstance(source, Path):
        found = contents(str(source), documents_of(source, source.parent))
    else:
        text = source.all()
        places = documents_in(text, STANDARD_INPUT, _UNNAMED)
        found = ((place, text[place.start : place.stop]) for place in places)
    for place, content in found:
        whole = _WITHOUT_NAMED_ENTITY.sub(rb"\1\tO", content) if isinstance(content, bytes) else content
        yield read_document(whole, place, how)


def _named(sentences: Iterator[Sentence], document: str, first: int) -> Iterator[Sentence]:
    for number, sentence in enumerate(sentences, first):
        yield sentence._replace(sent_id=f"{document}-{number}", doc_id=document)
