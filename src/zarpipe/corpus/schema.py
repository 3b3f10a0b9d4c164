"""The corpus Parquet: one row per sentence, in text order, sentences without a predicate too.

====================  =====================  ==========================================================
column                type                   meaning
====================  =====================  ==========================================================
``doc_id``            string                 document: the file name without its ending
``sent_id``           string                 the S-ID, else ``doc_id`` and a running number; unique
``tokens``            list<string>           surface forms, original code points
``lemmas``            list<string>           base forms (the surface where the corpus gives none)
``pos``               list<string>           major part of speech (JUMAN: 名詞, 動詞, 助詞, 特殊, ...)
``pos_sub``           list<string>           sub part of speech (``*`` for none)
``bunsetsu``          list<int32>            bunsetsu number of each token
``heads``             list<int32>            head bunsetsu of each bunsetsu, -1 for the root
``predicates``        list<struct>           target predicates in text order
``.token``            int32                  token index of the predicate
``.alt``              string or null         voice as annotated (NTC ``alt``)
``.arguments``        list<struct>           one entry per mention, none in the predicate's own bunsetsu
``..case``            string                 ``NOM`` (ga), ``ACC`` (o) or ``DAT`` (ni)
``..token``           int32                  token index of the mention
``..relation``        string                 ``DEP`` if the mention's bunsetsu and the predicate's are in
                                             a direct dependency, else ``ZAR``. The argument as a whole
                                             counts as ``DEP`` if any of its mentions is
====================  =====================  ==========================================================

The file's metadata carry ``zarpipe.schema`` (the version below) and ``zarpipe.sources`` (a digest of the
files that it was made from).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from zarpipe.errors import ZarpipeError

SCHEMA_VERSION = "1"
CASES = ("NOM", "ACC", "DAT")
SPLITS = ("train", "dev", "test")

_STRINGS = pa.list_(pa.string())
_INTS = pa.list_(pa.int32())
_ARGUMENT = pa.struct([("case", pa.string()), ("token", pa.int32()), ("relation", pa.string())])
_PREDICATE = pa.struct([("token", pa.int32()), ("alt", pa.string()), ("arguments", pa.list_(_ARGUMENT))])

CORPUS_SCHEMA = pa.schema(
    [
        ("doc_id", pa.string()),
        ("sent_id", pa.string()),
        ("tokens", _STRINGS),
        ("lemmas", _STRINGS),
        ("pos", _STRINGS),
        ("pos_sub", _STRINGS),
        ("bunsetsu", _INTS),
        ("heads", _INTS),
        ("predicates", pa.list_(_PREDICATE)),
    ]
)


def read_corpus(path: str | Path, columns: list[str] | None = None) -> pa.Table:
    """Read a corpus Parquet (all columns or the named ones) with its chunks combined.

    Raises:
        ZarpipeError: the file is missing, damaged, or lacks a column of the schema.
    """
    wanted = CORPUS_SCHEMA.names if columns is None else columns
    check_corpus_file(path, wanted)
    try:
        table = pq.read_table(path, columns=wanted, partitioning=None, page_checksum_verification=True)
    except (OSError, pa.ArrowException) as error:
        raise ZarpipeError(
            f"{path}: cannot be read as a corpus Parquet file ({str(error).splitlines()[0]}); "
            "make it again with `zarpipe convert`"
        ) from error
    return table.combine_chunks()


def check_corpus_file(path: str | Path, columns: Sequence[str]) -> None:
    """Raise ZarpipeError unless ``path`` is one Parquet file that has these columns of a corpus."""
    if Path(path).is_dir():
        raise ZarpipeError(
            f"{path}: found a folder; expected the Parquet file of one split, such as "
            f"{Path(path) / 'dev.parquet'}"
        )
    if not Path(path).is_file():
        raise ZarpipeError(f"{path}: no such file; make it with `zarpipe convert`")
    try:
        names = pq.read_schema(path).names
    except (OSError, pa.ArrowException) as error:
        raise ZarpipeError(
            f"{path}: cannot be read as a corpus Parquet file ({str(error).splitlines()[0]}); "
            "make it again with `zarpipe convert`"
        ) from error
    missing = [name for name in columns if name not in names]
    if missing:
        raise ZarpipeError(
            f"{path}: not a corpus Parquet file: column {missing[0]!r} is missing; "
            "expected a file that `zarpipe convert` wrote"
        )
