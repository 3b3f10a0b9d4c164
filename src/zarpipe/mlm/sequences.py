"""Sequences for the MLM as flat arrays: what each instance's tokens are, and which sequences are distinct.

A sequence is a list of token codes. Each code stands for one list of subwords, so that two sequences with
equal codes are equal inputs of the MLM, whatever the surface was.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from zarpipe.arrays import Int64, expand
from zarpipe.mlm.subwords import Pieces, SubwordTokenizer


@dataclass(frozen=True)
class TokenSequences:
    """S sequences of token codes: sequence s is ``codes[offsets[s]:offsets[s + 1]]``."""

    codes: Int64
    offsets: Int64

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Int64:
        """[S] int64, tokens of each sequence."""
        return np.diff(self.offsets)

    def take(self, indices: Int64) -> TokenSequences:
        """Return the sequences of these indices, in their order (repeats allowed)."""
        lengths = self.lengths[indices]
        codes = self.codes[expand(self.offsets[indices], lengths)]
        return TokenSequences(codes, np.concatenate([[0], np.cumsum(lengths)]))

    def keys(self) -> list[bytes]:
        """Return the bytes of each sequence's codes: equal for equal sequences."""
        whole = np.ascontiguousarray(self.codes).tobytes()
        bounds = (self.offsets * self.codes.itemsize).tolist()
        return [whole[start:end] for start, end in itertools.pairwise(bounds)]


def joined(one: TokenSequences, other: TokenSequences) -> TokenSequences:
    """Return the sequences of one, and after them those of the other."""
    return TokenSequences(
        np.concatenate([one.codes, other.codes]),
        np.concatenate([one.offsets, one.offsets[-1] + other.offsets[1:]]),
    )


class PieceTable:
    """Gives each distinct list of subwords a code, and looks up the subwords of codes as arrays."""

    def __init__(self) -> None:
        self._codes: dict[Pieces, int] = {}

    def code(self, pieces: Pieces) -> int:
        """Return the code of these subwords."""
        return self._codes.setdefault(pieces, len(self._codes))

    def codes(self, pieces: Iterable[Pieces]) -> Int64:
        """Return the codes of many tokens' subwords."""
        return np.fromiter((self.code(one) for one in pieces), np.int64)

    def table(self) -> list[Pieces]:
        """Return the subwords of every code."""
        return list(self._codes)

    def subwords(self, sequences: TokenSequences) -> SubwordSequences:
        """Write token sequences out as subwords."""
        table = self.table()
        counts = np.array([len(pieces.ids) for pieces in table], np.int64)
        starts = np.concatenate([[0], np.cumsum(counts)])
        flat = np.array([identifier for pieces in table for identifier in pieces.ids], np.int64)
        representatives = np.array([pieces.representative for pieces in table], np.int64)
        codes = sequences.codes
        before = np.concatenate([[0], np.cumsum(counts[codes])])
        offsets = before[sequences.offsets]
        begin = np.repeat(offsets[:-1], sequences.lengths)
        ids = flat[expand(starts[codes], counts[codes])]
        return SubwordSequences(
            ids, offsets, before[:-1] + representatives[codes] - begin, before[1:] - begin, sequences.offsets
        )


@dataclass(frozen=True)
class SubwordSequences:
    """S sequences of subwords, without the special tokens around them."""

    ids: Int64  # [M] vocabulary ids
    offsets: Int64  # [S + 1], first subword of each sequence in ``ids``
    # [N], for each token the position, within its sequence, of the subword whose hidden state represents it
    representatives: Int64
    ends: Int64  # [N], for each token the position behind its last subword
    token_offsets: Int64  # [S + 1], first token of each sequence in ``representatives``

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Int64:
        """[S] int64, subwords of each sequence."""
        return np.diff(self.offsets)

    def take(self, indices: Int64) -> SubwordSequences:
        """Return the sequences of these indices, in their order (repeats allowed)."""
        lengths, tokens = self.lengths[indices], np.diff(self.token_offsets)[indices]
        of_tokens = expand(self.token_offsets[indices], tokens)
        return SubwordSequences(
            self.ids[expand(self.offsets[indices], lengths)],
            np.concatenate([[0], np.cumsum(lengths)]),
            self.representatives[of_tokens],
            self.ends[of_tokens],
            np.concatenate([[0], np.cumsum(tokens)]),
        )


def sentence_sequences(
    tokens: pa.ChunkedArray, subwords: SubwordTokenizer, table: PieceTable
) -> TokenSequences:
    """Return one sequence per sentence of a ``tokens`` column; distinct tokens are tokenised once."""
    lists = tokens.combine_chunks()
    lists = lists.chunk(0) if isinstance(lists, pa.ChunkedArray) else lists
    offsets = lists.offsets.to_numpy().astype(np.int64)
    surfaces = lists.flatten().dictionary_encode()
    codes = table.codes(subwords.pieces(surfaces.dictionary.to_pylist()))
    return TokenSequences(codes[surfaces.indices.to_numpy()], offsets - offsets[0])


def replace_tokens(
    sequences: TokenSequences, offsets: Int64, tokens: Int64, codes: Int64 | np.int64
) -> TokenSequences:
    """Return the sequences with some tokens replaced.

    Of instance i the tokens ``tokens[offsets[i]:offsets[i + 1]]`` are replaced; ``codes`` [R] are the new
    ones, or one for all.
    """
    replaced = sequences.codes.copy()
    replaced[np.repeat(sequences.offsets[:-1], np.diff(offsets)) + tokens] = codes
    return TokenSequences(replaced, sequences.offsets)


def distinct(keys: list[bytes]) -> tuple[Int64, Int64]:
    """Return the index of each distinct key's first occurrence, and for each key which distinct one it is."""
    numbers: dict[bytes, int] = {}
    inverse = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), np.int64, len(keys))
    first = np.full(len(numbers), len(keys), np.int64)
    np.minimum.at(first, inverse, np.arange(len(keys)))
    return first, inverse
