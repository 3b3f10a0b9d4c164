"""Files that appear only when whole, and digests that say what a file was made from."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import io
import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from zarpipe.characters import is_unseen
from zarpipe.errors import ZarpipeError

# What the system says when it cannot write, as libraries quote it.
_REFUSALS = tuple(
    os.strerror(code) for code in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO)
)


@contextlib.contextmanager
def explained_writing(path: str | Path, what: str = "file") -> Iterator[None]:
    """Turn a failed write into a ZarpipeError that names ``path``.

    HDF5 and the libraries written in Rust wrap the system's error in exceptions of their own, which only
    their text tells.
    """
    try:
        yield
    except ZarpipeError:
        raise
    except Exception as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else None
        reason = reason or next((refusal for refusal in _REFUSALS if refusal in str(error)), None)
        if reason is None:
            raise
        raise ZarpipeError(
            f"{path}: cannot write this {what} ({reason}); check the disk space and permissions"
        ) from error


@contextlib.contextmanager
def whole_stream(path: str | Path) -> Iterator[BinaryIO]:
    """Yield an open binary file beside ``path``; on success flush it to disk and rename it to ``path``.

    The file has a random name and is made exclusively, never through a link that somebody laid there: two
    writers of one output, in two containers too, do not disturb each other, and the last rename wins with a
    whole file. While it is written it is locked, so that the next writer of ``path`` can tell it from what a
    killed run left behind, which is removed. On any error it is removed and ``path`` stays as it was.

    Libraries get the open file, not its name: some take a name such as ``~/r`` or ``a:b`` for another place.
    """
    path = Path(path)
    with explained_writing(path):
        _prepare(path)
        stream, temporary = _locked_file(path)
    try:
        with explained_writing(path), stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            if not _is_at(stream.fileno(), temporary):
                raise ZarpipeError(
                    f"{path}: another process took away or replaced its temporary file {temporary.name}; "
                    "run it again, and check who may write into this folder"
                )
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def whole_text(path: str | Path) -> Iterator[TextIO]:
    """Yield a text file in UTF-8 (line ends as written) that appears as ``path`` only when whole."""
    with whole_stream(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        yield text
        text.detach()  # what was written is flushed; the stream stays open


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Yield the path of a ``whole_stream``, for functions that take nothing else."""
    with whole_stream(path) as stream:
        yield Path(stream.name)


@contextlib.contextmanager
def hidden_folder(path: str | Path) -> Iterator[Path]:
    """Yield a new hidden folder beside ``path``, to be filled and moved there by the caller.

    As with ``whole_stream`` its name is random, it is locked meanwhile, and what killed runs left of the same
    ``path`` is removed. It is gone in the end unless it was moved.
    """
    path = Path(path)
    with explained_writing(path, "folder"):
        _prepare(path)
        folder, descriptor = _locked_folder(path)
    try:
        with explained_writing(path, "folder"):
            yield folder
    finally:
        os.close(descriptor)
        shutil.rmtree(folder, ignore_errors=True)


def _prepare(path: Path) -> None:
    """Make the folder of an output and remove what killed runs left of the output there.

    Raises ZarpipeError: the output is a device or a pipe, which a file would replace.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ZarpipeError(f"{path}: found a device or a pipe; expected a file that can be replaced")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ZarpipeError(
            f"{path.parent}: cannot create this folder ({error.strerror}); choose another output path"
        ) from error
    left = re.compile(rf"\.{re.escape(path.name)}\.\w+\.part")
    for entry in os.scandir(path.parent):
        if left.fullmatch(entry.name):
            _remove_if_nobodys(Path(entry.path))


def _remove_if_nobodys(left: Path) -> None:
    """Remove a hidden file or folder that no living writer has locked."""
    try:
        # NFS gives a lock only on a file that is open for writing; it has none for folders.
        access = os.O_RDONLY if stat.S_ISDIR(left.lstat().st_mode) else os.O_RDWR
        descriptor = os.open(left, access | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return  # gone meanwhile, somebody else's, or a link that nobody should follow
    try:
        if not _lock(descriptor):
            return
        if access == os.O_RDONLY:
            shutil.rmtree(left, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                left.unlink()
    finally:
        os.close(descriptor)


def _locked_file(path: Path) -> tuple[BinaryIO, Path]:
    """Create a new hidden file beside ``path`` and lock it."""
    while True:
        temporary = _new_name(path)
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
        # Another writer may have looked between the two steps and taken the file for a killed run's.
        if _lock(descriptor) is not False and _is_at(descriptor, temporary):
            return _opened(temporary, descriptor), temporary
        os.close(descriptor)


def _opened(path: Path, descriptor: int) -> BinaryIO:
    """Return the stream of an open file; it knows its path as ``name``."""
    return open(path, "w+b", opener=lambda *_: descriptor)


def _locked_folder(path: Path) -> tuple[Path, int]:
    """Create a new hidden folder beside ``path`` and lock it; return it with the lock's descriptor."""
    while True:
        folder = _new_name(path)
        folder.mkdir()
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except FileNotFoundError:
            continue  # as below, before it could be locked
        if _lock(descriptor) is not False and _is_at(descriptor, folder):
            return folder, descriptor
        os.close(descriptor)


def _new_name(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")


def _lock(descriptor: int) -> bool | None:
    """Lock an open file for this process. False: another has locked it. None: this place has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    """Tell whether an open file is what stands at ``path``, and no link to it."""
    try:
        there = path.lstat()
    except OSError:
        return False
    return os.path.samestat(there, os.fstat(descriptor))


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 text so that ``path`` is never half-written."""
    with whole_text(path) as stream:
        stream.write(text)


def write_json(path: str | Path, value: Any) -> None:
    """Write ``value`` as indented JSON (no NaN) so that ``path`` is never half-written.

    Characters that steer a terminal or turn the direction of text are escaped.
    """
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    seen = (
        json.dumps(character)[1:-1] if is_unseen(character) and character != "\n" else character
        for character in text
    )
    write_text(path, "".join(seen) + "\n")


def read_json(path: str | Path) -> Any:
    """Read a JSON file; raise ZarpipeError when it is missing or damaged."""
    try:
        return parse_json(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ZarpipeError(f"{path}: cannot read this file ({error.strerror})") from error
    except ValueError as error:
        raise ZarpipeError(f"{path}: not valid JSON ({error}); delete the file and make it again") from error


def parse_json(text: str | bytes) -> Any:
    """Return what JSON says. Raises ValueError: it is none, or is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def file_digest(path: str | Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ZarpipeError(f"{path}: cannot read this file ({error.strerror})") from error


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
