"""Digests of the user's files: of a corpus, a model, a policy. Known ones are not read again."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from zarpipe.characters import escaped
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest, parse_json, write_json


def content_digest(path: str | Path, memory: str | Path, files: Iterable[Path]) -> str | None:
    """Return a digest of the names and bytes of files, seen from a folder; None if that is not there.

    A file that was touched, or copied over with the same bytes, does not change it. Nothing else in the
    folder counts (.git, .DS_Store, README). ``memory`` is a JSON file that keeps the digests of files, so
    that large ones are read again only when they may have changed; it can be deleted at any time.
    """
    root = Path(path)
    if not root.exists():
        return None
    known = _remembered(Path(memory))
    kept = dict(known)
    whole = hashlib.sha256()
    for file in sorted(files):
        name = escaped(str(file.absolute()))
        digest, state = _digest_and_state(file, known.get(name))
        if state is not None:
            kept[name] = [*state, digest]
        whole.update(os.fsencode(os.path.relpath(file, root)) + f"\0{digest}\n".encode())
    if kept != known:
        # A memory that cannot be written only costs time.
        with contextlib.suppress(ZarpipeError):
            write_json(memory, kept)
    return whole.hexdigest()[:16]


# A file that was changed so short a time ago may change once more within the same time: the clocks of file
# systems take steps of up to two seconds. (Git distrusts its index for the same reason.)
_SETTLED_NS = 5_000_000_000


def _digest_and_state(file: Path, known: Any) -> tuple[str, list[int] | None]:
    """Return a file's digest, and its state if that can be trusted; a file in a known state is not read.

    Known are the numbers of its state, then the digest; the rest is damage. What cannot be read, or is no
    file, counts by its name alone: the command that reads it will name it.
    """
    before = _state(file)
    if before is None:
        return "", None
    if isinstance(known, list) and known[:-1] == before:
        return str(known[-1]), before
    try:
        digest = file_digest(file)
    except ZarpipeError:
        return "", None
    settled = before == _state(file) and max(before[1:3]) < time.time_ns() - _SETTLED_NS
    return digest, before if settled else None


def _state(file: Path) -> list[int] | None:
    """Return what differs after every change of a file: a program can set back all but the second time."""
    try:
        status = file.stat()
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _remembered(memory: Path) -> dict[str, Any]:
    try:
        known = parse_json(memory.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
