"""Checks of a corpus table, whoever wrote it: vectorised, a fraction of a second for a million tokens.

Each check gives its first problem: row, column, what was found and what is expected. Columns that the table
lacks are not looked at, so that a reader of some columns checks these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from zarpipe.arrays import Bool, Int64
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.relations import ARGUMENT_RELATIONS, Relation, position_category

RELATIONS = {relation.name: relation.value for relation in ARGUMENT_RELATIONS}
_OF_EACH_TOKEN = ("lemmas", "pos", "pos_sub", "bunsetsu")
_MAY_BE_NULL = "predicates.alt"


@dataclass(frozen=True)
class Problem:
    """The first row that a check refuses.

    Attributes:
        row: row of the table, from 0; None for a whole column.
        column: column, with the field of a struct after a dot.
        found: what stands there.
        expected: what should.
    """

    row: int | None
    column: str
    found: str
    expected: str


def problems(table: pa.Table) -> Iterator[Problem]:
    """Give the first problem of each check; checks that rest on others wait until those find nothing.

    Args:
        table: columns of a corpus in the types of ``CORPUS_SCHEMA``, each in one chunk.
    """
    stages: tuple[tuple[Callable[[Any], Iterator[Problem]], ...], ...] = (
        (_nulls,),
        (_sent_ids, _lengths, _tokens),
        (_bunsetsu, _heads),
        (_circles, _predicates),
        (_arguments,),
    )
    rows = _Rows(table)
    for stage in stages:
        found = [problem for check in stage for problem in check(rows)]
        yield from found
        if found:
            return


class _Rows:
    """The columns as flat arrays with offsets, each worked out when it is asked for."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self.names = frozenset(table.column_names)

    def column(self, name: str) -> pa.Array:
        return (
            self.table[name].combine_chunks()
            if self.table[name].num_chunks != 1
            else self.table[name].chunk(0)
        )

    def lengths(self, name: str) -> Int64:
        return np.diff(self._offsets(name))

    def _offsets(self, name: str) -> Int64:
        return _offsets(self.column(name))

    def row_of(self, name: str) -> Int64:
        """Return the row of each value of a list column."""
        return np.repeat(np.arange(len(self.table)), self.lengths(name))

    def numbers(self, name: str) -> Int64:
        return _numbers(self.column(name).flatten())

    @cached_property
    def token_counts(self) -> Int64 | None:
        """Tokens of each row, by whichever column tells."""
        name = next((name for name in ("tokens", *_OF_EACH_TOKEN) if name in self.names), None)
        return None if name is None else self.lengths(name)

    @cached_property
    def heads_start(self) -> Int64:
        return self._offsets("heads")[:-1]

    @cached_property
    def heads(self) -> Int64:
        return self.numbers("heads")

    @cached_property
    def bunsetsu_start(self) -> Int64:
        return self._offsets("bunsetsu")[:-1]

    @cached_property
    def bunsetsu(self) -> Int64:
        return self.numbers("bunsetsu")

    @cached_property
    def predicates(self) -> pa.StructArray:
        return self.column("predicates").flatten()

    @cached_property
    def predicate_row(self) -> Int64:
        return self.row_of("predicates")

    @cached_property
    def predicate_token(self) -> Int64:
        return _numbers(self.predicates.field("token"))


def _nulls(rows: _Rows) -> Iterator[Problem]:
    for name in rows.table.column_names:
        yield from _nulls_in(rows.column(name), name, np.arange(len(rows.table)))


def _nulls_in(values: pa.Array, name: str, row: Int64) -> Iterator[Problem]:
    """Look for nulls at every level of a column; ``row`` is the row of each value."""
    if name == _MAY_BE_NULL:
        return
    if values.null_count:
        place = _first(values.is_null().to_numpy(zero_copy_only=False))
        yield Problem(int(row[place]), name, "nothing (null)", "a value")
    elif pa.types.is_list(values.type):
        yield from _nulls_in(values.flatten(), name, np.repeat(row, np.diff(_offsets(values))))
    elif pa.types.is_struct(values.type):
        for field in values.type:
            yield from _nulls_in(values.field(field.name), f"{name}.{field.name}", row)


def _sent_ids(rows: _Rows) -> Iterator[Problem]:
    if "sent_id" not in rows.names:
        return
    codes = _numbers(rows.column("sent_id").dictionary_encode().indices)
    if (twice := _repeated(codes)) is not None:
        again, first = twice
        yield Problem(again, "sent_id", f"the identifier of row {first + 1} again", "one of its own")


def _lengths(rows: _Rows) -> Iterator[Problem]:
    if "tokens" not in rows.names:
        return
    expected = rows.lengths("tokens")
    for name in _OF_EACH_TOKEN:
        if name not in rows.names:
            continue
        found = rows.lengths(name)
        if (wrong := found != expected).any():
            row = _first(wrong)
            yield Problem(row, name, f"{found[row]} values", f"{expected[row]}, one for each token")


def _tokens(rows: _Rows) -> Iterator[Problem]:
    if rows.token_counts is not None and (empty := rows.token_counts == 0).any():
        yield Problem(_first(empty), "tokens", "an empty list", "at least one token")


def _bunsetsu(rows: _Rows) -> Iterator[Problem]:
    if not {"bunsetsu", "heads"} <= rows.names:
        return
    counts = rows.lengths("heads")
    row = rows.row_of("bunsetsu")
    if (outside := (rows.bunsetsu < 0) | (rows.bunsetsu >= counts[row])).any():
        place = _first(outside)
        number = counts[row[place]]
        expected = f"a bunsetsu from 0 to {number - 1} (there are {number} heads)"
        yield Problem(int(row[place]), "bunsetsu", str(rows.bunsetsu[place]), expected)
    if (falling := (np.diff(rows.bunsetsu) < 0) & (row[1:] == row[:-1])).any():
        place = _first(falling)
        found = f"{rows.bunsetsu[place + 1]} after {rows.bunsetsu[place]}"
        yield Problem(int(row[place]), "bunsetsu", found, "numbers that do not fall")


def _heads(rows: _Rows) -> Iterator[Problem]:
    if "heads" not in rows.names:
        return
    row = rows.row_of("heads")
    counts = rows.lengths("heads")[row]
    own = np.arange(len(row)) - rows.heads_start[row]
    if (outside := (rows.heads < -1) | (rows.heads >= counts)).any():
        place = _first(outside)
        expected = f"a bunsetsu from 0 to {counts[place] - 1}, or -1 for the root"
        yield Problem(int(row[place]), "heads", f"the head {rows.heads[place]}", expected)
    if (itself := rows.heads == own).any():
        place = _first(itself)
        found = f"bunsetsu {own[place]} as its own head"
        yield Problem(int(row[place]), "heads", found, "another bunsetsu, or -1 for the root")


def _circles(rows: _Rows) -> Iterator[Problem]:
    if "heads" not in rows.names or not len(rows.heads):
        return
    row = rows.row_of("heads")
    # Each bunsetsu looks twice as far up each time; what comes to no root in the end goes in a circle.
    above = np.where(rows.heads < 0, len(row), rows.heads + rows.heads_start[row])
    above = np.append(above, len(row))
    for _ in range(int(rows.lengths("heads").max()).bit_length()):
        above = above[above]
    if (circling := above[:-1] != len(row)).any():
        place = _first(circling)
        yield Problem(int(row[place]), "heads", "a circle of dependencies", "a tree with -1 at the root")


def _predicates(rows: _Rows) -> Iterator[Problem]:
    if "predicates" not in rows.names or rows.token_counts is None:
        return
    row, token = rows.predicate_row, rows.predicate_token
    counts = rows.token_counts[row]
    if (outside := (token < 0) | (token >= counts)).any():
        place = _first(outside)
        expected = f"a token of the sentence, 0 to {counts[place] - 1}"
        yield Problem(int(row[place]), "predicates.token", str(token[place]), expected)
    elif len(token) and (again := _repeated(row * (int(token.max()) + 1) + token)) is not None:
        found = f"the predicate {token[again[0]]} again"
        yield Problem(int(row[again[0]]), "predicates.token", found, "each predicate once")


def _arguments(rows: _Rows) -> Iterator[Problem]:
    if "predicates" not in rows.names or rows.token_counts is None:
        return
    arguments = rows.predicates.field("arguments")
    predicate = np.repeat(np.arange(len(arguments)), np.diff(_offsets(arguments)))
    mentions = _Mentions(rows, predicate, arguments.flatten())
    named = [*mentions.unknown("case", CASE_NAMES), *mentions.unknown("relation", tuple(RELATIONS))]
    outside = list(mentions.outside())
    yield from [*named, *outside]
    if not named and not outside:
        yield from mentions.twice()
        yield from mentions.misplaced()


@dataclass(frozen=True)
class _Mentions:
    """The arguments' mentions: [M] the predicate of each, and its fields."""

    rows: _Rows
    predicate: Int64
    fields: pa.StructArray

    @cached_property
    def row(self) -> Int64:
        return self.rows.predicate_row[self.predicate]

    @cached_property
    def token(self) -> Int64:
        return _numbers(self.fields.field("token"))

    def codes(self, field: str, names: tuple[str, ...]) -> Int64:
        """Return each value's place among the names, -1 for another."""
        places = pc.index_in(self.fields.field(field), value_set=pa.array(names))
        return _numbers(pc.fill_null(places, -1))

    def unknown(self, field: str, names: tuple[str, ...]) -> Iterator[Problem]:
        if (bad := self.codes(field, names) < 0).any():
            place = _first(bad)
            found = repr(self.fields.field(field)[place].as_py())
            yield self._problem(place, field, found, " or ".join(names))

    def outside(self) -> Iterator[Problem]:
        counts = self.rows.token_counts
        assert counts is not None  # noqa: S101 (the caller has asked)
        if (bad := (self.token < 0) | (self.token >= counts[self.row])).any():
            place = _first(bad)
            expected = f"a token of the sentence, 0 to {counts[self.row][place] - 1}"
            yield self._problem(place, "token", str(self.token[place]), expected)

    def twice(self) -> Iterator[Problem]:
        if not len(self.token):
            return
        size = int(self.token.max()) + 1
        keys = (self.predicate * len(CASE_NAMES) + self.codes("case", CASE_NAMES)) * size + self.token
        if (again := _repeated(keys)) is not None:
            found = f"the token {self.token[again[0]]} again"
            yield self._problem(again[0], "token", found, "each mention of a case once")

    def misplaced(self) -> Iterator[Problem]:
        """Compare the relations with the dependencies."""
        rows = self.rows
        if not {"bunsetsu", "heads"} <= rows.names:
            return
        own = rows.bunsetsu[rows.bunsetsu_start[self.row] + self.token]
        target = rows.predicate_token[self.predicate]
        of_predicate = rows.bunsetsu[rows.bunsetsu_start[self.row] + target]
        heads = rows.heads_start[self.row]
        category = position_category(
            own, rows.heads[heads + own], of_predicate, rows.heads[heads + of_predicate]
        )
        if (inside := category == Relation.OWN_BUNSETSU).any():
            place = _first(inside)
            found = f"{self.token[place]}, in the bunsetsu of its predicate"
            yield self._problem(place, "token", found, "a token of another bunsetsu")
        relation = np.array(list(RELATIONS.values()))[self.codes("relation", tuple(RELATIONS))]
        if (wrong := (relation != category) & (category != Relation.OWN_BUNSETSU)).any():
            place = _first(wrong)
            name = Relation(category[place]).name
            found = f"{self.fields.field('relation')[place].as_py()!r} of token {self.token[place]}"
            yield self._problem(place, "relation", found, f"{name} by the heads")

    def _problem(self, place: int, field: str, found: str, expected: str) -> Problem:
        predicate = self.rows.predicate_token[self.predicate[place]]
        column = f"predicates.arguments.{field}"
        return Problem(int(self.row[place]), column, f"{found} (predicate {predicate})", expected)


def _offsets(lists: pa.ListArray) -> Int64:
    """Return the offsets of a list array from 0."""
    offsets = _numbers(lists.offsets)
    return offsets - offsets[0] if len(offsets) else np.zeros(1, np.int64)


def _numbers(values: pa.Array) -> Int64:
    return np.asarray(values.to_numpy(zero_copy_only=False), np.int64)


def _first(flags: Bool) -> int:
    return int(np.argmax(flags))


def _repeated(keys: Int64) -> tuple[int, int] | None:
    """Return the first place of a key that stood before, and where; None when all differ."""
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if not len(same):
        return None
    nearest = same[np.argmin(order[same + 1])]
    return int(order[nearest + 1]), int(order[nearest])
