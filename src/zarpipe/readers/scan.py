"""Finds the documents of a corpus folder: which file, which bytes of it, which identifier."""

from __future__ import annotations

import contextlib
import functools
import gzip
import mmap
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from zarpipe.config import SPLITS
from zarpipe.errors import FileProblem, ZarpipeError
from zarpipe.readers.splits import is_ntc_name

Format = Literal["ntc", "knp", "parquet"]

_ENDINGS = {
    "ntc": (".ntc", ".txt", ".tab", ".cabocha", ".tsv"),
    "knp": (".knp",),
}
# Where NTC 1.5's distribution keeps the annotation on JUMAN morphemes, seen from folders that users name.
_DISTRIBUTION = ("dat/ntc/knp", "ntc/knp", "knp")
_NOT_CORPUS = re.compile(r"(readme|license|licence|copying|changes|unlabelled)", re.IGNORECASE)
_S_ID = re.compile(rb"^# S-ID: ?([^\s]*)", re.MULTILINE)
_KNOWN_S_ID = re.compile(r"(?:(w\d{6}-\d{10})|(wiki\d{8})|(\d{9}))(?:-\d+){1,2}")
_BAD_ID = re.compile(r"[\x00-\x1f\x7f/\\]")


@dataclass(frozen=True)
class Place:
    """Where a document stands.

    Attributes:
        path: file.
        doc_id: the file name without its ending; in concatenated files the document part of the S-ID.
        label: split whose folder or file it lies in, or None.
        start: first byte in the (uncompressed) file.
        stop: byte after the last, or None for the end of the file.
        line: line of the file at which it begins.
    """

    path: str
    doc_id: str
    label: str | None
    start: int = 0
    stop: int | None = None
    line: int = 1


def corpus_files(path: str | Path, corpus_format: Format) -> list[Path]:
    """Return the corpus files under ``path`` (a folder, or one file), sorted by name at every level.

    Raises:
        ZarpipeError: the path is missing, or there is no corpus file under it.
    """
    path = Path(path)
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ZarpipeError(f"{path}: no such file or folder; expected a corpus in the format {corpus_format}")
    root = _annotation_folder(path) if corpus_format == "ntc" else path
    files = sorted(file for file in root.rglob("*") if _is_corpus_file(file, root, corpus_format))
    if not files:
        endings = ", ".join(_ENDINGS[corpus_format])
        raise ZarpipeError(
            f"{path}: no corpus files found; expected files ending in {endings} (or the same with .gz) "
            f"for the format {corpus_format}"
        )
    return files


def documents_of(file: Path, root: Path) -> list[Place]:
    """Return the documents of one file, in text order.

    A file whose S-ID lines name several documents holds them one after the other. A file named as in the NTC
    distribution is always one document.

    Raises:
        FileProblem: the file is a folder, cannot be read, or gives a document an impossible name.
    """
    stem = document_stem(file)
    label = split_label(file, root)
    if is_ntc_name(stem):
        if file.is_dir():
            raise _not_a_file(file)
        return [Place(str(file), stem, label)]
    with contextlib.closing(_content(file)) as content:
        parts = list(_document_parts(content))
        names = {name for name, _ in parts}
        if not parts or (len(names) == 1 and stem not in SPLITS):
            return [Place(str(file), _checked(stem, file, None), label)]
        return _cut(content, parts, file, label)


def document_stem(file: Path) -> str:
    """Return the file's name without its ending (``.knp.gz`` is one ending)."""
    name = file.name
    if name.lower().endswith(".gz"):
        name = name[:-3]
    return os.path.splitext(name)[0]  # noqa: PTH122 - many files, and pathlib is slow


def split_label(file: Path, root: Path) -> str | None:
    """Return the split named by the file itself or by a folder between ``root`` and it."""
    name = document_stem(file).lower()
    return name if name in SPLITS else _folder_label(file.parent, root)


@functools.lru_cache(maxsize=256)
def _folder_label(folder: Path, root: Path) -> str | None:
    inner = folder.relative_to(root).parts if folder.is_relative_to(root) else ()
    return next((name.lower() for name in reversed(inner) if name.lower() in SPLITS), None)


def document_part(sent_id: str) -> str | None:
    """Return the document part of an S-ID, None if it has none.

    KWDLC, the Wikipedia Annotated Corpus and the Kyoto University Text Corpus number the pieces of a split
    sentence once more (w201106-0000120778-2-01); elsewhere it is what stands before the last ``-``.
    """
    if match := _KNOWN_S_ID.fullmatch(sent_id):
        return match[1] or match[2] or match[3]
    name, dash, _ = sent_id.rpartition("-")
    return name if dash and name else None


def _annotation_folder(path: Path) -> Path:
    for inner in _DISTRIBUTION:
        if (path / inner).is_dir():
            return path / inner
    return path


def _is_corpus_file(file: Path, root: Path, corpus_format: Format) -> bool:
    name = file.name.lower().removesuffix(".gz")
    if not name.endswith(_ENDINGS[corpus_format]) or name.startswith(".") or _NOT_CORPUS.match(name):
        return False
    return not _is_hidden(file.parent, root)


@functools.lru_cache(maxsize=256)
def _is_hidden(folder: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in folder.relative_to(root).parts)


def _content(file: Path) -> mmap.mmap:
    """Map a file into memory, so that a large one takes none; ``.gz`` is uncompressed into memory."""
    if file.is_dir():
        raise _not_a_file(file)
    try:
        if file.name.lower().endswith(".gz"):
            with gzip.open(file) as compressed:
                content = compressed.read()
            mapped = mmap.mmap(-1, max(1, len(content)))
            mapped.write(content)
            return mapped
        with file.open("rb") as stream:
            empty = not stream.read(1)
            return mmap.mmap(-1, 1) if empty else mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except (gzip.BadGzipFile, EOFError) as error:
        raise FileProblem(
            file, None, f"cannot be uncompressed ({error}); expected a whole gzip file"
        ) from None
    except OSError as error:
        raise FileProblem(
            file, None, f"cannot be read ({error.strerror or error}); check the file and its permissions"
        ) from None


def _document_parts(content: mmap.mmap) -> Iterator[tuple[str, int]]:
    """Yield (document part of the S-ID, byte offset of its line) for every S-ID line that has one."""
    for match in _S_ID.finditer(content):
        name = document_part(match[1].decode("utf-8", "backslashreplace"))
        if name is not None:
            yield name, match.start()


def _cut(content: mmap.mmap, parts: list[tuple[str, int]], file: Path, label: str | None) -> list[Place]:
    starts = [
        (name, 0 if index == 0 else offset)
        for index, (name, offset) in enumerate(parts)
        if index == 0 or name != parts[index - 1][0]
    ]
    places = []
    line, position = 1, 0
    for index, (name, start) in enumerate(starts):
        line += content[position:start].count(b"\n")
        position = start
        stop = starts[index + 1][1] if index + 1 < len(starts) else None
        places.append(Place(str(file), _checked(name, file, line), label, start, stop, line))
    return places


def _checked(doc_id: str, file: Path, line: int | None) -> str:
    if match := _BAD_ID.search(doc_id):
        raise FileProblem(
            file,
            line,
            f"the document id {doc_id!r} contains {match[0]!r}; expected neither control characters nor path "
            "separators",
        )
    return doc_id


def _not_a_file(file: Path) -> FileProblem:
    return FileProblem(file, None, "found a directory where a corpus file is expected; move or rename it")
