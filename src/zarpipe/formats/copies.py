"""The list of augmented copies that a tagger is trained on: those whose decisions stay when refilled.

=================  =======  ===================================================================
column             type     meaning
=================  =======  ===================================================================
``sent_id``        string   sentence of the instance
``predicate``      int32    token index of the target predicate
``changed_seeds``  int32    taggers (seeds) that decide its refilled copy differently
``kept``           bool     whether the copy is trained on
=================  =======  ===================================================================

One row per instance of the training split, in corpus order. Metadata: ``zarpipe.corpus`` is the SHA-256 of
the corpus Parquet that the rows belong to.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from zarpipe import job_folders
from zarpipe.arrays import Bool, Int64
from zarpipe.errors import ZarpipeError
from zarpipe.formats.parquet import read_parquet, write_parquet
from zarpipe.task.instances import Instances


def write_kept_copies(
    path: Path, kept: Bool, changed_seeds: Int64, instances: Instances, sent_ids: pa.Array, corpus: str
) -> None:
    """Write the list whole; ``kept`` and ``changed_seeds`` are [n], ``corpus`` is the Parquet's SHA-256."""
    table = pa.table(
        {
            "sent_id": sent_ids.take(pa.array(instances.sentence)),
            "predicate": pa.array(instances.predicate, pa.int32()),
            "changed_seeds": pa.array(changed_seeds, pa.int32()),
            "kept": pa.array(kept),
        }
    )
    write_parquet(path, table, {"zarpipe.corpus": corpus})


def read_kept_copies(path: Path, instances: int, corpus: str) -> Bool:
    """Read which copies of n instances are trained on: [n] bool.

    Raises ZarpipeError: the file is missing, damaged, something else, or belongs to another corpus.
    """
    if not path.is_file():
        raise ZarpipeError(f"{path}: no such file; expected a list of copies of `zarpipe filter-copies`")
    job_folders.check(path)
    try:
        table = read_parquet(path)
        kept: Bool = table["kept"].combine_chunks().cast(pa.bool_()).to_numpy(zero_copy_only=False)
    except (OSError, KeyError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise ZarpipeError(
            f"{path}: cannot be read as a list of copies ({reason}); make it again with `zarpipe "
            "filter-copies`"
        ) from error
    found = (table.schema.metadata or {}).get(b"zarpipe.corpus", b"").decode()
    if found != corpus or len(kept) != instances:
        raise ZarpipeError(
            f"{path}: belongs to another corpus (digest {found[:12]}, {len(kept)} instances; the training "
            f"split has {corpus[:12]}, {instances}); make it again with `zarpipe filter-copies`"
        )
    return kept.astype(bool)


def read_kept_share(path: Path) -> float:
    """Return which share of the copies in a list is trained on."""
    return float(read_parquet(path, ["kept"])["kept"].to_numpy().mean())
