"""The numbers that the paper prints (Konno et al. 2020), as package data."""

from __future__ import annotations

import csv
import importlib.resources
import io


def published_rows(table: str) -> list[dict[str, str]]:
    """Return the rows of a printed table, every cell as printed."""
    source = importlib.resources.files("zarpipe.report") / "published" / f"{table}.csv"
    return list(csv.DictReader(io.StringIO(source.read_text(encoding="utf-8"))))
