"""Converts a corpus folder to ``train.parquet``, ``dev.parquet`` and ``test.parquet``.

The documents and their splits are settled first (which file, which bytes, which split), then read in
parallel, a few at a time, and written in order: memory holds a few chunks of documents, whatever the corpus'
size. The three files appear together, and only when all three are whole.
"""

from __future__ import annotations

import contextlib
import csv
import gc
import gzip
import hashlib
import io
import unicodedata
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from zarpipe.config import SPLITS
from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import FileProblem, ZarpipeError
from zarpipe.files import whole_stream, write_text
from zarpipe.formats.corpus import CorpusWriter, to_batch
from zarpipe.formats.sample import check_sample
from zarpipe.readers.parquet import convert_parquet
from zarpipe.readers.scan import (
    LARGEST_DOCUMENT,
    Place,
    corpus_files,
    document_stem,
    documents_of,
    explained_reading,
    is_compressed,
)
from zarpipe.readers.splits import assert_disjoint, folder_split, read_id_lists, taira_split
from zarpipe.readers.summary import Summary
from zarpipe.readers.table import in_words_of, reader, segmenter_title
from zarpipe.readers.text import decode
from zarpipe.task.documents import (
    ConstructionMentions,
    Document,
    OwnBunsetsu,
    Remark,
    Removal,
)
from zarpipe.task.projection import Projection
from zarpipe.task.tagsets import TAGS

SplitRule = Literal["taira", "folders", "ids"]
Predicates = Literal["verbal", "verbal_and_nominal"]
OnError = Literal["stop", "skip"]

_CHUNK_DOCUMENTS = 32
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class Reading:
    """How documents are read.

    Attributes:
        format: name in `zarpipe.config.corpus.READERS` (parquet is checked and taken as it is).
        own_bunsetsu: what a mention in the predicate's own bunsetsu does to the argument's other mentions.
        predicates: KNP: which annotated base phrases are target predicates.
        coreferent_mentions: KNP: whether coreferent mentions in the sentence are mentions of the argument.
        construction_mentions: KNP: how far ``=構`` and ``=役`` make mentions.
        tokens: ``gold``, the corpus's own words, or a name in `zarpipe.config.corpus.SEGMENTERS`.
    """

    format: str
    own_bunsetsu: OwnBunsetsu
    predicates: Predicates = "verbal"
    coreferent_mentions: bool = True
    construction_mentions: ConstructionMentions = "sentence"
    tokens: str = field(default="gold", repr=False)  # the digest of the sources names it by itself

    @property
    def segmenter(self) -> str | None:
        """What cuts the sentences into words, with its version; None in gold words."""
        return None if self.tokens == "gold" else segmenter_title(self.tokens)


def reading(
    corpus_format: str,
    own_bunsetsu: Literal["auto", "drop_case", "drop_mention"] = "auto",
    predicates: Predicates = "verbal",
    coreferent_mentions: bool = True,
    construction_mentions: ConstructionMentions = "sentence",
    tokens: str = "gold",
) -> Reading:
    """Return how to read a format; ``auto`` takes the format's own default.

    What a format does not know is left at its default, so that equal readings are equal.
    """
    module = reader(corpus_format)
    settings: dict[str, Any] = {
        "predicates": predicates,
        "coreferent_mentions": coreferent_mentions,
        "construction_mentions": construction_mentions,
    }
    return Reading(
        corpus_format,
        module.OWN_BUNSETSU if own_bunsetsu == "auto" else own_bunsetsu,
        **{name: settings[name] for name in module.SETTINGS},
        tokens=tokens,
    )


def convert(
    path: str | Path,
    output: str | Path,
    how: Reading,
    split: SplitRule = "taira",
    ids: str | Path | None = None,
    limits: Mapping[str, int | None] | None = None,
    jobs: int = 1,
    on_error: OnError = "stop",
    progress: Callable[[int, int], None] | None = None,
) -> Summary:
    """Convert the corpus at ``path`` to ``output/{train,dev,test}.parquet``.

    Args:
        path: folder of the corpus (distribution, or any folder with the files), or one file.
        output: folder for the three files; also for ``repaired.csv`` if something was repaired, and for
            ``skipped.csv`` with ``on_error="skip"``.
        how: format and rules.
        split: by date, by the folders train, dev and test, or by id lists.
        ids: folder with train.id, dev.id and test.id, for ``split="ids"``.
        limits: documents to take per split, in the order of id list or file name; None takes all. Skipped
            ones do not count.
        jobs: processes.
        on_error: ``stop`` raises when a document is malformed, and says how many are; ``skip`` leaves them
            out and lists them.
        progress: called with (documents done, documents in all).

    Raises:
        ZarpipeError: nothing is written then.
    """
    if how.format == "parquet":
        if ids is not None:
            raise ZarpipeError("--ids: found with --format parquet, whose three files are the splits")
        return convert_parquet(path, output, limits, how.tokens)
    check_sample(path)
    summary = Summary(segmenter=how.segmenter)
    plan = plan_documents(path, how.format, split, ids, on_error, summary)
    wanted = {name: (limits or {}).get(name) for name in SPLITS}
    output = Path(output)
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(whole_stream(output / f"{name}.parquet")) for name in SPLITS]
        digests = {
            name: sources_digest(_candidates(plan[name], wanted[name], on_error), how) for name in SPLITS
        }
        writers = {name: CorpusWriter(file, digests[name]) for name, file in zip(SPLITS, files, strict=True)}
        with _closing(writers, summary), _reader(how, jobs) as read:
            _read_and_write(writers, plan, wanted, read, on_error, summary, progress)
    _write_list(output / "skipped.csv", _SKIPPED, _skipped_rows(summary) if on_error == "skip" else None)
    _write_list(output / "repaired.csv", _REPAIRED, _repaired_rows(summary) or None)
    return summary


def plan_documents(
    path: str | Path,
    corpus_format: str,
    split: SplitRule,
    ids: str | Path | None,
    on_error: OnError,
    summary: Summary,
) -> dict[str, list[Place]]:
    """Return the documents of each split, in the order of the id lists, else of the file names.

    Problems of single files go to ``summary.skipped``.

    Raises:
        ZarpipeError: no corpus; an id list is wrong or names a missing document; a document that is there
            twice or belongs to no split.
    """
    if (ids is not None) != (split == "ids"):
        raise ZarpipeError(
            "--split ids needs --ids DIR (with train.id, dev.id and test.id), and --ids needs --split ids"
        )
    lists = read_id_lists(ids) if ids is not None else None
    documents = _documents(path, corpus_format, summary)
    if lists is not None:
        plan = _by_lists(documents, lists, Path(str(ids)), summary)
    else:
        plan = _by_rule(documents, taira_split if split == "taira" else folder_split, summary)
    assert_disjoint({name: [place.doc_id for place in places] for name, places in plan.items()})
    if not any(plan.values()):
        if on_error == "stop" and summary.skipped:
            raise _stopped(summary.skipped)
        first = f". The first problem: {summary.skipped[0]}" if summary.skipped else ""
        raise ZarpipeError(f"{path}: the corpus is empty: no document is left for any split{first}")
    return plan


def _documents(path: str | Path, corpus_format: str, summary: Summary) -> dict[str, Place]:
    root = Path(path) if Path(path).is_dir() else Path(path).parent
    documents: dict[str, Place] = {}
    for file in corpus_files(path, corpus_format):
        with _collecting(summary):
            for place in documents_of(file, root):
                _refuse_twin(place, documents.get(place.doc_id))
                documents[place.doc_id] = place
    return documents


def _refuse_twin(place: Place, other: Place | None) -> None:
    if other is not None:
        raise FileProblem(
            place.path,
            place.line,
            f"the document {place.doc_id!r} is there already ({other.path}:{other.line}); expected every "
            "document "
            "once, in one form",
        )


def _by_lists(
    documents: Mapping[str, Place], lists: Mapping[str, list[str]], folder: Path, summary: Summary
) -> dict[str, list[Place]]:
    skipped = {unicodedata.normalize("NFC", document_stem(Path(problem.path))) for problem in summary.skipped}
    plan: dict[str, list[Place]] = {}
    for name, doc_ids in lists.items():
        for number, doc_id in enumerate(doc_ids, 1):
            if doc_id not in documents and doc_id not in skipped:
                raise FileProblem(
                    folder / f"{name}.id",
                    number,
                    f"the document {doc_id!r} is not in the corpus; expected a file of that name, or S-ID "
                    "lines with "
                    "it. Correct the list or the path of the corpus",
                )
        plan[name] = [documents[doc_id] for doc_id in doc_ids if doc_id in documents]
    summary.left_out = len(documents) - sum(len(places) for places in plan.values())
    return plan


def _by_rule(
    documents: Mapping[str, Place],
    rule: Callable[[str, str | None], str],
    summary: Summary,
) -> dict[str, list[Place]]:
    plan: dict[str, list[Place]] = {name: [] for name in SPLITS}
    for place in documents.values():
        with _collecting(summary):
            try:
                name = rule(place.doc_id, place.label)
            except ValueError as error:
                raise FileProblem(place.path, place.line, str(error)) from None
            plan[name].append(place)
    return plan


@contextlib.contextmanager
def _collecting(summary: Summary) -> Iterator[None]:
    """Note a document's problem and go on."""
    try:
        yield
    except FileProblem as problem:
        summary.skipped.append(problem)


def _stopped(problems: Sequence[FileProblem]) -> FileProblem:
    """Return the first problem, with the number of the others and the way to go on without them."""
    first, *others = problems
    if others:
        count = f"There are {len(others):,} more such faults; correct them, or leave the documents out"
        count = count.replace("are 1 more such faults", "is 1 more such fault")
    else:
        count = "There is no other such fault; correct it, or leave the document out"
    message = f"{first.message.rstrip('.')}. {count} with --on-error skip (config key corpus.on_error)"
    return FileProblem(first.path, first.line, message)


class ReadDocument(NamedTuple):
    """What a worker found in one document: sentences (id, line), counts and tagset, or its problem."""

    place: Place
    sentences: list[tuple[str, int]]
    predicates: int
    tokens: int
    remarks: list[Remark]
    removed: Counter[tuple[str, Removal]]
    projection: Counter[Projection]
    tagset: Tagset | None
    problem: FileProblem | None


class ReadChunk(NamedTuple):
    """Some documents as a worker gives them: one row of ``batch`` per sentence, in order."""

    documents: list[ReadDocument]
    batch: pa.RecordBatch


def read_places(places: Sequence[Place], how: Reading) -> ReadChunk:
    """Read some documents; a malformed one gives its problem and no rows."""
    with _without_cycle_search():
        return _read_places(places, how)


@contextlib.contextmanager
def _without_cycle_search() -> Iterator[None]:
    """Pause the search for reference cycles: a chunk is many small objects without any, freed all at once."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read_places(places: Sequence[Place], how: Reading) -> ReadChunk:
    read: list[ReadDocument] = []
    documents: list[Document] = []
    for path, group in groupby(places, key=lambda place: place.path):
        for place, content in contents(path, list(group)):
            try:
                document = read_document(content, place, how)
            except FileProblem as problem:
                read.append(ReadDocument(place, [], 0, 0, [], Counter(), Counter(), None, problem))
            else:
                read.append(_described(place, document))
                documents.append(document)
    return ReadChunk(read, to_batch(documents))


def read_document(content: bytes | FileProblem, place: Place, how: Reading) -> Document:
    """Parse one document. Raises FileProblem for a malformed, empty or unreadable one."""
    if isinstance(content, FileProblem):
        raise content
    module = reader(how.format)
    document = module.read(decode(content, place.path, place.line), place, how)
    if not document.sentences:
        raise FileProblem(place.path, place.line, "found no sentence; expected at least one, closed by EOS")
    document.tagset = document.tagset or module.TAGSET
    _note_unknown_tags(document, place.path)
    return document if how.tokens == "gold" else in_words_of(how.tokens, document)


def _note_unknown_tags(document: Document, path: str) -> None:
    """Remark on parts of speech that the tagset does not have, each where it stands first."""
    tagset = document.tagset or "juman"
    known = TAGS[tagset].all
    first: dict[str, int] = {}
    for sentence in document.sentences:
        for word in sentence.words:
            if word[2] not in known:
                first.setdefault(word[2], sentence.line)
    for pos, line in first.items():
        message = (
            f"the part of speech {pos!r} is not one of {TAGS[tagset].title}'s; sets of parts of speech leave "
            "it out, or take it where they take everything except some"
        )
        document.remarks.append(Remark("unknown part of speech", path, line, message))


def sources_digest(places: Sequence[Place], how: Reading) -> str:
    """Return a digest of the documents' names and bytes, and of how they are read."""
    digest = hashlib.sha256(repr(how).encode() + (how.segmenter or "").encode())
    for path, group in groupby(places, key=lambda place: place.path):
        for place, content in contents(path, list(group)):
            if not isinstance(content, FileProblem):
                digest.update(f"{place.doc_id}\t{hashlib.sha256(content).hexdigest()}\n".encode())
    return digest.hexdigest()


def contents(path: str, places: list[Place]) -> Iterator[tuple[Place, bytes | FileProblem]]:
    """Yield each document's bytes, or why they cannot be read; opens the file once."""
    try:
        with (
            explained_reading(path),
            gzip.open(path) if is_compressed(path) else open(path, "rb") as stream,  # noqa: PTH123
        ):
            for place in places:
                stream.seek(place.start)
                size = LARGEST_DOCUMENT + 1 if place.stop is None else place.stop - place.start
                yield place, _small_enough(place, stream.read(min(size, LARGEST_DOCUMENT + 1)))
    except FileProblem as problem:
        for place in places:
            yield place, problem


def _small_enough(place: Place, content: bytes) -> bytes | FileProblem:
    if len(content) <= LARGEST_DOCUMENT:
        return content
    return FileProblem(
        place.path,
        place.line,
        f"the document {place.doc_id!r} has more than {LARGEST_DOCUMENT >> 20:,} MiB; expected an annotated "
        "text. Is this a corpus file?",
    )


def _described(place: Place, document: Document) -> ReadDocument:
    sentences = document.sentences
    return ReadDocument(
        place,
        [(sentence.sent_id, sentence.line) for sentence in sentences],
        sum(len(sentence.predicates) for sentence in sentences),
        sum(len(sentence.words) for sentence in sentences),
        document.remarks,
        document.removed,
        document.projection,
        document.tagset,
        None,
    )


# Reads documents chunk by chunk, in order.
Reader = Callable[[Sequence[Place]], Iterator[ReadChunk]]


@contextlib.contextmanager
def _reader(how: Reading, jobs: int) -> Iterator[Reader]:
    """Yield a reader that works in ``jobs`` processes."""
    if jobs <= 1:
        yield lambda places: (read_places(chunk, how) for chunk in _chunks(places))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        try:
            yield lambda places: _in_order(pool, _chunks(places), how, waiting=2 * jobs)
        except BrokenProcessPool:
            raise ZarpipeError(
                "a process that read documents was killed (out of memory?); use fewer --jobs"
            ) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _in_order(
    pool: ProcessPoolExecutor, chunks: Iterable[list[Place]], how: Reading, waiting: int
) -> Iterator[ReadChunk]:
    """Keep a bounded number of chunks under way, so that fast readers do not fill the memory."""
    under_way: deque[Future[ReadChunk]] = deque()
    for chunk in chunks:
        under_way.append(pool.submit(read_places, chunk, how))
        if len(under_way) >= waiting:
            yield under_way.popleft().result()
    while under_way:
        yield under_way.popleft().result()


def _chunks(places: Sequence[Place]) -> Iterator[list[Place]]:
    """Cut the documents into chunks of some documents or some bytes, whichever comes first."""
    chunk: list[Place] = []
    size = 0
    for place in places:
        chunk.append(place)
        size += (place.stop or place.start) - place.start
        if len(chunk) == _CHUNK_DOCUMENTS or size >= _CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _candidates(places: Sequence[Place], limit: int | None, on_error: OnError) -> Sequence[Place]:
    """Return the documents that decide a split: with skipping, those after the first ``limit`` may too."""
    return places if on_error == "skip" else places[:limit]


@contextlib.contextmanager
def _closing(writers: Mapping[str, CorpusWriter], summary: Summary) -> Iterator[None]:
    """Close the files in the end; on any error discard them."""
    try:
        yield
        for name, writer in writers.items():
            tagset = summary.tagset[0] if summary.tagset else "juman"
            writer.close(tagset, summary.removed[name], summary.segmenter, summary.projection[name])
    except BaseException:
        for writer in writers.values():
            writer.discard()
        raise


def _read_and_write(
    writers: Mapping[str, CorpusWriter],
    plan: Mapping[str, Sequence[Place]],
    limits: Mapping[str, int | None],
    read: Reader,
    on_error: OnError,
    summary: Summary,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Read each split up to its limit. What was skipped is made up for by the documents that follow.

    Raises:
        FileProblem: a document cannot be read and ``on_error`` is ``stop``; raised when the others have been
            read, so that it can say how many more there are.
        ZarpipeError: no document is left.
    """
    seen: dict[str, str] = {}
    taken = dict.fromkeys(SPLITS, 0)
    while places := _next_places(plan, limits, taken, summary):
        total = sum(taken.values())
        for done, (name, document, batch) in enumerate(_read_splits(places, read), total - len(places) + 1):
            with _collecting(summary):
                _accept(document, seen)
                summary.tagset = _one_tagset(document, summary.tagset)
                _count(document, name, summary)
                writers[name].write(batch, summary.tagset[0])
            if progress is not None:
                progress(done, total)
        if on_error == "stop" and summary.skipped:
            raise _stopped(summary.skipped)
    if not sum(summary.documents.values()):
        raise ZarpipeError(f"no document is left: all were skipped. The first problem: {summary.skipped[0]}")


def _next_places(
    plan: Mapping[str, Sequence[Place]],
    limits: Mapping[str, int | None],
    taken: dict[str, int],
    summary: Summary,
) -> list[tuple[str, Place]]:
    """Return (split, document) of the documents that are still wanted, and count them as taken."""
    places = []
    for name in SPLITS:
        limit = limits[name]
        start = taken[name]
        stop = len(plan[name]) if limit is None else start + limit - summary.documents[name]
        chosen = plan[name][start:stop]
        taken[name] += len(chosen)
        places += [(name, place) for place in chosen]
    return places


def _read_splits(
    places: Sequence[tuple[str, Place]], read: Reader
) -> Iterator[tuple[str, ReadDocument, pa.RecordBatch]]:
    """Yield (split, document, its rows) in the given order."""
    documents = (pair for chunk in read([place for _, place in places]) for pair in _rows(chunk))
    for (name, _), (document, batch) in zip(places, documents, strict=True):
        yield name, document, batch


def _rows(chunk: ReadChunk) -> Iterator[tuple[ReadDocument, pa.RecordBatch]]:
    """Give each document its rows of the chunk."""
    row = 0
    for document in chunk.documents:
        yield document, chunk.batch.slice(row, len(document.sentences))
        row += len(document.sentences)


def _accept(document: ReadDocument, seen: dict[str, str]) -> None:
    """Refuse a document with a problem, or with a sentence id that another sentence has."""
    if document.problem is not None:
        raise document.problem
    own: dict[str, str] = {}
    for sent_id, line in document.sentences:
        other = own.get(sent_id) or seen.get(sent_id)
        if other is not None:
            raise FileProblem(
                document.place.path,
                line,
                f"the sentence id {sent_id!r} is there already ({other}); expected every id once in the "
                "corpus",
            )
        own[sent_id] = f"{document.place.path}:{line}"
    seen.update(own)


def _one_tagset(document: ReadDocument, known: tuple[Tagset, str] | None) -> tuple[Tagset, str]:
    """Return the corpus's tagset and the document that gave it; refuse a document of another one."""
    own = document.tagset or "juman"
    if known is None:
        return own, document.place.path
    if own != known[0]:
        raise FileProblem(
            document.place.path,
            document.place.line,
            f"found parts of speech of {TAGS[own].title}, in {known[1]} those of {TAGS[known[0]].title}; "
            "expected one dictionary for the whole corpus: convert the documents of each by themselves",
        )
    return known


def _count(document: ReadDocument, name: str, summary: Summary) -> None:
    summary.documents[name] += 1
    summary.sentences[name] += len(document.sentences)
    summary.predicates[name] += document.predicates
    summary.tokens[name] += document.tokens
    summary.removed[name] += document.removed
    summary.projection[name] += document.projection
    summary.remarks += document.remarks


_SKIPPED = ("file", "line", "problem")
_REPAIRED = ("file", "line", "kind", "repair")


def _skipped_rows(summary: Summary) -> list[tuple[object, ...]]:
    return [(problem.path, problem.line or "", problem.message) for problem in summary.skipped]


def _repaired_rows(summary: Summary) -> list[tuple[object, ...]]:
    return [(remark.path, remark.line, remark.kind, remark.message) for remark in summary.repairs]


def _write_list(path: Path, columns: Sequence[str], rows: Sequence[tuple[object, ...]] | None) -> None:
    """Write a list beside the corpus; with None, take away the list of an earlier conversion."""
    if rows is None:
        path.unlink(missing_ok=True)
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    write_text(path, text.getvalue())
