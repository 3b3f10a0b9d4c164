"""Which split a document belongs to: by date (Taira et al. 2008), by id lists, or by its folder."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from zarpipe.config import SPLITS
from zarpipe.errors import FileProblem, ZarpipeError, any_of

_NTC_NAME = re.compile(r"(\d{6}|\d{4}ED)-\d+-\d+")
_ARTICLE_NUMBER = re.compile(r"(\d{6})\d{3}")

# Taira, Fujita and Nagata (2008), on the dates of the Kyoto University Text Corpus: days of articles (YYMMDD)
# and months of editorials (YYMM), both ends included.
ARTICLES = {"train": ("950101", "950111"), "dev": ("950112", "950113"), "test": ("950114", "950117")}
EDITORIALS = {"train": ("9501", "9508"), "dev": ("9509", "9509"), "test": ("9510", "9512")}


def is_ntc_name(doc_id: str) -> bool:
    """Tell whether a document is named as in the distribution, for example 950101-0002-950101008."""
    return _NTC_NAME.fullmatch(doc_id) is not None


def _taira_splits(doc_id: str) -> list[str] | None:
    """Return the splits that a document's date allows; None if its name has no date.

    A name of the distribution says article or editorial, so the answer is one split, or none when the date is
    outside. The document part of an S-ID (950114015) gives the day alone, which for the second and third week
    of January fits an article (dev or test) and an editorial (train).
    """
    if match := _NTC_NAME.fullmatch(doc_id):
        kinds = [EDITORIALS if match[1].endswith("ED") else ARTICLES]
    elif match := _ARTICLE_NUMBER.fullmatch(doc_id):
        kinds = [ARTICLES, EDITORIALS]
    else:
        return None
    return [split for split in SPLITS if any(_within(match[1], kind[split]) for kind in kinds)]


def _within(day: str, ends: tuple[str, str]) -> bool:
    return ends[0] <= day[: len(ends[0])] <= ends[1]


def taira_split(doc_id: str, label: str | None) -> str:
    """Return the split of a document by its date, or by its folder's name where the date leaves a choice.

    Raises ValueError saying why there is no split, or that date and folder contradict each other.
    """
    allowed = _taira_splits(doc_id)
    if label is not None and (allowed is None or label in allowed):
        return label
    if not allowed:
        raise ValueError(
            f"the document {doc_id!r} is outside the split by date: expected a name that begins with "
            "950101 to 950117 or 9501ED to 9512ED, such as 950101-0002-950101008. Remove the file, or choose "
            "--split ids or folders"
        )
    if label is not None:
        found = f"lies in {label}, but its date belongs to {any_of(allowed)} (Taira et al. 2008)"
        way_out = "Move it, or choose --split folders to follow the folders"
        raise ValueError(f"the document {doc_id!r} {found}. {way_out}")
    if len(allowed) > 1:
        found = f"the date of the document {doc_id!r} does not say whether it is an article or an editorial"
        way_out = "Give one file per split (train, dev, test), the files of the distribution, or --split ids"
        raise ValueError(f"{found}, so it can belong to {any_of(allowed)}. {way_out}")
    return allowed[0]


def folder_split(doc_id: str, label: str | None) -> str:
    """Return the split whose folder or file a document lies in. Raises ValueError when it lies in none."""
    if label is None:
        raise ValueError(
            f"the document {doc_id!r} is outside the split: expected it in a folder train, dev or test (or "
            "in a file of that name). Move it, or give id lists with --ids"
        )
    return label


def id_files(folder: str | Path) -> list[Path]:
    """Return the id lists of a folder, whether they are there or not."""
    return [Path(folder) / f"{split}.id" for split in SPLITS]


def read_id_lists(folder: str | Path) -> dict[str, list[str]]:
    """Read ``train.id``, ``dev.id`` and ``test.id`` (one document id a line) of a folder.

    Raises ZarpipeError if a list is missing, unreadable or a folder, all are empty, or an id stands twice.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ZarpipeError(f"{folder}: expected a folder with train.id, dev.id and test.id (--ids)")
    lists: dict[str, list[str]] = {}
    seen: dict[str, str] = {}
    for split, path in zip(SPLITS, id_files(folder), strict=True):
        lists[split] = []
        for number, doc_id in _ids(path):
            if doc_id in seen:
                message = f"the document {doc_id!r} is listed already at {seen[doc_id]}; expected it once"
                raise FileProblem(path, number, message)
            seen[doc_id] = f"{path}:{number}"
            lists[split].append(doc_id)
    if not seen:
        raise ZarpipeError(f"{folder}: the id lists are empty; expected document ids, one a line")
    return lists


def assert_disjoint(splits: Mapping[str, list[str]]) -> None:
    """Refuse a document that two splits share, and one that a split has twice."""
    seen: dict[str, str] = {}
    for split, doc_ids in splits.items():
        for doc_id in doc_ids:
            if doc_id in seen:
                found = f"the document {doc_id!r} is in {seen[doc_id]} and in {split}"
                raise ZarpipeError(f"{found}; expected every document once")
            seen[doc_id] = split


def _ids(path: Path) -> list[tuple[int, str]]:
    expected = "expected a file with one document id a line"
    try:
        text = path.read_text(encoding="utf-8-sig")
    except IsADirectoryError:
        raise FileProblem(path, None, f"found a directory; {expected}") from None
    except FileNotFoundError:
        raise FileProblem(path, None, f"not found; {expected}") from None
    except UnicodeDecodeError:
        raise FileProblem(path, None, "not UTF-8 text; expected one document id a line") from None
    except OSError as error:
        raise FileProblem(path, None, f"cannot be read ({error.strerror})") from None
    # Composed, as the names of documents are: a list or a corpus from macOS may be decomposed.
    lines = enumerate(unicodedata.normalize("NFC", text).splitlines(), 1)
    return [(number, line.strip()) for number, line in lines if line.strip()]
