"""Seals: what the bytes of each file of a results folder must be, and which job wrote them.

A job of the workflow writes a small JSON file, the *seal*, for each file that it has made: its SHA-256, its
size, and the job with its key. The seal of ``RESULTS/scores/a.json`` is
``RESULTS/records/files/scores/a.json.json``. Whoever reads a file of any kind first calls `check`, so that a
damaged, exchanged or edited file never gets into a number. A file from elsewhere has no seal; then the checks
of its own format are all there is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest, read_json, write_json

RECORDS = "records"
FOLDER = f"{RECORDS}/files"
"""Below a results folder, and below a folder of a shared store."""

_KEYS = {"file": str, "sha256": str, "bytes": int, "jobs": dict}

# (path, number of the file, size, time) -> SHA-256: a process reads a file for its digest once.
_digests: dict[tuple[str, int, int, int], str] = {}


def check(path: str | Path) -> bool:
    """Compare a file with its seal.

    Returns:
        Whether the file has a seal (and is what it says).

    Raises:
        ZarpipeError: the file is not what its job wrote, or the seal itself is damaged.
    """
    root = _sealed_folder(Path(path))
    if root is None or not Path(path).is_file():
        return False
    name = _name(root, path)
    place = seal_path(root, name)
    if not place.is_file():
        return False
    seal = _read(place, path)
    if seal["file"] != name:
        _refuse(path, seal, f"its seal {place} is that of {seal['file']}")
    size = Path(path).stat().st_size
    if size != seal["bytes"]:
        _refuse(path, seal, f"found {size} bytes, expected {seal['bytes']}")
    found = digest(path)
    if found != seal["sha256"]:
        _refuse(path, seal, f"found sha256 {found[:12]}, expected {seal['sha256'][:12]}")
    if not _has_record(root, seal["jobs"]):
        _refuse(path, seal, "it was made with other settings than the job's record says")
    return True


def has_seals(folder: str | Path) -> bool:
    """Tell whether this is a folder whose files are sealed."""
    return (Path(folder) / FOLDER).is_dir()


def broken(folder: str | Path) -> Iterator[str]:
    """Check every sealed file of a results folder; give one line for each that is missing or changed."""
    root = Path(folder)
    for place in sorted((root / FOLDER).rglob("*.json")):
        path = root / place.relative_to(root / FOLDER).as_posix().removesuffix(".json")
        try:
            if not path.is_file():
                yield f"{path}: not there any more; let snakemake make it again, if it is needed"
            else:
                check(path)
        except ZarpipeError as error:
            yield str(error)


def write(root: str | Path, path: str | Path, jobs: Mapping[str, str]) -> None:
    """Seal a file as it is now.

    Args:
        root: results folder, or folder of a shared store.
        path: the file below it.
        jobs: name -> key of the jobs whose command has written it (several where one trains several seeds).
    """
    name = _name(Path(root), path)
    size = Path(path).stat().st_size
    sealed = {"file": name, "sha256": digest(path), "bytes": size, "jobs": dict(jobs)}
    write_json(seal_path(root, name), sealed)


def copy(root: str | Path, link: str | Path, file: str | Path, jobs: Mapping[str, str]) -> None:
    """Seal a link into a shared store by the seal that the store has; only without one the file is read.

    Args:
        root: results folder.
        link: the link below it.
        file: the file in the store, ``STORE/KIND/KEY/NAME``.
        jobs: as in `write`.
    """
    try:
        seal = read_json(seal_path(Path(file).parent, Path(file).name))
    except ZarpipeError:
        seal = None
    if not _is_seal(seal):
        write(root, link, jobs)
        return
    name = _name(Path(root), link)
    write_json(seal_path(root, name), {**seal, "file": name, "jobs": dict(jobs)})


def remove(root: str | Path, path: str | Path) -> None:
    """Take a file's seal away, before the file is replaced."""
    seal_path(root, _name(Path(root), path)).unlink(missing_ok=True)


def seal_path(root: str | Path, name: str) -> Path:
    """Return where the seal of a file lies that is known by its path below a folder."""
    return Path(root) / FOLDER / f"{name}.json"


def digest(path: str | Path) -> str:
    """Return the SHA-256 of a file; a process reads an unchanged file once."""
    try:
        status = Path(path).stat()
    except OSError as error:
        raise ZarpipeError(f"{path}: cannot read this file ({error.strerror})") from error
    state = (os.path.abspath(path), status.st_ino, status.st_size, status.st_mtime_ns)  # noqa: PTH100
    if state not in _digests:
        _digests[state] = file_digest(path)
    return _digests[state]


def _sealed_folder(path: Path) -> Path | None:
    """Return the nearest folder above a file that has seals, links left as they are written."""
    parents = Path(os.path.abspath(path)).parents  # noqa: PTH100
    return next(filter(has_seals, parents), None)


def _name(root: Path, path: str | Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()


def _read(place: Path, path: str | Path) -> dict[str, Any]:
    seal = read_json(place)
    if not _is_seal(seal):
        raise ZarpipeError(
            f"{place}: not the seal of a file; delete it and {path}, and let snakemake make them again"
        )
    return dict(seal)


def _is_seal(seal: Any) -> bool:
    return isinstance(seal, dict) and all(isinstance(seal.get(key), kind) for key, kind in _KEYS.items())


def _has_record(root: Path, jobs: Mapping[str, str]) -> bool:
    """Tell whether no record speaks against a seal. There is none while a job runs, nor in a shared store."""
    keys = {name: _recorded_key(root / RECORDS / f"{name}.json") for name in jobs}
    known = {name: key for name, key in keys.items() if key is not None}
    return not known or any(jobs[name] == key for name, key in known.items())


def _recorded_key(record: Path) -> str | None:
    try:
        return str(json.loads(record.read_text(encoding="utf-8"))["key"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _refuse(path: str | Path, seal: Mapping[str, Any], found: str) -> NoReturn:
    raise ZarpipeError(
        f"{path}: its bytes are not those that `{', '.join(seal['jobs'])}` wrote ({found}): the file was "
        "damaged, replaced or edited; delete it and let snakemake make it again"
    )
