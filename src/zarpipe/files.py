"""Files that appear only when whole, and digests that say what a file was made from."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from zarpipe.errors import ZarpipeError

_CHUNK_BYTES = 1 << 20
# What the system says when it cannot write, as libraries quote it.
_REFUSALS = tuple(
    os.strerror(code) for code in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO)
)


# Told before a file is replaced: see `replacements_announced_to`.
_listeners: list[Callable[[], None]] = []


@contextlib.contextmanager
def replacements_announced_to(listener: Callable[[], None]) -> Iterator[None]:
    """Call ``listener`` before each file that is replaced meanwhile."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def announce_replacement() -> None:
    """Tell the listeners that a file is about to be replaced (for those who do not use `whole_file`)."""
    for listener in _listeners:
        listener()


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
def whole_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; on success flush it to disk and rename it to ``path``.

    The temporary file carries the process id, so that two processes writing the same file do not disturb
    each other: the last rename wins with a whole file. On any error it is removed and ``path`` stays as it
    was.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ZarpipeError(
            f"{path.parent}: cannot create this folder ({error.strerror}); choose another output path"
        ) from error
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with explained_writing(path):
            yield temporary
            with temporary.open("rb+") as stream:
                os.fsync(stream.fileno())
            announce_replacement()
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 text so that ``path`` is never half-written."""
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: str | Path, value: Any) -> None:
    """Write ``value`` as indented JSON (no NaN) so that ``path`` is never half-written."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n")


def read_json(path: str | Path) -> Any:
    """Read a JSON file; raise ZarpipeError when it is missing or damaged."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ZarpipeError(f"{path}: cannot read this file ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise ZarpipeError(f"{path}: not valid JSON ({error}); delete the file and make it again") from error


def file_digest(path: str | Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    digest = hashlib.sha256()
    try:
        with Path(path).open("rb") as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                digest.update(chunk)
    except OSError as error:
        raise ZarpipeError(f"{path}: cannot read this file ({error.strerror})") from error
    return digest.hexdigest()


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
