"""Checks of a corpus table, whoever wrote it: vectorised, a fraction of a second for a million tokens.

Each check gives its first problem: row, column, what was found and what is expected. Columns that the table
lacks are not looked at, so that a reader of some columns checks these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from zarpipe.arrays import Bool, Int64
from zarpipe.formats.parquet import flat, numbers, one_chunk
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.relations import ARGUMENT_RELATIONS, Relation, position_category

RELATIONS = {relation.name: relation.value for relation in ARGUMENT_RELATIONS}
_OF_EACH_TOKEN = ("lemmas", "pos", "pos_sub", "bunsetsu")
_MAY_BE_NULL = "predicates.alt"


@dataclass(frozen=True)
class Problem:
    """The first row that a check refuses."""

    row: int  # row of the table, from 0
    column: str  # column, with the field of a struct after a dot
    found: str  # what stands there
    expected: str  # what should


def problems(table: pa.Table) -> Iterator[Problem]:
    """Give the first problem of each check; checks that rest on others wait until those find nothing.

    The columns have the types of ``CORPUS_SCHEMA``, each in one chunk.
    """
    stages: tuple[tuple[Callable[[_Rows], Iterator[Problem]], ...], ...] = (
        (_nulls,),
        (_sent_ids, _lengths, _tokens),
        (_bunsetsu, _heads),
        (_circles, _predicates),
        (_arguments,),
        (_repeated_and_misplaced,),
    )
    rows = _Rows(table)
    for stage in stages:
        found = [problem for check in stage for problem in check(rows)]
        yield from found
        if found:
            return


@dataclass(frozen=True)
class _Lists:
    """A column of lists: where each row begins, how long it is, the flat values and the row of each."""

    start: Int64
    length: Int64
    values: pa.Array

    @classmethod
    def of(cls, column: pa.Array) -> _Lists:
        offsets, values = flat(column)
        return cls(offsets[:-1], np.diff(offsets), values)

    @cached_property
    def row(self) -> Int64:
        return np.repeat(np.arange(len(self.length)), self.length)

    @cached_property
    def numbers(self) -> Int64:
        return numbers(self.values)

    def field(self, name: str) -> pa.Array:
        return self.values.field(name)


class _Rows:
    """The columns as flat arrays, each worked out when it is asked for."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self.names = frozenset(table.column_names)
        self.lists: Callable[[str], _Lists] = cache(lambda name: _Lists.of(one_chunk(table[name])))

    @cached_property
    def token_counts(self) -> Int64 | None:
        """Tokens of each row, by whichever column tells."""
        name = next((name for name in ("tokens", *_OF_EACH_TOKEN) if name in self.names), None)
        return None if name is None else self.lists(name).length

    @cached_property
    def predicate_token(self) -> Int64:
        return numbers(self.lists("predicates").field("token"))

    @cached_property
    def mentions(self) -> _Lists:
        """The mentions of all predicates; a row is a predicate here."""
        return _Lists.of(self.lists("predicates").field("arguments"))

    @cached_property
    def mention_row(self) -> Int64:
        return self.lists("predicates").row[self.mentions.row]

    @cached_property
    def mention_token(self) -> Int64:
        return numbers(self.mentions.field("token"))

    def codes(self, field: str, names: tuple[str, ...]) -> Int64:
        """Return the place of each mention's value among the names, -1 for another."""
        places = pc.index_in(self.mentions.field(field), value_set=pa.array(names))
        return numbers(pc.fill_null(places, -1))

    def mention_problem(self, mention: int, field: str, found: str, expected: str) -> Problem:
        predicate = self.predicate_token[self.mentions.row[mention]]
        column = f"predicates.arguments.{field}"
        return Problem(int(self.mention_row[mention]), column, f"{found} (predicate {predicate})", expected)


def _nulls(rows: _Rows) -> Iterator[Problem]:
    for name in rows.table.column_names:
        yield from _nulls_in(one_chunk(rows.table[name]), name, np.arange(len(rows.table)))


def _nulls_in(values: pa.Array, name: str, row: Int64) -> Iterator[Problem]:
    """Look for nulls at every level of a column; ``row`` is the row of each value."""
    if name == _MAY_BE_NULL:
        return
    if values.null_count:
        place = int(np.argmax(values.is_null().to_numpy(zero_copy_only=False)))
        yield Problem(int(row[place]), name, "nothing (null)", "a value")
    elif pa.types.is_list(values.type):
        lists = _Lists.of(values)
        yield from _nulls_in(lists.values, name, row[lists.row])
    elif pa.types.is_struct(values.type):
        for field in values.type:
            yield from _nulls_in(values.field(field.name), f"{name}.{field.name}", row)


def _sent_ids(rows: _Rows) -> Iterator[Problem]:
    if "sent_id" in rows.names:
        codes = numbers(one_chunk(rows.table["sent_id"]).dictionary_encode().indices)
        for again, first in _repeated(codes):
            yield Problem(again, "sent_id", f"the identifier of row {first + 1} again", "one of its own")


def _lengths(rows: _Rows) -> Iterator[Problem]:
    if "tokens" not in rows.names:
        return
    expected = rows.lists("tokens").length
    for name in _OF_EACH_TOKEN:
        if name in rows.names:
            found = rows.lists(name).length
            for row in _first(found != expected):
                yield Problem(row, name, f"{found[row]} values", f"{expected[row]}, one for each token")


def _tokens(rows: _Rows) -> Iterator[Problem]:
    if rows.token_counts is not None:
        for row in _first(rows.token_counts == 0):
            yield Problem(row, "tokens", "an empty list", "at least one token")


def _bunsetsu(rows: _Rows) -> Iterator[Problem]:
    if not {"bunsetsu", "heads"} <= rows.names:
        return
    counts, bunsetsu = rows.lists("heads").length, rows.lists("bunsetsu")
    row, number = bunsetsu.row, bunsetsu.numbers
    for place in _first((number < 0) | (number >= counts[row])):
        count = counts[row[place]]
        expected = f"a bunsetsu from 0 to {count - 1} (there are {count} heads)"
        yield Problem(int(row[place]), "bunsetsu", str(number[place]), expected)
    for place in _first((np.diff(number) < 0) & (row[1:] == row[:-1])):
        found = f"{number[place + 1]} after {number[place]}"
        yield Problem(int(row[place]), "bunsetsu", found, "numbers that do not fall")


def _heads(rows: _Rows) -> Iterator[Problem]:
    if "heads" not in rows.names:
        return
    heads = rows.lists("heads")
    row, head = heads.row, heads.numbers
    counts = heads.length[row]
    own = np.arange(len(row)) - heads.start[row]
    for place in _first((head < -1) | (head >= counts)):
        expected = f"a bunsetsu from 0 to {counts[place] - 1}, or -1 for the root"
        yield Problem(int(row[place]), "heads", f"the head {head[place]}", expected)
    for place in _first(head == own):
        found = f"bunsetsu {own[place]} as its own head"
        yield Problem(int(row[place]), "heads", found, "another bunsetsu, or -1 for the root")


def _circles(rows: _Rows) -> Iterator[Problem]:
    if "heads" not in rows.names or not len(rows.lists("heads").values):
        return
    heads = rows.lists("heads")
    size = len(heads.row)
    # Each bunsetsu looks twice as far up each time; what comes to no root in the end goes in a circle.
    above = np.where(heads.numbers < 0, size, heads.numbers + heads.start[heads.row])
    above = np.append(above, size)
    for _ in range(int(heads.length.max()).bit_length()):
        above = above[above]
    for place in _first(above[:-1] != size):
        row = int(heads.row[place])
        yield Problem(row, "heads", "a circle of dependencies", "a tree with -1 at the root")


def _predicates(rows: _Rows) -> Iterator[Problem]:
    if "predicates" not in rows.names or rows.token_counts is None:
        return
    row, token = rows.lists("predicates").row, rows.predicate_token
    counts = rows.token_counts[row]
    outside = (token < 0) | (token >= counts)
    for place in _first(outside):
        expected = f"a token of the sentence, 0 to {counts[place] - 1}"
        yield Problem(int(row[place]), "predicates.token", str(token[place]), expected)
    if not outside.any():
        for again, _ in _repeated(row * (token.max(initial=0) + 1) + token):
            found = f"the predicate {token[again]} again"
            yield Problem(int(row[again]), "predicates.token", found, "each predicate once")


def _arguments(rows: _Rows) -> Iterator[Problem]:
    if "predicates" not in rows.names or rows.token_counts is None:
        return
    for field, names in (("case", CASE_NAMES), ("relation", tuple(RELATIONS))):
        for place in _first(rows.codes(field, names) < 0):
            found = repr(rows.mentions.field(field)[place].as_py())
            yield rows.mention_problem(place, field, found, " or ".join(names))
    token, counts = rows.mention_token, rows.token_counts[rows.mention_row]
    for place in _first((token < 0) | (token >= counts)):
        expected = f"a token of the sentence, 0 to {counts[place] - 1}"
        yield rows.mention_problem(place, "token", str(token[place]), expected)


def _repeated_and_misplaced(rows: _Rows) -> Iterator[Problem]:
    """Look for mentions that stand twice, and compare the relations with the dependencies."""
    if "predicates" not in rows.names or rows.token_counts is None:
        return
    token, predicate, row = rows.mention_token, rows.mentions.row, rows.mention_row
    keys = predicate * len(CASE_NAMES) + rows.codes("case", CASE_NAMES)
    for again, _ in _repeated(keys * (token.max(initial=0) + 1) + token):
        found = f"the token {token[again]} again"
        yield rows.mention_problem(again, "token", found, "each mention of a case once")
    if not {"bunsetsu", "heads"} <= rows.names:
        return
    bunsetsu, heads = rows.lists("bunsetsu"), rows.lists("heads")
    first = bunsetsu.start[row]
    own, target = bunsetsu.numbers[first + token], bunsetsu.numbers[first + rows.predicate_token[predicate]]
    first = heads.start[row]
    category = position_category(own, heads.numbers[first + own], target, heads.numbers[first + target])
    inside = category == Relation.OWN_BUNSETSU
    for place in _first(inside):
        found = f"{token[place]}, in the bunsetsu of its predicate"
        yield rows.mention_problem(place, "token", found, "a token of another bunsetsu")
    relation = np.array(list(RELATIONS.values()))[rows.codes("relation", tuple(RELATIONS))]
    for place in _first((relation != category) & ~inside):
        found = f"{rows.mentions.field('relation')[place].as_py()!r} of token {token[place]}"
        yield rows.mention_problem(place, "relation", found, f"{Relation(category[place]).name} by the heads")


def _first(flags: Bool) -> list[int]:
    """Return the first place that is true, if one is."""
    return np.flatnonzero(flags)[:1].tolist()  # type: ignore[no-any-return]


def _repeated(keys: Int64) -> list[tuple[int, int]]:
    """Return the first place of a key that stood before, and where; nothing when all differ."""
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if not len(same):
        return []
    nearest = same[np.argmin(order[same + 1])]
    return [(int(order[nearest + 1]), int(order[nearest]))]
