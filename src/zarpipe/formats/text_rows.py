"""Rows of CSV and JSON lines files, each with the line at which it stands."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from zarpipe.errors import FileProblem

# (line, values by column); all values of a CSV are text.
Row = tuple[int, dict[str, Any]]

TEXT_ENDINGS = (".csv", ".jsonl", ".ndjson")


def read_rows(path: Path, columns: Sequence[str]) -> list[Row]:
    """Read a CSV (with a header, separated by commas) or JSON lines file (one object a line), in UTF-8.

    The ending says which of the two it is; each row must have these columns.

    Raises:
        FileProblem: the file or a row cannot be read, or a row lacks a column.
        OSError: the file cannot be opened.
    """
    rows = list((_csv_rows if path.suffix.lower() == ".csv" else _json_rows)(path, _text(path), columns))
    for line, row in rows:
        for name in columns:
            if row.get(name) is None:
                found = "nothing (null)" if name in row else "no such column"
                raise FileProblem(
                    path, line, f"column {name!r}: found {found}; expected {', '.join(columns)}"
                )
    return rows


def _text(path: Path) -> str:
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise FileProblem(path, line, "not UTF-8; convert the file to UTF-8") from error


def _csv_rows(path: Path, text: str, columns: Sequence[str]) -> Iterator[Row]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        named = reader.fieldnames or ()
        if wrong := [name for name in columns if named.count(name) != 1]:
            found = f"found {named.count(wrong[0])} columns {wrong[0]!r} in the first line"
            raise FileProblem(path, 1, f"{found}; expected {', '.join(columns)}")
        for row in reader:
            if None in row:
                raise FileProblem(
                    path,
                    reader.line_num,
                    f"found more values than the {len(named)} columns of the first line; "
                    "expected values separated by commas, those with a comma in quotes",
                )
            yield reader.line_num, {name: value or None for name, value in row.items()}
    except csv.Error as error:
        raise FileProblem(path, reader.reader.line_num, f"not valid CSV ({error})") from error


def _json_rows(path: Path, text: str, _: Sequence[str]) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_with_each_key_once)
        except (ValueError, RecursionError) as error:
            raise FileProblem(
                path, number, f"not valid JSON ({error}); expected one object a line"
            ) from error
        if not isinstance(row, dict):
            raise FileProblem(path, number, f"found {type(row).__name__}; expected one JSON object a line")
        yield number, row


def _with_each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"found the key {next(key for key in keys if keys.count(key) > 1)!r} twice")
    return row
