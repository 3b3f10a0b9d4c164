"""Corpora that other programs wrote in the columns of ``zarpipe.formats.corpus``: checked and copied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from zarpipe.config import SPLITS
from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest, text_digest, whole_stream
from zarpipe.formats.corpus import CORPUS_SCHEMA, ROW_GROUP, read_corpus
from zarpipe.formats.corpus_tags import tagset_of
from zarpipe.formats.corpus_writer import CorpusWriter, read_projection, read_removed, to_batch
from zarpipe.readers.reading import Limits, Reading, SplitRule, segmenter
from zarpipe.readers.splits import assert_disjoint
from zarpipe.readers.summary import Summary
from zarpipe.task.documents import Document, OwnBunsetsu, Sentence
from zarpipe.task.projection import Projection

ENDINGS: tuple[str, ...] = (".parquet",)
FOLDERS: tuple[str, ...] = ()
TAGSET: Tagset = "juman"
SPLIT: SplitRule = "folders"
OWN_BUNSETSU: OwnBunsetsu = "drop_mention"
SETTINGS: tuple[str, ...] = ()


def convert(folder: Path, output: Path, how: Reading, ids: str | Path | None, limits: Limits) -> Summary:
    """Check ``folder/{train,dev,test}.parquet`` and copy them to ``output`` in the schema's own types.

    ``limits``: documents to take per split, in the order of the rows; None takes all. The tagset is `juman`
    where the files do not say it.

    Raises:
        ZarpipeError: a file is missing or wrong, or a document stands in two of them; nothing is written.
    """
    if ids is not None:
        raise ZarpipeError("--ids: found with --format parquet, whose three files are the splits")
    files = {split: folder / f"{split}.parquet" for split in SPLITS}
    _check_places(files, folder, output)
    tables = {split: _first_documents(read_corpus(files[split]), limits.get(split)) for split in SPLITS}
    assert_disjoint({split: table["doc_id"].unique().to_pylist() for split, table in tables.items()})
    summary = _summary(tables, files)
    if how.segmenter is not None:
        summary.segmenter = how.segmenter
        tables = {split: _in_words_of(how.tokens, table, split, summary) for split, table in tables.items()}
    with ExitStack() as stack:
        streams = {split: stack.enter_context(whole_stream(output / f"{split}.parquet")) for split in SPLITS}
        for split, table in tables.items():
            summary.count(split, table)
            digest, tagset = file_digest(files[split]), tagset_of(table)
            digest = text_digest(f"{digest} {how.segmenter}") if how.segmenter else digest
            writer = CorpusWriter(streams[split], digest)
            for batch in table.replace_schema_metadata(None).to_batches(ROW_GROUP):
                writer.write(batch, tagset)
            writer.close(tagset, summary.removed[split], summary.segmenter, summary.projection[split])
    return summary


def _in_words_of(tokens: str, table: pa.Table, split: str, summary: Summary) -> pa.Table:
    """Return the rows of a split in the words of a segmenter; the summary counts what became of them."""
    batches, counts = [], Counter[Projection]()
    for batch in table.to_batches(ROW_GROUP):
        document = segmenter(tokens).resegmented(Document("", list(map(Sentence.of_row, batch.to_pylist()))))
        counts += document.projection
        names = CORPUS_SCHEMA.get_field_index("doc_id")
        batches.append(to_batch([document]).set_column(names, "doc_id", batch["doc_id"]))
    found = pa.Table.from_batches(batches, CORPUS_SCHEMA)
    summary.projection[split] = counts
    return found.replace_schema_metadata({"zarpipe.tagset": segmenter(tokens).TAGSET})


def _check_places(files: Mapping[str, Path], folder: Path, output: Path) -> None:
    for file in files.values():
        if not file.is_file():
            expected = f"train.parquet, dev.parquet and test.parquet in the folder {folder}"
            raise ZarpipeError(f"{file}: no such file; expected {expected}")
    if output.exists() and output.samefile(folder):
        raise ZarpipeError(f"{folder}: is to be read and to be written; choose another output")


def _first_documents(table: pa.Table, limit: int | None) -> pa.Table:
    """Return the rows of the first documents, by their first sentence."""
    if limit is None:
        return table
    return table.filter(pc.is_in(table["doc_id"], table["doc_id"].unique()[:limit]))


def _summary(tables: Mapping[str, pa.Table], files: Mapping[str, Path]) -> Summary:
    first = tagset_of(tables["train"])
    summary = Summary(tagset=(first, str(files["train"])))
    for split, table in tables.items():
        summary.documents[split] = len(table["doc_id"].unique())
        summary.removed[split].update(read_removed(files[split]))
        if found := read_projection(files[split]):
            summary.segmenter, summary.projection[split] = found
        if tagset_of(table) != first:
            other = f"{files[split]}: has the tagset {tagset_of(table)}, {files['train']} has {first}"
            raise ZarpipeError(f"{other}; expected one tagset (metadata zarpipe.tagset)")
    return summary
