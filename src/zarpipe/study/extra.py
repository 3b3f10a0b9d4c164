"""More training text, `extra` of a recipe: its names, and that nothing of dev and test stands in it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from zarpipe.errors import ZarpipeError


def extra_name(path: str) -> str:
    """Return what stands for a file in names of jobs: its own name, and a digest of its path."""
    stem = re.sub(r"[^A-Za-z0-9_]", "_", Path(path).stem)
    return f"extra-{stem}-{hashlib.sha256(path.encode()).hexdigest()[:6]}"


def check_apart(extra: str | Path, splits: Sequence[str | Path]) -> None:
    """Raise ZarpipeError for a sentence of ``extra`` with a predicate that stands in a split too.

    Equal are sentences of the same characters, however they are cut into words.
    """
    if not splits:
        return
    from zarpipe.formats.corpus import read_corpus  # loads pyarrow

    table = read_corpus(extra, ["sent_id", "tokens", "predicates"]).to_pylist()
    texts = {"".join(row["tokens"]): row["sent_id"] for row in table if row["predicates"]}
    for split in splits:
        for row in read_corpus(split, ["sent_id", "tokens"]).to_pylist():
            if (found := texts.get("".join(row["tokens"]))) is not None:
                raise ZarpipeError(
                    f"{extra}: sentence {found!r} is sentence {row['sent_id']!r} of {split}; expected no "
                    "sentence that taggers are tuned or scored on: leave it out"
                )


def check_extra(key: str, path: str, splits: Sequence[str]) -> None:
    """Raise ZarpipeError, with the key, for no corpus Parquet, one without predicates, or one not apart."""
    from zarpipe.formats.corpus import read_corpus  # loads pyarrow

    try:
        if not any(read_corpus(path)["predicates"].to_pylist()):
            raise ZarpipeError(f"{path}: no sentence has a target predicate; training needs at least one")
        check_apart(path, splits)
    except ZarpipeError as error:
        raise ZarpipeError(f"{key}: {error}") from error
