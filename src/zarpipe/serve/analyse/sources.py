"""Where the sentences to be analysed come from: a text, a stream of text, or a corpus file."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from zarpipe.config.pos_sets import Tagset
from zarpipe.readers.convert import read_document
from zarpipe.readers.raw_text import ByteStream, lines
from zarpipe.readers.reading import Reading, reading
from zarpipe.readers.scan import (
    contents,
    document_stem,
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
_ENDINGS: dict[str, Input] = {".knp": "knp", ".cabocha": "tab", ".tab": "tab", ".ntc": "tab"}
# What the sentences of raw text belong to, where it has no name.
_UNNAMED = "text"
# The KNP format cannot hold a sentence's name with one of these.
_NOT_IN_NAMES = re.compile(r'[\s"]')
_BYTES_TO_LOOK_AT = 4096
# A word of CaboCha's output as it is without the option for named entities, which the annotated form has.
_WITHOUT_NAMED_ENTITY = re.compile(rb"^([^\t\n]+\t[^\t\n]+)$", re.MULTILINE)
_ANNOTATED = re.compile(rb"(# S-ID|\* ?-?\d+ ?-?\d*[A-Z])")


def kind_of(file: Path) -> Input:
    """Tell what a file holds, by its ending or else by its first lines."""
    ending = next((suffix for suffix in reversed(file.suffixes) if suffix.lower() != ".gz"), "").lower()
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    with opened(file) as stream:
        first = [line.strip() for line in stream.read1(_BYTES_TO_LOOK_AT).splitlines()]
    if not first or not _ANNOTATED.match(first[0]):
        return "text"
    return "knp" if any(line.startswith(b"+") for line in first) else "tab"


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
    document = _NOT_IN_NAMES.sub("_", document_stem(Path(name))) if name != "-" else _UNNAMED
    number = 1
    for come in lines(stream, encoding, name):
        cut = (one for line in come for one in source_sentences(line.text, line.start))
        sentences = list(_named(cut, document, number))
        number += len(sentences)
        yield sentences


def of_corpus(file: Path, kind: Input) -> tuple[Tagset, Iterator[list[Sentence]]]:
    """Return whose parts of speech a file has, and the sentences of each document in its words and bunsetsu.

    Places count characters of the sentences of the whole file, one after the other.

    Raises:
        ZarpipeError: the file is malformed; beyond its first document, when the sentences are read.
    """
    documents = _documents(file, reading(_FORMATS[kind]))
    first = next(documents)
    return first.tagset or "juman", _of_documents(itertools.chain([first], documents))


def _of_documents(documents: Iterable[Document]) -> Iterator[list[Sentence]]:
    place = 0
    for document in documents:
        sentences = []
        for sentence in document.sentences:
            sentences.append(sentence._replace(doc_id=document.doc_id, start=place))
            place = sentences[-1].end
        yield sentences


def _documents(file: Path, how: Reading) -> Iterator[Document]:
    places = documents_of(file, file.parent)
    for place, content in contents(str(file), places):
        whole = _WITHOUT_NAMED_ENTITY.sub(rb"\1\tO", content) if isinstance(content, bytes) else content
        yield read_document(whole, place, how)


def _named(sentences: Iterator[Sentence], document: str, first: int) -> Iterator[Sentence]:
    for number, sentence in enumerate(sentences, first):
        yield sentence._replace(sent_id=f"{document}-{number}", doc_id=document)
