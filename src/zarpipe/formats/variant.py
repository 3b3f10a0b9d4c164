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
Metadata: ``zarpipe.corpus`` is the SHA-256 of the corpus Parquet that the rows belong to. ``zarpipe.alpha``
is the alpha of a policy that masks the same share of tokens as `all` does at the alpha of the file's name.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from zarpipe.arrays import Float32, Int64
from zarpipe.errors import ZarpipeError
from zarpipe.files import whole_stream
from zarpipe.formats.parquet import read_parquet


@dataclass(frozen=True)
class Variant:
    """A variant's masks as flat arrays.

    Attributes:
        offsets: [n + 1] int64, first masked token of each instance in ``masked``.
        masked: [M] int64, token indices within the sentence, ascending within an instance.
        replacement_ids: [M] int64 vocabulary ids, or None for a masking variant.
        corpus: SHA-256 of the corpus Parquet.
        alpha: the alpha that gave the share of masked tokens; None where the variant's name has it.
    """

    offsets: Int64
    masked: Int64
    replacement_ids: Int64 | None
    corpus: str
    alpha: float | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True)
class Replacements:
    """What CDA picked for each masked token (flat, [M] each): vocabulary id, its text, its probability."""

    ids: Int64
    texts: list[str]
    probabilities: Float32


def write_variant(
    path: str | Path,
    sent_ids: list[str],
    predicates: Int64,
    offsets: Int64,
    masked: Int64,
    corpus: str,
    replacements: Replacements | None = None,
    alpha: float | None = None,
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
    metadata = {"zarpipe.corpus": corpus} | ({} if alpha is None else {"zarpipe.alpha": repr(alpha)})
    table = pa.table(columns).replace_schema_metadata(metadata)
    with whole_stream(path) as stream:
        pq.write_table(table, stream, compression="zstd", write_page_checksum=True)


def read_variant(path: str | Path) -> Variant:
    """Read a variant Parquet. Raises ZarpipeError when it is missing, damaged or not a variant."""
    try:
        table = read_parquet(path).combine_chunks()
        masked = table["masked"].combine_chunks()
    except (OSError, KeyError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise ZarpipeError(
            f"{path}: cannot be read as a variant ({reason}); make it again with `zarpipe augment`"
        ) from error
    offsets = masked.offsets.to_numpy().astype(np.int64)
    ids = None
    if "replacement_ids" in table.column_names:
        ids = table["replacement_ids"].combine_chunks().flatten().to_numpy().astype(np.int64)
    metadata = table.schema.metadata or {}
    return Variant(
        offsets - offsets[0],
        masked.flatten().to_numpy().astype(np.int64),
        ids,
        metadata.get(b"zarpipe.corpus", b"").decode(),
        float(metadata[b"zarpipe.alpha"]) if b"zarpipe.alpha" in metadata else None,
    )


def _lists(offsets: Int64, values: pa.Array) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)
