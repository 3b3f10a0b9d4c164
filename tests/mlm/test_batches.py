import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarpipe.mlm.batches import batch_bounds, windows_of
from zarpipe.mlm.sequences import PieceTable, SubwordSequences, TokenSequences, distinct, replace_tokens
from zarpipe.mlm.subwords import Pieces


def _one_subword_each(*lengths):
    ends = np.cumsum([0, *lengths]).astype(np.int64)
    representatives = np.concatenate([np.zeros(0, np.int64), *map(np.arange, lengths)])
    return SubwordSequences(np.arange(ends[-1]), ends, representatives, representatives + 1, ends)


@pytest.mark.parametrize(
    ("lengths", "starts", "of_windows", "tokens"),
    [
        ([5, 3], [0, 0], [5, 3], [0, 5, 8]),
        # Overlaps 5-10, 10-15 and 15-20: their middles are 7, 12 and 17.
        ([25], [0, 5, 10, 15], [10] * 4, [0, 7, 12, 17, 25]),
        ([12], [0, 2], [10, 10], [0, 6, 12]),  # the last window is full
        ([0], [0], [0], [0, 0]),
        ([], [], [], [0]),
    ],
)
def test_long_sequences_are_stitched_at_the_middle_of_the_overlaps(lengths, starts, of_windows, tokens):
    windows = windows_of(_one_subword_each(*lengths), limit=10)
    assert windows.starts.tolist() == starts
    assert windows.lengths.tolist() == of_windows
    assert windows.tokens.tolist() == tokens


@given(
    lengths=st.lists(st.integers(1, 60), min_size=1, max_size=8).map(lambda values: sorted(values)[::-1]),
    limit=st.integers(2, 30),
)
def test_every_token_belongs_to_one_window_that_holds_it(lengths, limit):
    sequences = _one_subword_each(*lengths)
    windows = windows_of(sequences, limit)
    assert windows.tokens[0] == 0
    assert windows.tokens[-1] == sum(lengths)
    assert (windows.lengths <= limit).all()
    for window in range(len(windows)):
        tokens = np.arange(windows.tokens[window], windows.tokens[window + 1])
        positions = sequences.representatives[tokens]
        start = windows.starts[window]
        assert ((positions >= start) & (positions < start + windows.lengths[window])).all()
        assert (
            (tokens >= sequences.token_offsets[windows.sequence[window]])
            & (tokens < sequences.token_offsets[windows.sequence[window] + 1])
        ).all()


@pytest.mark.parametrize(
    ("lengths", "budget", "padded", "bounds"),
    [
        ([9] * 10 + [8] * 10, 90, True, [0, 10, 20]),
        # 40 is alone; 39 and 38 are at least 0.95 of it, 37 is not.
        ([40, 39, 38, 37], 400, True, [0, 3, 4]),
        ([40, 40, 39, 38, 38], 400, False, [0, 2, 3, 5]),
        ([500, 5, 5], 100, True, [0, 1, 3]),  # over the budget
    ],
)
def test_batches_hold_one_length_and_rare_ones_that_are_slightly_shorter(lengths, budget, padded, bounds):
    assert batch_bounds(np.array(lengths), budget, padded).tolist() == bounds


@given(
    lengths=st.lists(st.integers(3, 300), max_size=60).map(lambda values: np.array(sorted(values)[::-1])),
    budget=st.integers(64, 1000),
)
def test_batches_cover_all_windows_within_the_budget(lengths, budget):
    bounds = batch_bounds(lengths, budget)
    assert bounds[0] == 0
    assert bounds[-1] == len(lengths)
    for start, end in itertools.pairwise(bounds):
        assert end > start
        assert end - start == 1 or (end - start) * lengths[start] <= budget
        assert lengths[end - 1] >= 0.9 * lengths[start]


def test_piece_table_writes_sequences_as_subwords():
    table = PieceTable()
    codes = table.codes([Pieces((7, 8), 1), Pieces((9,), 0), Pieces((7, 8), 1)])
    assert codes.tolist() == [0, 1, 0]
    subwords = table.subwords(TokenSequences(np.array([0, 1, 1, 0]), np.array([0, 3, 4])))
    assert subwords.ids.tolist() == [7, 8, 9, 9, 7, 8]
    assert subwords.offsets.tolist() == [0, 4, 6]
    assert subwords.representatives.tolist() == [1, 2, 3, 1]
    assert subwords.token_offsets.tolist() == [0, 3, 4]


def test_take_and_replace():
    sequences = TokenSequences(np.array([1, 2, 3, 4]), np.array([0, 1, 4])).take(np.array([1, 0, 1]))
    assert sequences.codes.tolist() == [2, 3, 4, 1, 2, 3, 4]
    replaced = replace_tokens(sequences, np.array([0, 2, 2, 3]), np.array([0, 2, 1]), np.int64(9))
    assert replaced.codes.tolist() == [9, 3, 9, 1, 2, 9, 4]
    assert sequences.codes.tolist() == [2, 3, 4, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("keys", "first", "inverse"), [([], [], []), ([b"x", b"y", b"x"], [0, 1], [0, 1, 0])]
)
def test_distinct(keys, first, inverse):
    found = distinct(keys)
    assert found[0].tolist() == first
    assert found[1].tolist() == inverse
