"""The mark of a made corpus, ``SAMPLE.json``: how it was made, and the digest of each of its files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zarpipe import seals
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest, read_json

MARK = "SAMPLE.json"
_FILES = "files"


def write_mark(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write the mark of the corpus in a folder, after all of its files."""
    mark = {"made by": "zarpipe sample", **settings, _FILES: _digests(folder)}
    (folder / MARK).write_text(json.dumps(mark, indent=1) + "\n", encoding="utf-8")


def check_sample(path: str | Path) -> None:
    """Compare the files of a corpus with its mark, if a study has made and sealed it.

    Whoever copies a sample may do with the copy as they like.

    Args:
        path: the corpus, or the folder that holds it as ``dat``.

    Raises:
        ZarpipeError: a file is missing, changed or new.
    """
    marks = [Path(path) / place / MARK for place in ("", "dat")]
    for mark in marks:
        if seals.check(mark):
            _compare(mark)


def _compare(mark: Path) -> None:
    wanted, found = read_json(mark).get(_FILES, {}), _digests(mark.parent)
    for name in sorted({**wanted, **found}):
        if wanted.get(name) != found.get(name):
            raise ZarpipeError(
                f"{mark.parent / name}: is not the file that `zarpipe sample` made: it was damaged, edited, "
                f"added or removed. Delete {mark.parent} and let snakemake make it again, or give a copy as "
                "corpus.path"
            )


def _digests(folder: Path) -> dict[str, str]:
    files = (file for file in sorted(folder.rglob("*")) if file.is_file() and file != folder / MARK)
    return {file.relative_to(folder).as_posix(): file_digest(file) for file in files}
