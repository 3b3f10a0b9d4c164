"""The variant Parquet: which tokens of each training instance are masked, or replaced and by what.

======================  ============  ================================================================
column                  type          meaning
======================  ============  ================================================================
``sent_id``             string        sentence of the instance
``predicate``           int32         token index of the target predicate (never masked)
``masked``              list<int32>   token indices that are masked, ascending
``replacement_ids``     list<int32>   CDA: vocabulary id that replaces each masked token, same length
``replacements``        list<string>  CDA: the same as text
``probabilities``       list<float>   CDA: probability that the MLM gave to the replacement
======================  ============  ================================================================

One row per instance of the training split, in corpus order. Masking variants lack the last three columns.
Metadata: ``zarpipe.corpus`` is the SHA-256 of the corpus Parquet that the rows belong to, ``zarpipe.variant``
says as JSON with which settings the variant was made (``method``, ``pos_set``, ``alpha``, ``seed``, ``draw``,
``draw_number``, for CDA ``fill`` and ``pick``; ``own_alpha``, the alpha of a policy that masks the same share
of tokens as `all` does at ``alpha``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from zarpipe import job_folders
from zarpipe.arrays import Float32, Int64
from zarpipe.errors import ZarpipeError
from zarpipe.files import parse_json
from zarpipe.formats.parquet import read_parquet, write_parquet

_SETTINGS, _CORPUS = "zarpipe.variant", "zarpipe.corpus"


@dataclass(frozen=True)
class Variant:
    """A variant's masks as flat arrays."""

    offsets: Int64  # [n + 1], first masked token of each instance in ``masked``
    masked: Int64  # [M], token indices within the sentence, ascending within an instance
    replacement_ids: Int64 | None  # [M] vocabulary ids, or None for a masking variant
    corpus: str  # SHA-256 of the corpus Parquet
    settings: Mapping[str, Any]  # with which it was made

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def own_alpha(self) -> float | None:
        """The alpha that gave the share of masked tokens; None where the variant's name has it."""
        return self.settings.get("own_alpha")


@dataclass(frozen=True)
class Replacements:
    """What CDA picked for each masked token (flat, [M] each): vocabulary id, its text, its probability.

    ``settings`` say how (``fill``, ``pick``).
    """

    ids: Int64
    texts: list[str]
    probabilities: Float32
    settings: Mapping[str, Any] = field(default_factory=dict)


def write_variant(
    path: str | Path,
    sent_ids: list[str],
    predicates: Int64,
    offsets: Int64,
    masked: Int64,
    corpus: str,
    replacements: Replacements | None = None,
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Write a variant Parquet whole; the arguments are those of Variant plus the instances' identifiers."""
    columns: dict[str, pa.Array] = {
        "sent_id": pa.array(sent_ids, pa.string()),
        "predicate": pa.array(predicates, pa.int32()),
        "masked": _lists(offsets, pa.array(masked, pa.int32())),
    }
    if replacements is not None:
        columns["replacement_ids"] = _lists(offsets, pa.array(replacements.ids, pa.int32()))
        columns["replacements"] = _lists(offsets, pa.array(replacements.texts, pa.string()))
        columns["probabilities"] = _lists(offsets, pa.array(replacements.probabilities, pa.float32()))
    made = {"method": "masking" if replacements is None else "cda", **(settings or {})}
    made |= replacements.settings if replacements else {}
    metadata = {_CORPUS: corpus, _SETTINGS: json.dumps(made, ensure_ascii=False, sort_keys=True)}
    write_parquet(path, pa.table(columns), metadata)


def read_variant(path: str | Path) -> Variant:
    """Read a variant Parquet. Raises ZarpipeError when it is missing, damaged or not a variant."""
    job_folders.check(path)
    try:
        table = read_parquet(path)
        metadata = table.schema.metadata or {}
        settings = dict(parse_json(metadata[_SETTINGS.encode()]))
        corpus = metadata[_CORPUS.encode()].decode()
        masked = table["masked"].combine_chunks()
    except (OSError, KeyError, ValueError, TypeError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise ZarpipeError(
            f"{path}: cannot be read as a variant ({reason}); make it again with `zarpipe augment`"
        ) from error
    offsets = masked.offsets.to_numpy().astype(np.int64)
    tokens = masked.flatten().to_numpy().astype(np.int64)
    ids = None
    if "replacement_ids" in table.column_names:
        ids = table["replacement_ids"].combine_chunks().flatten().to_numpy().astype(np.int64)
    if (ids is not None) != (settings.get("method") == "cda") or (
        ids is not None and len(ids) != len(tokens)
    ):
        raise ZarpipeError(
            f"{path}: damaged: its replacements do not fit its method or its masks; make it again with "
            "`zarpipe augment`"
        )
    return Variant(offsets - offsets[0], tokens, ids, corpus, settings)


def _lists(offsets: Int64, values: pa.Array) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)
