"""The Parquet of token probabilities: how probable the MLM finds each token where it is masked by itself.

======================  ============  ================================================================
column                  type          meaning
======================  ============  ================================================================
``sent_id``             string        sentence, in corpus order; those without a target predicate are left out
``probabilities``       list<float>   probability of each token
======================  ============  ================================================================

Metadata: ``zarpipe.corpus`` is the SHA-256 of the corpus Parquet that the rows belong to.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from zarpipe import seals
from zarpipe.arrays import Float32, Int64
from zarpipe.errors import ZarpipeError
from zarpipe.formats.parquet import check_digests, read_parquet, write_parquet


def write_token_probabilities(
    path: Path, sent_ids: pa.ChunkedArray, offsets: Int64, probabilities: Float32, corpus: str
) -> None:
    """Write the file whole.

    Args:
        path: the file.
        sent_ids: [S] text.
        offsets: [S + 1] int64, first token of each sentence in ``probabilities``.
        probabilities: [N] float32.
        corpus: SHA-256 of the corpus Parquet.
    """
    lists = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(probabilities, pa.float32()))
    table = pa.table({"sent_id": sent_ids, "probabilities": lists})
    write_parquet(path, table, {"zarpipe.corpus": corpus})


def read_token_probabilities(path: Path, corpus: str) -> tuple[Int64, Float32]:
    """Read offsets [S + 1] int64 and probabilities [N] float32.

    Args:
        path: the file.
        corpus: SHA-256 of the corpus Parquet that they must belong to.

    Raises:
        ZarpipeError: the file is missing, damaged, another one, or of another corpus.
    """
    again = "make it again with `zarpipe token-probabilities`"
    seals.check(path)
    try:
        table = read_parquet(path).combine_chunks()
        check_digests(path, table, "`zarpipe token-probabilities`")
        lists = table["probabilities"].combine_chunks()
        offsets = lists.offsets.to_numpy().astype(np.int64)
        values = lists.flatten().to_numpy().astype(np.float32)
    except (OSError, KeyError, AttributeError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise ZarpipeError(f"{path}: cannot be read as token probabilities ({reason}); {again}") from error
    if (table.schema.metadata or {}).get(b"zarpipe.corpus", b"").decode() != corpus:
        raise ZarpipeError(f"{path}: made from another corpus; {again}")
    return offsets - offsets[0], values
