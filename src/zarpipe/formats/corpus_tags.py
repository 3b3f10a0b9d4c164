"""The parts of speech of a corpus Parquet: its tagset, the tags of its tokens, and POS sets on them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from zarpipe.arrays import Bool, Int64
from zarpipe.config.pos_sets import TAGSETS, Tagset
from zarpipe.errors import ZarpipeError, any_of
from zarpipe.task.tagsets import TAGS, PosSet, check_known, doubts, resolve, shown_tags

_log = logging.getLogger(__name__)


def tagset_of(table: pa.Table) -> Tagset:
    """Return whose parts of speech a corpus table has, as its metadata say."""
    written = (table.schema.metadata or {}).get(b"zarpipe.tagset", b"juman").decode()
    for tagset in TAGSETS:
        if written == tagset:
            return tagset
    raise ZarpipeError(
        f"the corpus's metadata name the tagset {written!r} (zarpipe.tagset); expected {any_of(TAGSETS)}; "
        "convert the corpus again"
    )


def resolved_sets(
    table: pa.Table, path: object, names: Sequence[str], definitions: Mapping[str, Any]
) -> list[PosSet]:
    """Return POS sets for the tagset of a corpus table, and log what is odd about them there.

    ``definitions``: POS sets beside those of the paper, as in the configuration's ``pos_sets``.

    Raises ZarpipeError: there is no such set for the tagset, or none of them knows any of the corpus's tags.
    """
    tagset = tagset_of(table)
    sets = [resolve(name, definitions, tagset) for name in names]
    found, _ = numbered_tags(table)
    check_known(sets, {pos for pos, _ in found}, tagset, path)
    for pos_set in sets:
        if doubt := doubts(pos_set, found, tagset):
            _log.warning("%s: %s", path, doubt)
    return sets


def unknown_tags(table: pa.Table) -> str | None:
    """Say which parts of speech of a corpus table its tagset does not have; None if it has all of them."""
    found, _ = numbered_tags(table, with_sub=False)
    tags = TAGS[tagset_of(table)]
    unknown = {pos for pos, _ in found} - tags.all
    if not unknown:
        return None
    return (
        f"{tags.title} does not have {shown_tags(unknown)}: the paper's POS sets would take such tokens for "
        "none of their groups. Name another tagset in the metadata (zarpipe.tagset), or define sets with "
        "these tags (pos_sets)"
    )


def tokens_in(pos_set: PosSet, table: pa.Table) -> Bool:
    """Return [T] bool, whether each token of a corpus table is in a set.

    The table has ``pos`` and, for a set with sub parts of speech, ``pos_sub``.
    """
    tags, numbers = numbered_tags(table, with_sub=pos_set.is_fine)
    members = np.array([pos_set.contains(*one) for one in tags], dtype=bool)
    return members[numbers]


def numbered_tags(table: pa.Table, with_sub: bool = True) -> tuple[list[tuple[str, str]], Int64]:
    """Return the different tags of a corpus table's tokens, and which of them each token has.

    ``with_sub``: tell sub parts of speech apart; without, each is ``*``.

    Returns K different (part of speech, sub part of speech), and [T] int64 from 0 to K - 1.
    """
    names, numbers = _numbered(table["pos"])
    if not with_sub:
        return [(name, "*") for name in names], numbers
    sub_names, sub_numbers = _numbered(table["pos_sub"])
    pairs, numbers = np.unique(numbers * len(sub_names) + sub_numbers, return_inverse=True)
    of_pair = [divmod(pair, len(sub_names)) for pair in pairs.tolist()]
    return [(names[one], sub_names[other]) for one, other in of_pair], numbers


def _numbered(column: pa.ChunkedArray) -> tuple[list[str], Int64]:
    """Return the different values of a column of lists, and the number of the value of each item."""
    encoded = column.combine_chunks().flatten().dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)
