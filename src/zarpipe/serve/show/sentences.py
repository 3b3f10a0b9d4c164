"""What ``zarpipe show`` shows: sentences with gold arguments, predicted ones, and what a variant masks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from zarpipe import job_folders
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.parquet import read_parquet
from zarpipe.readers.scan import document_part
from zarpipe.registry import nearest
from zarpipe.serve.export.sentences import sentences_of
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.documents import UNKNOWN_RELATION, Argument, Sentence

Only = Literal["gold", "predicted", "both"]
Connector = Literal["", "line", "corner", "tee", "down", "cross"]
# (sentence, predicate) -> what a file says of it.
_Rows = Mapping[tuple[str, int], list[dict[str, Any]]]

# Longer ones are not drawn as a tree, and written only around a predicate and its arguments.
LONG_SENTENCE = 500
_NEIGHBOURS = 15
_NAMES_TO_COMPARE = 20_000


class ShownCase(NamedTuple):
    """What is shown of one case of a predicate.

    Gold mentions, None when gold is not shown, and a decision.
    """

    case: str
    gold: list[Argument] | None
    decided: Argument | None

    @property
    def tokens(self) -> list[int]:
        """The tokens of the gold mentions, then that of the decision."""
        return [one.token for one in [*(self.gold or ()), *([self.decided] if self.decided else ())]]

    @property
    def verdict(self) -> str:
        """``right`` if the decision hits a gold mention, else ``wrong``; empty for one side alone."""
        if self.gold is None or self.decided is None:
            return ""
        return "right" if self.decided.token in [mention.token for mention in self.gold] else "wrong"


class ShownPredicate(NamedTuple):
    """What is shown of a predicate: its voice as annotated, gold arguments (None: not shown), decisions.

    ``masked``: token that a variant masks -> its replacement (CDA), or None for a mask.
    """

    token: int
    alt: str | None
    gold: list[Argument] | None
    decided: Sequence[Argument] = ()
    masked: Mapping[int, str | None] = MappingProxyType({})

    @property
    def cases(self) -> list[ShownCase]:
        """The cases that have a gold argument or a decision."""
        cases = []
        for case in CASE_NAMES:
            mentions = [one for one in self.gold or () if one.case == case]
            decided = next((one for one in self.decided if one.case == case), None)
            if mentions or decided:
                cases.append(ShownCase(case, None if self.gold is None else mentions, decided))
        return cases


class Shown(NamedTuple):
    """A sentence, and what is shown of its predicates."""

    sentence: Sentence
    predicates: list[ShownPredicate]


def read_shown(
    corpus: Path,
    sent_id: str | None = None,
    predictions: Path | None = None,
    variant: Path | None = None,
    only: Only = "both",
    limit: int | None = None,
) -> Iterator[Shown]:
    """Read sentences to show, some at a time: all, or one.

    Raises:
        ZarpipeError: a file is missing or of another kind, belongs to another corpus, or there is no such
            sentence.
    """
    table = read_corpus(corpus)
    known = set(table["sent_id"].to_pylist())
    if sent_id is not None:
        if sent_id not in known:
            raise ZarpipeError(f"{corpus}: there is no sentence {sent_id!r}; {_nearest(sent_id, table)}")
        table = table.filter(pc.equal(table["sent_id"], sent_id))
    decided = (
        _by_predicate(predictions, ("case", "token", "probability"), known, corpus) if predictions else None
    )
    masks = _by_predicate(variant, ("masked",), known, corpus) if variant else {}
    return (_shown(sentence, decided, masks, only) for sentence in sentences_of(table[:limit]))


def shown_tokens(sentence: Sentence, predicate: ShownPredicate) -> list[range]:
    """Return the tokens to write for one predicate, in pieces with nothing between them.

    Of a long sentence these are the neighbours of the predicate and of its arguments, so that many predicates
    do not write it again and again.
    """
    count = len(sentence.words)
    if count <= LONG_SENTENCE:
        return [range(count)]
    marked = {predicate.token, *(token for one in predicate.cases for token in one.tokens)}
    pieces: list[range] = []
    for token in sorted(marked):
        start, stop = max(0, token - _NEIGHBOURS), min(count, token + _NEIGHBOURS + 1)
        if pieces and start <= pieces[-1].stop:
            start = pieces.pop().start
        pieces.append(range(start, stop))
    return pieces


def tree_connectors(heads: Sequence[int]) -> list[list[Connector]]:
    """Return how the tree is drawn to the right of the bunsetsu.

    Row i has one connector for each later bunsetsu j > i: the line from i to its head, the corner above the
    head, and the way down from earlier corners. A head to the left is not drawn.
    """
    rows: list[list[Connector]] = []
    heads_above: set[int] = set()
    for number, head in enumerate(heads):
        row: list[Connector] = []
        for column in range(number + 1, len(heads)):
            from_above = column in heads_above
            if column < head:
                row.append("cross" if from_above else "line")
            elif column == head:
                row.append("tee" if from_above else "corner")
            else:
                row.append("down" if from_above else "")
        rows.append(row)
        heads_above.add(head)
    return rows


def _shown(sentence: Sentence, decided: _Rows | None, masks: _Rows, only: Only) -> Shown:
    predicates = []
    for predicate in sentence.predicates:
        key = (sentence.sent_id, predicate.token)
        gold = predicate.arguments if decided is None or only != "predicted" else None
        decisions = decided.get(key, []) if decided is not None and only != "gold" else []
        masked = _masked(masks.get(key, []))
        _check_tokens(sentence, [*(decision["token"] for decision in decisions), *masked])
        arguments = [
            Argument(one["case"], one["token"], UNKNOWN_RELATION, one["probability"]) for one in decisions
        ]
        predicates.append(ShownPredicate(predicate.token, predicate.alt, gold, arguments, masked))
    return Shown(sentence, predicates)


def _check_tokens(sentence: Sentence, tokens: Sequence[int | None]) -> None:
    for token in tokens:
        if token is None or not 0 <= token < len(sentence.words):
            raise ZarpipeError(
                f"sentence {sentence.sent_id!r}: the predictions or the variant name the token {token}; "
                f"expected one from 0 to {len(sentence.words) - 1}. Give files that were made from this "
                "corpus"
            )


def _masked(rows: list[dict[str, Any]]) -> dict[int, str | None]:
    if not rows:
        return {}
    masked = rows[0]["masked"]
    return dict(zip(masked, rows[0].get("replacements") or [None] * len(masked), strict=True))


def _by_predicate(path: Path, needed: tuple[str, ...], known: set[str], corpus: Path) -> _Rows:
    """Read a Parquet with one or more rows per (sentence, predicate)."""
    if not path.is_file():
        raise ZarpipeError(f"{path}: no such file; expected a Parquet file of predictions or of a variant")
    job_folders.check(path)
    try:
        table = read_parquet(path)
    except (OSError, pa.ArrowException) as error:
        raise ZarpipeError(f"{path}: cannot be read as Parquet ({str(error).splitlines()[0]})") from error
    for name in ("sent_id", "predicate", *needed):
        if name not in table.column_names:
            raise ZarpipeError(
                f"{path}: the column {name!r} is missing; expected a file of zarpipe predict (--predictions) "
                "or zarpipe augment (--variant)"
            )
    foreign = [sent_id for sent_id in table["sent_id"].unique().to_pylist() if sent_id not in known]
    if foreign:
        raise ZarpipeError(
            f"{path}: the sentence {foreign[0]!r} is not in {corpus}; expected a file that was made from "
            "this corpus and split"
        )
    found: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for row in table.to_pylist():
        found[row["sent_id"], row["predicate"]].append(row)
    return found


def _nearest(sent_id: str, table: pa.Table) -> str:
    """Say which sentences may be meant: those of the same document, else those of similar names."""
    known = table["sent_id"].to_pylist()
    if not known:
        return "it has none"
    of_document = table.filter(pc.equal(table["doc_id"], sent_id))["sent_id"].to_pylist()
    if of_document:
        return f"that is a document, which has {of_document[0]} to {of_document[-1]}"
    document = document_part(sent_id)
    of_document = [other for other in known if document is not None and document_part(other) == document]
    near = nearest(sent_id, of_document or known[:_NAMES_TO_COMPARE], 3)
    similar = f"similar ones: {', '.join(near)}"
    if of_document:
        return f"its document has {of_document[0]} to {of_document[-1]}; {similar}"
    return similar if near else f"the first one is {known[0]}"
