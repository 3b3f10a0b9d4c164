"""Folders that say what made them: ``jobs/RULE/NAME@KEY/`` with the files of one job and ``job.json``.

The key is a digest of all that decides the files, so a folder that is there is right and is never written
again. It is made under a hidden name and renamed when whole. ``job.json`` holds the job's settings, the keys
of the jobs that it read, and the checksum of each file: whoever reads a file of such a folder first calls
`check`, so that a damaged, exchanged or edited file never gets into a number. Files from elsewhere have no
such folder; then the checks of their own format are all there is.
"""

from __future__ import annotations

import glob
import os
import platform
import re
import resource
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from zarpipe.errors import ZarpipeError
from zarpipe.files import explained_writing, file_digest, hidden_folder, read_json, write_json

JOB_FILE = "job.json"
KEY_LENGTH = 12
_FOLDER = re.compile(rf"[^.].*@([0-9a-f]{{{KEY_LENGTH}}})")
_UNFINISHED = ".unfinished"

# The folder that this process makes, under its hidden name, and where its unfinished work waits.
_making: list[tuple[Path, Path]] = []
# (path, number of the file, size, time) -> SHA-256: a process reads a file for its digest once.
_digests: dict[tuple[str, int, int, int], str] = {}


def is_there(folder: str | Path) -> bool:
    """Tell whether a job's folder is there; it appears only when whole."""
    return os.path.exists(f"{folder}/{JOB_FILE}")  # noqa: PTH110 (false, too, for names that are too long)


@contextmanager
def making(folder: Path, made_from: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the hidden folder in which a job writes its files; in the end it gets its name.

    Where another run has made the folder meanwhile, that one stays and ours is dropped.

    Args:
        folder: of the job.
        made_from: what ``job.json`` says besides checksums, seconds and machine.
    """
    started = time.monotonic()
    unfinished = folder.with_name(f".{folder.name}{_UNFINISHED}")
    with hidden_folder(folder) as work:
        _making.append((work, unfinished))
        try:
            yield work
        finally:
            _making.pop()
        files = {str(file.relative_to(work)): _checksum(file) for file in _files_in(work)}
        measured = {"seconds": round(time.monotonic() - started, 2), "megabytes": _peak_megabytes()}
        write_json(work / JOB_FILE, {**made_from, **measured, "machine": _machine(), "files": files})
        with explained_writing(folder, "folder"):
            _name(work, folder)
    shutil.rmtree(unfinished, ignore_errors=True)


def unfinished_folder(output: Path) -> Path | None:
    """Return where a job's unfinished work on an output waits for the next run; None outside of a job."""
    return next((unfinished for work, unfinished in _making if output.is_relative_to(work)), None)


def redirected(path: object, folder: Path, work: Path) -> Path | object:
    """Return where a job writes now what will stand at ``path``; anything else stays as it is."""
    if isinstance(path, (str, Path)) and Path(path).is_relative_to(folder):
        return work / Path(path).relative_to(folder)
    return path


def check(path: str | Path) -> bool:
    """Compare a file with what its job wrote.

    Returns whether the file stands in a job's folder (and is what its job wrote).

    Raises ZarpipeError: it is not, or the folder is none that its job has made.
    """
    folder = _folder_of(Path(path))
    if folder is None or not Path(path).is_file():
        return False
    job = read_job(folder)
    name = Path(os.path.relpath(path, folder)).as_posix()
    written = job["files"].get(name)
    if written is None:
        _refuse(path, folder, f"its job has written no file {name!r}")
    size = Path(path).stat().st_size
    if size != written["bytes"]:
        _refuse(path, folder, f"found {size} bytes, expected {written['bytes']}")
    if digest(path) != written["sha256"]:
        _refuse(path, folder, f"found sha256 {digest(path)[:12]}, expected {written['sha256'][:12]}")
    return True


def read_job(folder: str | Path) -> dict[str, Any]:
    """Read a folder's ``job.json``.

    Raises ZarpipeError: it is missing or damaged, or is that of another folder.
    """
    folder = Path(folder)
    path = folder / JOB_FILE
    job = read_json(path)
    if not isinstance(job, dict) or not isinstance(job.get("files"), dict):
        raise ZarpipeError(f"{path}: does not say what a job wrote; {_remedy(folder)}")
    place = f"{job.get('rule')}/{job.get('name')}@{job.get('key')}"
    if not Path(os.path.abspath(folder)).as_posix().endswith(f"/{place}"):  # noqa: PTH100 (links stay)
        raise ZarpipeError(f"{path}: found the job {place}, which is not this folder's; {_remedy(folder)}")
    return job


def seconds(folder: str | Path) -> float | None:
    """Return how long a job took; None if its folder is not there."""
    return float(read_job(folder)["seconds"]) if is_there(folder) else None


def problems(folder: str | Path) -> Iterator[str]:
    """Check every file of a job's folder; give one line for each that is missing or changed."""
    try:
        job = read_job(folder)
    except ZarpipeError as error:
        yield str(error)
        return
    for name in job["files"]:
        path = Path(folder) / name
        try:
            if not path.is_file():
                yield f"{path}: not there any more; {_remedy(folder)}"
            check(path)
        except ZarpipeError as error:
            yield str(error)


def folders(root: str | Path) -> Iterator[Path]:
    """Find the folders of jobs below a folder."""
    for path, names, _ in os.walk(root):
        for name in list(names):
            if _FOLDER.fullmatch(name):
                names.remove(name)
                if any(os.scandir(f"{path}/{name}")):  # Snakemake makes an empty one before the job starts
                    yield Path(path, name)


def folders_of(parent: Path, name: str) -> list[Path]:
    """Return the folders of jobs of one name, whatever made them."""
    found = parent.glob(f"{glob.escape(name)}@*")
    return [path for path in found if _FOLDER.fullmatch(path.name) and is_there(path)]


def unfinished_folders(root: str | Path) -> Iterator[Path]:
    """Find what unfinished jobs have left below a folder."""
    for path, names, _ in os.walk(root):
        names[:] = [name for name in names if not _FOLDER.fullmatch(name)]
        yield from (Path(path, name) for name in names if name.endswith(_UNFINISHED))


def finished_folder(unfinished: Path) -> Path:
    """Return the job's folder to which unfinished work belongs."""
    return unfinished.with_name(unfinished.name[1:].removesuffix(_UNFINISHED))


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


def processor() -> str:
    """Name the machine's processor."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as stream:
            for line in stream:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _folder_of(path: Path) -> Path | None:
    """Return the job's folder above a file, links left as they are written."""
    parents = Path(os.path.abspath(path)).parents  # noqa: PTH100
    return next((folder for folder in parents if _FOLDER.fullmatch(folder.name)), None)


def _name(work: Path, folder: Path) -> None:
    """Give a whole folder its name, unless another run was first; one without ``job.json`` makes room."""
    if is_there(folder):
        return
    if folder.is_dir():
        with hidden_folder(folder) as aside:
            folder.replace(aside / "damaged")
    try:
        work.replace(folder)
    except OSError:
        if not is_there(folder):
            raise


def _files_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file())


def _checksum(file: Path) -> dict[str, Any]:
    return {"sha256": digest(file), "bytes": file.stat().st_size}


def _machine() -> dict[str, str]:
    return {"processor": processor(), "python": platform.python_version(), "system": platform.system()}


def _peak_megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _remedy(folder: str | Path) -> str:
    return f"delete the folder {folder} and let snakemake make it again"


def _refuse(path: str | Path, folder: Path, found: str) -> NoReturn:
    raise ZarpipeError(
        f"{path}: its bytes are not those that its job wrote ({found}): the file was damaged, replaced or "
        f"edited; {_remedy(folder)}"
    )
