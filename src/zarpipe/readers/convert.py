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
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Literal, NamedTuple

import pyarrow as pa

from zarpipe.config import SPLITS
from zarpipe.errors import FileProblem, ZarpipeError
from zarpipe.files import whole_stream, write_text
from zarpipe.formats.corpus import CorpusWriter, to_batch
from zarpipe.readers.parquet import convert_parquet
from zarpipe.readers.scan import Format, Place, corpus_files, documents_of
from zarpipe.readers.splits import assert_disjoint, folder_split, read_id_lists, taira_split
from zarpipe.readers.summary import Summary
from zarpipe.readers.text import decode
from zarpipe.task.documents import Document, OwnBunsetsu, Remark

SplitRule = Literal["taira", "folders", "ids"]
Predicates = Literal["verbal", "verbal_and_nominal"]
OnError = Literal["stop", "skip"]

_CHUNK_DOCUMENTS = 32
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class Reading:
    """How documents are read.

    Attributes:
        format: ntc, knp, or parquet (which is checked and taken as it is).
        own_bunsetsu: what a mention in the predicate's own bunsetsu does to the argument's other mentions.
        predicates: KNP: which annotated base phrases are target predicates.
        coreferent_mentions: KNP: whether coreferent mentions in the sentence are mentions of the argument.
    """

    format: Format
    own_bunsetsu: OwnBunsetsu
    predicates: Predicates = "verbal"
    coreferent_mentions: bool = True


def reading(
    corpus_format: Format,
    own_bunsetsu: Literal["auto", "drop_case", "drop_mention"] = "auto",
    predicates: Predicates = "verbal",
    coreferent_mentions: bool = True,
) -> Reading:
    """Return how to read a format; ``auto`` takes the golden answer for NTC and ``drop_mention`` for KNP.

    What a format does not know is left at its default, so that equal readings are equal.

    A copular predicate corefers with its own subject (学生だ = 太郎), so that dropping the case would lose a
    fifth of KWDLC's nominatives.
    """
    if corpus_format == "parquet":
        return Reading(corpus_format, "drop_mention")
    if own_bunsetsu == "auto":
        own_bunsetsu = "drop_case" if corpus_format == "ntc" else "drop_mention"
    if corpus_format == "ntc":
        return Reading(corpus_format, own_bunsetsu)
    return Reading(corpus_format, own_bunsetsu, predicates, coreferent_mentions)


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
        output: folder for the three files; with ``on_error="skip"`` also for ``skipped.csv``.
        how: format and rules.
        split: by date, by the folders train, dev and test, or by id lists.
        ids: folder with train.id, dev.id and test.id, for ``split="ids"``.
        limits: documents to take per split, in the order of id list or file name; None takes all.
        jobs: processes.
        on_error: ``stop`` raises at the first malformed document, ``skip`` leaves it out and lists it.
        progress: called with (documents done, documents in all).

    Raises:
        ZarpipeError: nothing is written then.
    """
    if how.format == "parquet":
        if ids is not None:
            raise ZarpipeError("--ids: found with --format parquet, whose three files are the splits")
        return convert_parquet(path, output, limits)
    summary = Summary()
    plan = plan_documents(path, how.format, split, ids, on_error, summary)
    places = {name: plan[name][: (limits or {}).get(name)] for name in SPLITS}
    output = Path(output)
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(whole_stream(output / f"{name}.parquet")) for name in SPLITS]
        with _results(places, how, jobs) as results:
            digests = {name: sources_digest(places[name], how) for name in SPLITS}
            writers = {
                name: CorpusWriter(file, digests[name]) for name, file in zip(SPLITS, files, strict=True)
            }
            _write(writers, places, results, on_error, summary, progress)
    _write_skipped(output / "skipped.csv", on_error, summary)
    return summary


def plan_documents(
    path: str | Path,
    corpus_format: Format,
    split: SplitRule,
    ids: str | Path | None,
    on_error: OnError,
    summary: Summary,
) -> dict[str, list[Place]]:
    """Return the documents of each split, in the order of the id lists, else of the file names.

    Problems of single files go to ``summary.skipped`` with ``on_error="skip"``.

    Raises:
        ZarpipeError: no corpus; an id list is wrong or names a missing document; a document that is there
            twice or belongs to no split.
    """
    if (ids is not None) != (split == "ids"):
        raise ZarpipeError(
            "--split ids needs --ids DIR (with train.id, dev.id and test.id), and --ids needs --split ids"
        )
    lists = read_id_lists(ids) if ids is not None else None
    documents = _documents(path, corpus_format, on_error, summary)
    if lists is not None:
        plan = _by_lists(documents, lists, Path(str(ids)), summary)
    else:
        plan = _by_rule(documents, taira_split if split == "taira" else folder_split, on_error, summary)
    assert_disjoint({name: [place.doc_id for place in places] for name, places in plan.items()})
    if not any(plan.values()):
        raise ZarpipeError(f"{path}: the corpus is empty: no document is left for any split")
    return plan


def _documents(
    path: str | Path, corpus_format: Format, on_error: OnError, summary: Summary
) -> dict[str, Place]:
    root = Path(path) if Path(path).is_dir() else Path(path).parent
    documents: dict[str, Place] = {}
    for file in corpus_files(path, corpus_format):
        with _skipping(on_error, summary):
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
    skipped = {Path(problem.path).name.split(".")[0] for problem in summary.skipped}
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
    on_error: OnError,
    summary: Summary,
) -> dict[str, list[Place]]:
    plan: dict[str, list[Place]] = {name: [] for name in SPLITS}
    for place in documents.values():
        with _skipping(on_error, summary):
            try:
                name = rule(place.doc_id, place.label)
            except ValueError as error:
                raise FileProblem(place.path, place.line, str(error)) from None
            plan[name].append(place)
    return plan


@contextlib.contextmanager
def _skipping(on_error: OnError, summary: Summary) -> Iterator[None]:
    try:
        yield
    except FileProblem as problem:
        if on_error == "stop":
            raise
        summary.skipped.append(problem)


class ReadDocument(NamedTuple):
    """What a worker found in one document: sentences (id, line) and counts, or the problem that it has."""

    place: Place
    sentences: list[tuple[str, int]]
    predicates: int
    tokens: int
    remarks: list[Remark]
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
        for place, content in _contents(path, list(group)):
            try:
                document = read_document(content, place, how)
            except FileProblem as problem:
                read.append(ReadDocument(place, [], 0, 0, [], problem))
            else:
                read.append(_described(place, document))
                documents.append(document)
    return ReadChunk(read, to_batch(documents))


def read_document(content: bytes | FileProblem, place: Place, how: Reading) -> Document:
    """Parse one document. Raises FileProblem for a malformed, empty or unreadable one."""
    if isinstance(content, FileProblem):
        raise content
    document = _parse(decode(content, place.path, place.line), place, how)
    if not document.sentences:
        raise FileProblem(place.path, place.line, "found no sentence; expected at least one, closed by EOS")
    return document


def _parse(text: str, place: Place, how: Reading) -> Document:
    if how.format == "knp":
        from zarpipe.readers.knp import read_knp  # rhoknp is slow to import

        return read_knp(
            text,
            place.doc_id,
            place.path,
            place.line,
            own_bunsetsu=how.own_bunsetsu,
            nominal=how.predicates == "verbal_and_nominal",
            coreferent_mentions=how.coreferent_mentions,
        )
    from zarpipe.readers.ntc import read_ntc

    return read_ntc(text, place.doc_id, place.path, place.line, how.own_bunsetsu)


def sources_digest(places: Sequence[Place], how: Reading) -> str:
    """Return a digest of the documents' names and bytes, and of how they are read."""
    digest = hashlib.sha256(repr(how).encode())
    for path, group in groupby(places, key=lambda place: place.path):
        for place, content in _contents(path, list(group)):
            if not isinstance(content, FileProblem):
                digest.update(f"{place.doc_id}\t{hashlib.sha256(content).hexdigest()}\n".encode())
    return digest.hexdigest()


def _contents(path: str, places: list[Place]) -> Iterator[tuple[Place, bytes | FileProblem]]:
    """Yield each document's bytes; opens the file once."""
    try:
        with gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb") as stream:  # noqa: PTH123
            for place in places:
                stream.seek(place.start)
                yield place, stream.read(-1 if place.stop is None else place.stop - place.start)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or error
        problem = FileProblem(path, None, f"cannot be read ({reason}); check the file and its permissions")
        for place in places:
            yield place, problem


def _described(place: Place, document: Document) -> ReadDocument:
    sentences = document.sentences
    return ReadDocument(
        place,
        [(sentence.sent_id, sentence.line) for sentence in sentences],
        sum(len(sentence.predicates) for sentence in sentences),
        sum(len(sentence.words) for sentence in sentences),
        document.remarks,
        None,
    )


@contextlib.contextmanager
def _results(places: Mapping[str, Sequence[Place]], how: Reading, jobs: int) -> Iterator[Iterator[ReadChunk]]:
    """Yield the read documents chunk by chunk, in order, from ``jobs`` processes."""
    chunks = _chunks([place for name in SPLITS for place in places[name]])
    if jobs <= 1:
        yield (read_places(chunk, how) for chunk in chunks)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        try:
            yield _in_order(pool, chunks, how, waiting=2 * jobs)
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


def _write(
    writers: Mapping[str, CorpusWriter],
    places: Mapping[str, Sequence[Place]],
    results: Iterator[ReadChunk],
    on_error: OnError,
    summary: Summary,
    progress: Callable[[int, int], None] | None,
) -> None:
    split_of = {place.doc_id: name for name in SPLITS for place in places[name]}
    seen: dict[str, str] = {}
    done = 0
    try:
        for document, batch in (pair for chunk in results for pair in _rows(chunk)):
            name = split_of[document.place.doc_id]
            with _skipping(on_error, summary):
                _accept(document, seen)
                writers[name].write(batch)
                _count(document, name, summary)
            done += 1
            if progress is not None:
                progress(done, len(split_of))
        if not sum(summary.documents.values()):
            raise ZarpipeError(
                f"no document is left: all were skipped. The first problem: {summary.skipped[0]}"
            )
        for writer in writers.values():
            writer.close()
    except BaseException:
        for writer in writers.values():
            writer.discard()
        raise


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


def _count(document: ReadDocument, name: str, summary: Summary) -> None:
    summary.documents[name] += 1
    summary.sentences[name] += len(document.sentences)
    summary.predicates[name] += document.predicates
    summary.tokens[name] += document.tokens
    summary.remarks += document.remarks


def _write_skipped(path: Path, on_error: OnError, summary: Summary) -> None:
    """List the skipped documents; without skipping, take away the list of an earlier conversion."""
    if on_error == "stop":
        path.unlink(missing_ok=True)
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["file", "line", "problem"])
    writer.writerows((problem.path, problem.line or "", problem.message) for problem in summary.skipped)
    write_text(path, text.getvalue())
