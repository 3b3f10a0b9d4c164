"""What ``zarpipe show`` shows: sentences with gold arguments, predicted ones, and what a variant masks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from zarpipe import seals
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import CORPUS_SCHEMA, read_corpus
from zarpipe.formats.made_from import check_made_from
from zarpipe.formats.parquet import check_digests, read_parquet
from zarpipe.readers.scan import document_part
from zarpipe.registry import nearest
from zarpipe.task.cases import CASE_NAMES

Only = Literal["gold", "predicted", "both"]
Connector = Literal["", "line", "corner", "tee", "down", "cross"]
Key = tuple[str, int]

# Longer ones are not drawn as a tree, and written only around a predicate and its arguments.
LONG_SENTENCE = 500
_NEIGHBOURS = 15
_ROWS_AT_A_TIME = 500
_NAMES_TO_COMPARE = 20_000


@dataclass(frozen=True)
class ShownArgument:
    """An argument of one case.

    Attributes:
        case: name of the case.
        gold: (token, relation) of each gold mention; None when gold is not shown.
        predicted: (token, probability) of the decision, None when there is none or it is not shown.
    """

    case: str
    gold: list[tuple[int, str]] | None
    predicted: tuple[int, float] | None

    @property
    def is_right(self) -> bool | None:
        """Whether the decision hits a gold mention; None when only one side is shown."""
        if self.gold is None or self.predicted is None:
            return None
        return self.predicted[0] in [token for token, _ in self.gold]


@dataclass(frozen=True)
class ShownPredicate:
    """A predicate with its arguments and what the variant does for it.

    Attributes:
        token: token of the predicate.
        alt: voice as annotated.
        arguments: those cases that have a gold argument or a decision.
        masked: masked token -> its replacement (CDA), or None for a mask.
    """

    token: int
    alt: str | None
    arguments: list[ShownArgument]
    masked: dict[int, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class ShownSentence:
    """A sentence: T tokens in B bunsetsu with the heads, and its predicates."""

    doc_id: str
    sent_id: str
    tokens: list[str]
    bunsetsu: list[int]
    heads: list[int]
    predicates: list[ShownPredicate]

    @property
    def phrases(self) -> list[list[int]]:
        """The tokens of each bunsetsu."""
        phrases: list[list[int]] = [[] for _ in self.heads]
        for token, number in enumerate(self.bunsetsu):
            phrases[number].append(token)
        return phrases


def read_shown(
    corpus: Path,
    sent_id: str | None = None,
    predictions: Path | None = None,
    variant: Path | None = None,
    only: Only = "both",
    limit: int | None = None,
) -> Iterator[ShownSentence]:
    """Read sentences to show, some at a time.

    Args:
        corpus: corpus Parquet.
        sent_id: one sentence; None shows all.
        predictions: decisions of ``zarpipe predict`` to show beside gold.
        variant: variant whose masks and replacements to show.
        only: with predictions: which arguments to show.
        limit: at most so many sentences.

    Raises:
        ZarpipeError: a file is missing or of another kind, belongs to another corpus, or there is no such
            sentence.
    """
    columns = [name for name in CORPUS_SCHEMA.names if name not in ("lemmas", "pos", "pos_sub")]
    table = read_corpus(corpus, columns)
    known = set(table["sent_id"].to_pylist())
    if sent_id is not None:
        if sent_id not in known:
            raise ZarpipeError(f"{corpus}: there is no sentence {sent_id!r}; {_nearest(sent_id, table)}")
        table = table.filter(pc.equal(table["sent_id"], sent_id))
    decided = (
        _by_predicate(predictions, ("case", "token", "probability"), known, corpus) if predictions else None
    )
    masks = _by_predicate(variant, ("masked",), known, corpus) if variant else {}
    return _sentences(table[:limit], decided, masks, only)


def shown_tokens(sentence: ShownSentence, predicate: ShownPredicate) -> list[range]:
    """Return the tokens to write for one predicate, in pieces with nothing between them.

    Of a long sentence these are the neighbours of the predicate and of its arguments, so that many predicates
    do not write it again and again.
    """
    count = len(sentence.tokens)
    if count <= LONG_SENTENCE:
        return [range(count)]
    marked = {predicate.token}
    for argument in predicate.arguments:
        marked.update(token for token, _ in argument.gold or [])
        marked.update([argument.predicted[0]] if argument.predicted is not None else [])
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


def _sentences(
    table: pa.Table,
    decided: Mapping[Key, list[dict[str, Any]]] | None,
    masks: Mapping[Key, list[dict[str, Any]]],
    only: Only,
) -> Iterator[ShownSentence]:
    for start in range(0, len(table), _ROWS_AT_A_TIME):
        for row in table.slice(start, _ROWS_AT_A_TIME).to_pylist():
            yield _shown_sentence(row, decided, masks, only)


def _shown_sentence(
    row: dict[str, Any],
    decided: Mapping[Key, list[dict[str, Any]]] | None,
    masks: Mapping[Key, list[dict[str, Any]]],
    only: Only,
) -> ShownSentence:
    predicates = []
    for predicate in row["predicates"]:
        key = (row["sent_id"], predicate["token"])
        gold = predicate["arguments"] if decided is None or only != "predicted" else None
        decisions = decided.get(key, []) if decided is not None and only != "gold" else []
        masked = _masked(masks.get(key, []))
        _check_tokens(row, [*(decision["token"] for decision in decisions), *masked])
        predicates.append(
            ShownPredicate(predicate["token"], predicate["alt"], _arguments(gold, decisions), masked)
        )
    return ShownSentence(
        row["doc_id"], row["sent_id"], row["tokens"], row["bunsetsu"], row["heads"], predicates
    )


def _check_tokens(row: Mapping[str, Any], tokens: Sequence[int | None]) -> None:
    for token in tokens:
        if token is None or not 0 <= token < len(row["tokens"]):
            raise ZarpipeError(
                f"sentence {row['sent_id']!r}: the predictions or the variant name the token {token}; "
                f"expected one from 0 to {len(row['tokens']) - 1}. Give files that were made from this corpus"
            )


def _arguments(gold: list[dict[str, Any]] | None, decisions: list[dict[str, Any]]) -> list[ShownArgument]:
    arguments = []
    for case in CASE_NAMES:
        mentions = [(item["token"], item["relation"]) for item in gold or [] if item["case"] == case]
        chosen = next(
            ((item["token"], item["probability"]) for item in decisions if item["case"] == case), None
        )
        if mentions or chosen:
            arguments.append(ShownArgument(case, None if gold is None else mentions, chosen))
    return arguments


def _masked(rows: list[dict[str, Any]]) -> dict[int, str | None]:
    if not rows:
        return {}
    masked = rows[0]["masked"]
    return dict(zip(masked, rows[0].get("replacements") or [None] * len(masked), strict=True))


def _by_predicate(
    path: Path, needed: tuple[str, ...], known: set[str], corpus: Path
) -> dict[Key, list[dict[str, Any]]]:
    """Read a Parquet with one or more rows per (sentence, predicate)."""
    if not path.is_file():
        raise ZarpipeError(f"{path}: no such file; expected a Parquet file of predictions or of a variant")
    seals.check(path)
    try:
        table = read_parquet(path)
    except (OSError, pa.ArrowException) as error:
        raise ZarpipeError(f"{path}: cannot be read as Parquet ({str(error).splitlines()[0]})") from error
    check_digests(path, table, "zarpipe predict or zarpipe augment")
    for name in ("sent_id", "predicate", *needed):
        if name not in table.column_names:
            raise ZarpipeError(
                f"{path}: the column {name!r} is missing; expected a file of zarpipe predict "
                "(--predictions) or "
                "zarpipe augment (--variant)"
            )
    made_from = (table.schema.metadata or {}).get(b"zarpipe.corpus")
    if made_from is not None:
        check_made_from(path, {"corpus": made_from.decode() or None}, {"corpus": seals.digest(corpus)})
    foreign = [sent_id for sent_id in table["sent_id"].unique().to_pylist() if sent_id not in known]
    if foreign:
        raise ZarpipeError(
            f"{path}: the sentence {foreign[0]!r} is not in {corpus}; expected a file that was made from "
            "this corpus "
            "and split"
        )
    found: dict[Key, list[dict[str, Any]]] = defaultdict(list)
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
