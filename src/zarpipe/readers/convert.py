"""Converts a corpus folder to ``train.parquet``, ``dev.parquet`` and ``test.parquet``.

The documents and their splits are settled first (which file, which bytes, which split), then read in
parallel, a few at a time, and written in order: memory holds a few chunks of documents, whatever the corpus'
size. The three files appear together, and only when all three are whole.
"""

from __future__ import annotations

import contextlib
import csv
import gc
import hashlib
import io
import unicodedata
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Literal, NamedTuple

import pyarrow as pa

from zarpipe.characters import plain_cell
from zarpipe.config import SPLITS
from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import FileProblem, ZarpipeError
from zarpipe.files import whole_stream, write_text
from zarpipe.formats.corpus_writer import CorpusWriter, to_batch
from zarpipe.readers.reading import Limits, Place, Reading, SplitRule, TableReader, reader, segmenter
from zarpipe.readers.scan import contents, corpus_files, document_stem, documents_of
from zarpipe.readers.splits import assert_disjoint, folder_split, read_id_lists, taira_split
from zarpipe.readers.summary import Summary
from zarpipe.readers.text import decode
from zarpipe.task.documents import Document, Remark
from zarpipe.task.tagsets import TAGS

OnError = Literal["stop", "skip"]

_CHUNK_DOCUMENTS = 32
_CHUNK_BYTES = 1 << 20


def convert(
    path: str | Path,
    output: str | Path,
    how: Reading,
    split: SplitRule = "taira",
    ids: str | Path | None = None,
    limits: Limits | None = None,
    jobs: int = 1,
    on_error: OnError = "stop",
    progress: Callable[[int, int], None] | None = None,
) -> Summary:
    """Convert the corpus at ``path`` to ``output/{train,dev,test}.parquet``.

    Writes ``repaired.csv`` too if something was repaired, and ``skipped.csv`` with ``on_error="skip"``, which
    leaves malformed documents out; ``stop`` says how many there are, and raises. Limits are documents per
    split, in the order of id list or file name; skipped ones do not count. ``progress`` is called with
    (documents done, in all). Raises ZarpipeError; nothing is written then.
    """
    module, output, limits = reader(how.format), Path(output), limits or {}
    if isinstance(module, TableReader):
        return module.convert(Path(path), output, how, ids, limits)
    summary = Summary(segmenter=how.segmenter)
    plan = plan_documents(path, how.format, split, ids, on_error, summary)
    with contextlib.ExitStack() as stack:
        writers = {}
        for name in SPLITS:
            # With skipping, documents after the first ones may decide a split too.
            first = plan[name] if on_error == "skip" else plan[name][: limits.get(name)]
            stream = stack.enter_context(whole_stream(output / f"{name}.parquet"))
            writers[name] = CorpusWriter(stream, sources_digest(first, how))
        with _closing(writers, summary), _reader(how, jobs) as read:
            _read_and_write(writers, plan, limits, read, on_error, summary, progress)
    skipped = [(problem.path, problem.line or "", problem.message) for problem in summary.skipped]
    repairs = [(remark.path, remark.line, remark.kind, remark.message) for remark in summary.repairs]
    _write_list(output / "skipped.csv", ("file", "line", "problem"), skipped, on_error == "skip")
    _write_list(output / "repaired.csv", ("file", "line", "kind", "repair"), repairs, bool(repairs))
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
    documents = _documents(Path(path), corpus_format, summary)
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


def _documents(path: Path, corpus_format: str, summary: Summary) -> dict[str, Place]:
    documents: dict[str, Place] = {}
    for file in corpus_files(path, corpus_format):
        with _collecting(summary):
            for place in documents_of(file, path if path.is_dir() else path.parent):
                if (other := documents.get(place.doc_id)) is not None:
                    found = f"the document {place.doc_id!r} is there already ({other.path}:{other.line})"
                    raise place.problem(f"{found}; expected every document once, in one form")
                documents[place.doc_id] = place
    return documents


def _by_lists(
    documents: Mapping[str, Place], lists: Mapping[str, list[str]], folder: Path, summary: Summary
) -> dict[str, list[Place]]:
    skipped = {unicodedata.normalize("NFC", document_stem(Path(problem.path))) for problem in summary.skipped}
    plan: dict[str, list[Place]] = {}
    for name, doc_ids in lists.items():
        for number, doc_id in enumerate(doc_ids, 1):
            if doc_id not in documents and doc_id not in skipped:
                way_out = "Correct the list or the path of the corpus"
                expected = f"expected a file of that name, or S-ID lines with it. {way_out}"
                message = f"the document {doc_id!r} is not in the corpus; {expected}"
                raise FileProblem(folder / f"{name}.id", number, message)
        plan[name] = [documents[doc_id] for doc_id in doc_ids if doc_id in documents]
    summary.left_out = len(documents) - sum(map(len, plan.values()))
    return plan


def _by_rule(
    documents: Mapping[str, Place], rule: Callable[[str, str | None], str], summary: Summary
) -> dict[str, list[Place]]:
    plan: dict[str, list[Place]] = {name: [] for name in SPLITS}
    for place in documents.values():
        try:
            plan[rule(place.doc_id, place.label)].append(place)
        except ValueError as error:
            summary.skipped.append(place.problem(str(error)))
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
    many = f"There are {len(others):,} more such faults" if len(others) > 1 else "There is 1 more such fault"
    count = f"{many}; correct them, or leave the documents out"
    if not others:
        count = "There is no other such fault; correct it, or leave the document out"
    message = f"{first.message.rstrip('.')}. {count} with --on-error skip (config key corpus.on_error)"
    return FileProblem(first.path, first.line, message)


class ReadDocument(NamedTuple):
    """What a worker found in one document."""

    place: Place  # where it stands
    found: Document | FileProblem  # the document without its sentences, or its problem
    lines: list[int]  # lines at which its sentences begin; each is a row of the chunk


# Some documents as a worker gives them, and one row per sentence, in order.
ReadChunk = tuple[list[ReadDocument], pa.RecordBatch]


def read_places(places: Sequence[Place], how: Reading) -> ReadChunk:
    """Read some documents; a malformed one gives its problem and no rows."""
    read: list[ReadDocument] = []
    documents: list[Document] = []
    # A chunk is many small objects without reference cycles, freed all at once: no search for them.
    enabled = gc.isenabled()
    gc.disable()
    try:
        for path, group in groupby(places, key=lambda place: place.path):
            for place, content in contents(path, list(group)):
                try:
                    document = read_document(content, place, how)
                except FileProblem as problem:
                    read.append(ReadDocument(place, problem, []))
                else:
                    lines = [sentence.line for sentence in document.sentences]
                    read.append(ReadDocument(place, replace(document, sentences=[]), lines))
                    documents.append(document)
        return read, to_batch(documents)
    finally:
        if enabled:
            gc.enable()


def read_document(content: bytes | FileProblem, place: Place, how: Reading) -> Document:
    """Parse one document. Raises FileProblem for a malformed, empty or unreadable one."""
    if isinstance(content, FileProblem):
        raise content
    module = reader(how.format)
    assert not isinstance(module, TableReader)  # noqa: S101 (it reads whole files)
    document = module.read(decode(content, place.path, place.line), place, how)
    if not document.sentences:
        raise place.problem("found no sentence; expected at least one, closed by EOS")
    document.tagset = document.tagset or module.TAGSET
    _note_unknown_tags(document, place.path)
    return document if how.tokens == "gold" else segmenter(how.tokens).resegmented(document)


def _note_unknown_tags(document: Document, path: str) -> None:
    """Remark on parts of speech that the tagset does not have, each where it stands first."""
    tags = TAGS[document.tagset or "juman"]
    known = tags.all
    effect = "sets of parts of speech leave it out, or take it where they take everything except some"
    first: dict[str, int] = {}
    for sentence in document.sentences:
        for word in sentence.words:
            if word[2] not in known:
                first.setdefault(word[2], sentence.line)
    for pos, line in first.items():
        message = f"the part of speech {pos!r} is not one of {tags.title}'s; {effect}"
        document.remarks.append(Remark("unknown part of speech", path, line, message))


def sources_digest(places: Sequence[Place], how: Reading) -> str:
    """Return a digest of the documents' names and bytes, and of how they are read."""
    digest = hashlib.sha256(repr(how).encode() + (how.segmenter or "").encode())
    for path, group in groupby(places, key=lambda place: place.path):
        for place, content in contents(path, list(group)):
            if not isinstance(content, FileProblem):
                digest.update(f"{place.doc_id}\t{hashlib.sha256(content).hexdigest()}\n".encode())
    return digest.hexdigest()


# Reads documents, in order, each with its rows.
DocumentReader = Callable[[Sequence[Place]], Iterator[tuple[ReadDocument, pa.RecordBatch]]]


@contextlib.contextmanager
def _reader(how: Reading, jobs: int) -> Iterator[DocumentReader]:
    """Yield a reader that works in ``jobs`` processes."""
    if jobs <= 1:
        yield lambda places: _rows(read_places(chunk, how) for chunk in _chunks(places))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        try:
            yield lambda places: _rows(_in_order(pool, _chunks(places), how, waiting=2 * jobs))
        except BrokenProcessPool:
            raise ZarpipeError(
                "a process that read documents was killed (out of memory?); use fewer --jobs"
            ) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _in_order(
    pool: ProcessPoolExecutor, chunks: Iterator[list[Place]], how: Reading, waiting: int
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


def _rows(chunks: Iterator[ReadChunk]) -> Iterator[tuple[ReadDocument, pa.RecordBatch]]:
    """Give each document its rows of the chunk."""
    for documents, batch in chunks:
        row = 0
        for document in documents:
            yield document, batch.slice(row, len(document.lines))
            row += len(document.lines)


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
    limits: Limits,
    read: DocumentReader,
    on_error: OnError,
    summary: Summary,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Read each split up to its limit. What was skipped is made up for by the documents that follow.

    Raises FileProblem for the first document that cannot be read, if ``on_error`` is ``stop``, when the
    others have been read, so that it can say how many more there are; ZarpipeError if no document is left.
    """
    seen: dict[str, str] = {}
    taken: Counter[str] = Counter()
    while places := _next_places(plan, limits, taken, summary):
        documents = zip(places, read([place for _, place in places]), strict=True)
        for done, ((name, _), (document, rows)) in enumerate(documents, taken.total() - len(places) + 1):
            with _collecting(summary):
                tagset = _accept(document, rows, name, seen, summary)
                writers[name].write(rows, tagset)
            if progress is not None:
                progress(done, taken.total())
        if on_error == "stop" and summary.skipped:
            raise _stopped(summary.skipped)
    if not summary.documents.total():
        raise ZarpipeError(f"no document is left: all were skipped. The first problem: {summary.skipped[0]}")


def _next_places(
    plan: Mapping[str, Sequence[Place]], limits: Limits, taken: Counter[str], summary: Summary
) -> list[tuple[str, Place]]:
    """Return (split, document) of the documents that are still wanted, and count them as taken."""
    places = []
    for name in SPLITS:
        limit, start = limits.get(name), taken[name]
        chosen = plan[name][start : None if limit is None else start + limit - summary.documents[name]]
        taken[name] += len(chosen)
        places += [(name, place) for place in chosen]
    return places


def _accept(
    document: ReadDocument, rows: pa.RecordBatch, split: str, seen: dict[str, str], summary: Summary
) -> Tagset:
    """Take a document into the summary, and its sentence ids into ``seen``; return its tagset.

    Refuses one with a problem, with a sentence id that another sentence has, or with another tagset.
    """
    place, found, lines = document
    if isinstance(found, FileProblem):
        raise found
    own: dict[str, str] = {}
    for sent_id, line in zip(rows["sent_id"].to_pylist(), lines, strict=True):
        if other := own.get(sent_id) or seen.get(sent_id):
            twice = f"the sentence id {sent_id!r} is there already ({other})"
            raise place.problem(f"{twice}; expected every id once in the corpus", line)
        own[sent_id] = f"{place.path}:{line}"
    seen.update(own)
    tagset = found.tagset or "juman"
    known, first = summary.tagset = summary.tagset or (tagset, place.path)
    if tagset != known:
        mixed = f"found parts of speech of {TAGS[tagset].title}, in {first} those of {TAGS[known].title}"
        expected = "one dictionary for the whole corpus: convert the documents of each by themselves"
        raise place.problem(f"{mixed}; expected {expected}")
    summary.documents[split] += 1
    summary.count(split, rows)
    summary.removed[split] += found.removed
    summary.projection[split] += found.projection
    summary.remarks += found.remarks
    return tagset


def _write_list(path: Path, columns: Sequence[str], rows: Sequence[tuple[object, ...]], wanted: bool) -> None:
    """Write a list beside the corpus, or take away that of an earlier conversion."""
    if not wanted:
        path.unlink(missing_ok=True)
        return
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *(map(plain_cell, row) for row in rows)])
    write_text(path, text.getvalue())
