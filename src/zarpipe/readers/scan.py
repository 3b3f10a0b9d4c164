"""Finds the documents of a corpus folder: which file, which bytes of it, which identifier."""

from __future__ import annotations

import contextlib
import functools
import gzip
import mmap
import os
import re
import stat
import unicodedata
import zlib
from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path

from zarpipe.config import SPLITS
from zarpipe.errors import FileProblem, ZarpipeError
from zarpipe.readers.reading import Place, reader
from zarpipe.readers.splits import is_ntc_name

_NOT_CORPUS = re.compile(r"(readme|license|licence|copying|changes|unlabelled)", re.IGNORECASE)
_S_ID = re.compile(rb"^# S-ID: ?([^\s]*)", re.MULTILINE)
_KNOWN_S_ID = re.compile(r"(w\d{6}-\d{10}|wiki\d{8}|\d{9})(?:-\d+){1,2}")
_BAD_ID = re.compile(r"[\x00-\x1f\x7f/\\]")
# What a dangling link without such an ending pointed to may have been a folder of documents.
_OTHER_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}\Z")
# The largest corpora of this kind have some 100 MB in all, and their documents some 100 kB.
LARGEST_DOCUMENT = 1 << 28


def corpus_files(path: str | Path, corpus_format: str) -> list[Path]:
    """Return the corpus files under ``path`` (a folder, or one file), sorted by name at every level.

    Links to files and to folders are followed. Hidden files and folders are left out. Raises ZarpipeError if
    the path is missing, a folder cannot be read, a link leads nowhere, or there is no corpus file.
    """
    path = Path(path)
    module = reader(corpus_format)
    if path.is_dir():
        root = next((path / inner for inner in module.FOLDERS if (path / inner).is_dir()), path)
        files = sorted(_files_below(root, module.ENDINGS, frozenset()), key=_order)
    elif path.exists():
        files = [path]
    else:
        raise ZarpipeError(f"{path}: no such file or folder; expected a corpus in the format {corpus_format}")
    if not files:
        endings = f"{', '.join(module.ENDINGS)} (or the same with .gz) for the format {corpus_format}"
        raise ZarpipeError(f"{path}: no corpus files found; expected files ending in {endings}")
    return files


def documents_of(file: Path, root: Path) -> list[Place]:
    """Return the documents of one file, in text order.

    A file whose S-ID lines name several documents holds them one after the other. A file named as in the NTC
    distribution is always one document. Raises FileProblem if the file is a folder, cannot be read, or gives
    a document an impossible name.
    """
    refuse_special(file)
    stem, label = document_stem(file), _split_label(file, root)
    if is_ntc_name(stem):
        return [Place(str(file), stem, label)]
    return documents_in(_content(file), str(file), stem, label)


def documents_in(content: bytes | mmap.mmap, file: str, stem: str, label: str | None = None) -> list[Place]:
    """Return the documents of some content, as `documents_of` those of a file; ``stem`` is its name."""
    # Where the document part of the S-IDs changes, a document begins; the first at the beginning of the file.
    parts = groupby(_document_parts(content), key=lambda part: part[0])
    starts = [next(group) for _, group in parts]
    if not starts or (len({name for name, _ in starts}) == 1 and stem not in SPLITS):
        return [Place(file, _checked(stem, file, None), label)]
    places, line = [], 1
    for (name, start), (_, stop) in pairwise([(starts[0][0], 0), *starts[1:], ("", None)]):
        places.append(Place(file, _checked(name, file, line), label, start or 0, stop, line))
        line += content[start:stop].count(b"\n") if stop is not None else 0
    return places


def contents(path: str, places: list[Place]) -> Iterator[tuple[Place, bytes | FileProblem]]:
    """Yield each document's bytes, or why they cannot be read; opens the file once."""
    try:
        with (
            explained_reading(path),
            gzip.open(path) if is_compressed(path) else open(path, "rb") as stream,  # noqa: PTH123
        ):
            for place in places:
                stream.seek(place.start)
                size = LARGEST_DOCUMENT + 1 if place.stop is None else place.stop - place.start
                yield place, _small_enough(place, stream.read(min(size, LARGEST_DOCUMENT + 1)))
    except FileProblem as problem:
        for place in places:
            yield place, problem


def _small_enough(place: Place, content: bytes) -> bytes | FileProblem:
    if len(content) <= LARGEST_DOCUMENT:
        return content
    found = f"the document {place.doc_id!r} has more than {LARGEST_DOCUMENT >> 20:,} MiB"
    return place.problem(f"{found}; expected an annotated text. Is this a corpus file?")


def document_stem(file: Path) -> str:
    """Return the file's name without its ending (``.knp.gz`` is one ending).

    A name's bytes are taken for UTF-8 whatever the locale is; those that are not stay as surrogates.
    """
    name = _utf_8(file.name)
    return os.path.splitext(name[:-3] if is_compressed(name) else name)[0]  # noqa: PTH122 - pathlib is slow


def _utf_8(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "surrogateescape")


def _split_label(file: Path, root: Path) -> str | None:
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
        return match[1]
    return sent_id.rpartition("-")[0] or None


def _files_below(folder: Path, endings: tuple[str, ...], above: frozenset[str]) -> Iterator[Path]:
    """Yield the corpus files of a folder and its subfolders.

    ``above`` has the real paths of the folders on the way here; a link back to one of them has nothing new.
    """
    real = os.path.realpath(folder)
    if real in above:
        return
    for entry in _entries(folder):
        name = entry.name.lower().removesuffix(".gz")
        path = folder / entry.name
        if name.startswith("."):
            continue
        if name.endswith(endings):
            if not _NOT_CORPUS.match(name):
                yield path
        elif os.path.isdir(path):  # noqa: PTH112 - false for every error
            yield from _files_below(path, endings, above | {real})
        elif (
            entry.is_symlink()
            and not os.path.exists(path)  # noqa: PTH110 - false for every error
            and not (_NOT_CORPUS.match(name) or _OTHER_ENDING.search(name))
        ):
            found = f"this link leads nowhere (to {path.readlink()}), so that documents may be missing"
            raise FileProblem(path, None, f"{found}; mend or remove it")


def _order(file: Path) -> tuple[str, ...]:
    """Return what files are sorted by: equal for composed and decomposed names, and in every locale."""
    if str(file).isascii():
        return file.parts
    return tuple(unicodedata.normalize("NFC", _utf_8(part)) for part in file.parts)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        message = f"cannot be read ({error.strerror}); check the folder and its permissions"
        raise FileProblem(folder, None, message) from None


def _content(file: Path) -> bytes | mmap.mmap:
    """Map a file into memory, so that a large one takes none; ``.gz`` is uncompressed."""
    with explained_reading(file):
        if not is_compressed(file):
            with file.open("rb") as stream:
                return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) if stream.read(1) else b""
        with gzip.open(file) as compressed:
            content = compressed.read(LARGEST_DOCUMENT + 1)
    if len(content) > LARGEST_DOCUMENT:
        found = f"unpacks to more than {LARGEST_DOCUMENT >> 20:,} MiB"
        expected = "expected a compressed corpus file. Uncompress it (gunzip) if it is one"
        raise FileProblem(file, None, f"{found}; {expected}")
    return content


def is_compressed(file: str | Path) -> bool:
    """Tell whether a file's name says that it is compressed."""
    return os.fspath(file).lower().endswith(".gz")


def refuse_special(file: Path) -> None:
    """Raise FileProblem for what is no file: a folder, or a pipe or device, which may never end.

    What is not there, or cannot be looked at, is left to the attempt to read it.
    """
    try:
        mode = file.stat().st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode):
        kind = "directory" if stat.S_ISDIR(mode) else "pipe" if stat.S_ISFIFO(mode) else "socket or device"
        raise FileProblem(file, None, f"found a {kind} where a corpus file is expected; move or rename it")


@contextlib.contextmanager
def explained_reading(file: str | Path) -> Iterator[None]:
    """Turn a failed read into a FileProblem that names the file."""
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        message = f"cannot be uncompressed ({error}); expected a whole gzip file"
        raise FileProblem(file, None, message) from None
    except OSError as error:
        message = f"cannot be read ({error.strerror or error}); check the file and its permissions"
        raise FileProblem(file, None, message) from None


def _document_parts(content: bytes | mmap.mmap) -> Iterator[tuple[str, int]]:
    """Yield (document part of the S-ID, byte offset of its line) for every S-ID line that has one."""
    for match in _S_ID.finditer(content):
        name = document_part(match[1].decode("utf-8", "backslashreplace"))
        if name is not None:
            yield name, match.start()


def _checked(doc_id: str, file: str, line: int | None) -> str:
    """Refuse an impossible name; return it composed (NFC), as names from macOS are not."""
    if any("\udc80" <= character <= "\udcff" for character in doc_id):
        raise FileProblem(file, line, f"the file's name is not UTF-8{_perhaps(doc_id)}; rename it in UTF-8")
    if match := _BAD_ID.search(doc_id):
        found = f"the document id {doc_id!r} contains {match[0]!r}"
        raise FileProblem(file, line, f"{found}; expected neither control characters nor path separators")
    return unicodedata.normalize("NFC", doc_id)


def _perhaps(doc_id: str) -> str:
    """Say what the name would be in the encodings that archives from Japan carry."""
    name = doc_id.encode("utf-8", "surrogateescape")
    for encoding, title in (("cp932", "Shift_JIS"), ("euc_jp", "EUC-JP")):
        with contextlib.suppress(UnicodeDecodeError):
            return f" (in {title} it is {name.decode(encoding)!r})"
    return ""
