"""Which folders of jobs no study needs any more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from zarpipe.job_folders import finished_folder, folders, unfinished_folders
from zarpipe.study.study import Study


def needless(studies: Sequence[Study]) -> list[Path]:
    """Return the folders, below where these studies keep their jobs, that none of them needs.

    Unfinished work of jobs that none of them needs is among them.
    """
    needed = {Path(study.root, folder).absolute() for study in studies for folder in study.job_folders()}
    found = []
    for root in sorted({Path(study.root) for study in studies}):
        found += [folder for folder in folders(root) if folder.absolute() not in needed]
        left = unfinished_folders(root)
        found += [folder for folder in left if finished_folder(folder).absolute() not in needed]
    return sorted(found)


def size_of(folder: Path) -> int:
    """Return the bytes of the files of a folder."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())
