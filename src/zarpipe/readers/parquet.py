"""Corpora that other programs wrote in the columns of ``zarpipe.formats.corpus``: checked and copied.

They are no texts: `convert` calls `convert_parquet` for them, and reads no documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from zarpipe.config import SPLITS
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest, text_digest, whole_stream
from zarpipe.formats.corpus import (
    CORPUS_SCHEMA,
    ROW_GROUP,
    CorpusWriter,
    read_corpus,
    read_projection,
    read_removed,
    to_batch,
)
from zarpipe.formats.corpus_tags import tagset_of
from zarpipe.readers.splits import assert_disjoint
from zarpipe.readers.summary import Summary
from zarpipe.readers.table import in_words_of, segmenter, segmenter_title
from zarpipe.task.documents import Document, Sentence
from zarpipe.task.projection import Projection

ENDINGS = (".parquet",)
FOLDERS = ()
TAGSET = "juman"
SPLIT = "folders"
OWN_BUNSETSU = "drop_mention"
SETTINGS = ()


def convert_parquet(
    folder: str | Path,
    output: str | Path,
    limits: Mapping[str, int | None] | None = None,
    tokens: str = "gold",
) -> Summary:
    """Check ``folder/{train,dev,test}.parquet`` and copy them to ``output`` in the schema's own types.

    Args:
        folder: the three files of a corpus; each holds one split.
        output: folder for the three files, which appear together.
        limits: documents to take per split, in the order of the rows; None takes all.
        tokens: ``gold``, the files' own words, or a name in `zarpipe.config.corpus.SEGMENTERS`.

    Returns:
        The counts of each split, and the tagset (`juman` where the files do not say it).

    Raises:
        ZarpipeError: a file is missing or wrong, or a document stands in two of them; nothing is written.
    """
    files = {split: Path(folder) / f"{split}.parquet" for split in SPLITS}
    _check_places(files, Path(folder), Path(output))
    tables = {
        split: _first_documents(read_corpus(files[split]), (limits or {}).get(split)) for split in SPLITS
    }
    assert_disjoint({split: table["doc_id"].unique().to_pylist() for split, table in tables.items()})
    summary = _summary(tables, files)
    if tokens != "gold":
        tables = {split: _in_words_of(tokens, table, split, summary) for split, table in tables.items()}
    with ExitStack() as stack:
        streams = {
            split: stack.enter_context(whole_stream(Path(output) / f"{split}.parquet")) for split in SPLITS
        }
        for split, table in tables.items():
            sources = file_digest(files[split]) if tokens == "gold" else _sources(files[split], summary)
            writer = CorpusWriter(streams[split], sources)
            for batch in table.replace_schema_metadata(None).to_batches(ROW_GROUP):
                writer.write(batch, tagset_of(table))
            writer.close(
                tagset_of(table), summary.removed[split], summary.segmenter, summary.projection[split]
            )
    return summary


def _in_words_of(tokens: str, table: pa.Table, split: str, summary: Summary) -> pa.Table:
    """Return the rows of a split in the words of a segmenter; the summary counts what became of them."""
    batches, counts = [], Counter[Projection]()
    for batch in table.to_batches(ROW_GROUP):
        document = in_words_of(tokens, Document("", list(map(Sentence.of_row, batch.to_pylist()))))
        counts += document.projection
        columns = to_batch([document])
        place = columns.schema.get_field_index("doc_id")
        batches.append(columns.set_column(place, columns.schema.field(place), batch["doc_id"]))
    summary.segmenter, summary.projection[split] = segmenter_title(tokens), counts
    summary.tokens[split] = sum(len(batch["tokens"].flatten()) for batch in batches)
    summary.predicates[split] = sum(len(batch["predicates"].flatten()) for batch in batches)
    metadata = {"zarpipe.tagset": segmenter(tokens).TAGSET}
    return pa.Table.from_batches(batches, CORPUS_SCHEMA).replace_schema_metadata(metadata)


def _sources(file: Path, summary: Summary) -> str:
    return text_digest(f"{file_digest(file)} {summary.segmenter}")


def _check_places(files: Mapping[str, Path], folder: Path, output: Path) -> None:
    for file in files.values():
        if not file.is_file():
            raise ZarpipeError(
                f"{file}: no such file; expected train.parquet, dev.parquet and test.parquet in "
                f"the folder {folder}"
            )
    if output.exists() and output.samefile(folder):
        raise ZarpipeError(f"{folder}: is to be read and to be written; choose another output")


def _first_documents(table: pa.Table, limit: int | None) -> pa.Table:
    """Return the rows of the first documents, by their first sentence."""
    if limit is None:
        return table
    return table.filter(pc.is_in(table["doc_id"], table["doc_id"].unique()[:limit]))


def _summary(tables: Mapping[str, pa.Table], files: Mapping[str, Path]) -> Summary:
    summary = Summary(tagset=(tagset_of(tables["train"]), str(files["train"])))
    for split, table in tables.items():
        summary.documents[split] = len(table["doc_id"].unique())
        summary.sentences[split] = len(table)
        for counts, column in ((summary.predicates, "predicates"), (summary.tokens, "tokens")):
            counts[split] = int(np.sum(pc.list_value_length(table[column]).to_numpy()))
        summary.removed[split].update(read_removed(files[split]))
        if found := read_projection(files[split]):
            summary.segmenter, summary.projection[split] = found
        if tagset_of(table) != tagset_of(tables["train"]):
            raise ZarpipeError(
                f"{files[split]}: has the tagset {tagset_of(table)}, {files['train']} has "
                f"{tagset_of(tables['train'])}; expected one tagset (metadata zarpipe.tagset)"
            )
    return summary
