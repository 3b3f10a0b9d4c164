"""Windows and batches: which subwords go through the MLM together.

The composition of the batches depends on the sequences' lengths and the token budget alone, so that a run
that was interrupted, and any other run, computes the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from zarpipe.arrays import Bool, Float32, Int64, expand
from zarpipe.mlm.loading import FrozenMlm
from zarpipe.mlm.sequences import SubwordSequences

# Gives hidden states [b, t, C] of ids [b, t] and of the mask of their padding, if there is any.
States = Callable[[Tensor, Tensor | None], Tensor]
# Shorter sequences join a batch that is less than half full if they are at least this long, relative to its
# longest.
_TOLERANCE = 0.95


@dataclass(frozen=True)
class Windows:
    """What the MLM is fed with: a whole sequence each, or part of one that is over the model's limit."""

    sequence: Int64  # [W], sequence of the window
    starts: Int64  # [W], first subword, relative to the sequence
    lengths: Int64  # [W], subwords (special tokens not counted)
    # [W + 1]: ``tokens[w]:tokens[w + 1]`` are the tokens (of all sequences, in order) that take their hidden
    # state from window w
    tokens: Int64

    def __len__(self) -> int:
        return len(self.starts)


def windows_of(sequences: SubwordSequences, limit: int) -> Windows:
    """Cut sequences of more than ``limit`` subwords into windows that overlap by about half.

    Where two windows overlap, the first half of the overlap belongs to the earlier one: every token is
    represented where it has the most context on its scarcer side.
    """
    parts = [_window_starts(length, limit) for length in sequences.lengths.tolist()]
    counts = np.array([len(part) for part in parts], np.int64)
    sequence = np.repeat(np.arange(len(parts)), counts)
    starts = np.concatenate([*parts, np.zeros(0, np.int64)])
    lengths = np.minimum(sequences.lengths[sequence], limit)
    first = np.concatenate([[True], sequence[1:] != sequence[:-1]]) if len(sequence) else np.zeros(0, bool)
    previous_end = np.concatenate([[0], (starts + lengths)[:-1]])[: len(starts)]
    own_start = np.where(first, 0, (starts + previous_end) // 2)
    return Windows(sequence, starts, lengths, _token_bounds(sequences, sequence, own_start))


def batch_bounds(lengths: Int64, budget: int, padded: bool = True) -> Int64:
    """Cut windows, sorted by length from long to short, into batches of at most ``budget`` subwords.

    A batch holds windows of one length, so that no attention mask is needed. Only where a length is too rare
    to fill half of the budget do slightly shorter ones join.

    [W] lengths fall, special tokens included; the budget counts padding, and a single longer window is a
    batch of its own. ``padded``: windows of unequal length may share a batch.

    Returns [B + 1] int64: batch b holds the windows ``bounds[b]:bounds[b + 1]``.
    """
    bounds = [0]
    while bounds[-1] < len(lengths):
        start = bounds[-1]
        longest = int(lengths[start])
        room = max(1, budget // longest)
        equal = int(np.searchsorted(-lengths, -longest, side="right")) - start
        if padded and 2 * equal <= room:
            equal = int(np.searchsorted(-lengths, -int(np.ceil(_TOLERANCE * longest)), side="right")) - start
        bounds.append(start + min(equal, room))
    return np.array(bounds, np.int64)


@dataclass(frozen=True)
class Batch:
    """Subword ids [b, t] on the device, their mask where there is padding, and where the tokens' rows are."""

    ids: Tensor  # [b, t] int64
    attention_mask: Tensor | None  # [b, t] int64, or None when no position is padding
    rows: Tensor  # [r] int64, the positions in the flattened [b * t] that represent tokens, in order


class Batches:
    """All batches of some sequences, in a fixed order; token order is that of the sequences.

    The sequences are sorted by their number of subwords, from long to short; the budget counts subwords.
    """

    def __init__(self, sequences: SubwordSequences, mlm: FrozenMlm, budget: int) -> None:
        self._sequences = sequences
        self._mlm = mlm
        self._prefix = np.array(mlm.subwords.prefix, np.int64)
        self._suffix = np.array(mlm.subwords.suffix, np.int64)
        extra = len(self._prefix) + len(self._suffix)
        self.windows = windows_of(sequences, mlm.limit - extra)
        self.bounds = batch_bounds(self.windows.lengths + extra, budget, mlm.abilities.takes_padding)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def device(self) -> torch.device:
        """Where the batches are computed."""
        return self._mlm.device

    @property
    def token_bounds(self) -> Int64:
        """[B + 1] int64: the tokens of batch b are ``token_bounds[b]:token_bounds[b + 1]``."""
        return self.windows.tokens[self.bounds]

    def __getitem__(self, number: int) -> Batch:
        """Build batch ``number``."""
        windows = np.arange(self.bounds[number], self.bounds[number + 1])
        lengths = self.windows.lengths[windows]
        ids, mask = self._padded_ids(windows, lengths)
        return Batch(
            self._to_device(ids),
            None if mask.all() else self._to_device(mask.astype(np.int64)),
            self._to_device(self._token_rows(windows, ids.shape[1])),
        )

    def padded(self, number: int, values: Float32) -> Tensor:
        """Lay values of the sequences' subwords [M, k] where these stand in batch ``number``.

        Returns [b, t, k] float32 on the device; 0 at special tokens and padding.
        """
        windows = np.arange(self.bounds[number], self.bounds[number + 1])
        rows, columns, subwords = self._places(windows)
        width = int(self.windows.lengths[windows].max()) + len(self._prefix) + len(self._suffix)
        laid = np.zeros((len(windows), width, values.shape[1]), np.float32)
        laid[rows, columns] = values[subwords]
        return self._to_device(laid)

    def hidden(self, number: int) -> Tensor:
        """Run the MLM over batch ``number``; return the hidden states [r, D] of its tokens, on the device."""
        return self.token_states(number, self._mlm.hidden)

    def token_states(self, number: int, states: States, mean: bool = False) -> Tensor:
        """Return what stands for the tokens of batch ``number``: [r, C], on the device.

        ``states`` gives [b, t, C] of ids [b, t] and their mask. ``mean``: take the mean over a
        token's subwords, from the one that represents it on, instead of that one alone; of a token
        that its window cuts, those in the window count.
        """
        batch = self[number]
        flat = states(batch.ids, batch.attention_mask).flatten(0, 1)
        if not mean:
            return flat[batch.rows]
        counts = self._subwords_of_tokens(number)
        rows = expand(batch.rows.cpu().numpy(), counts)
        subwords = flat[self._to_device(rows)].float()
        return torch.segment_reduce(subwords, "mean", lengths=self._to_device(counts))

    def _subwords_of_tokens(self, number: int) -> Int64:
        """Return [r] how many subwords each token of batch ``number`` has, from its representative on."""
        windows = np.arange(self.bounds[number], self.bounds[number + 1])
        bounds = self.windows.tokens
        tokens = slice(bounds[windows[0]], bounds[windows[-1] + 1])
        window_ends = (self.windows.starts + self.windows.lengths)[windows]
        last = np.repeat(window_ends, bounds[windows + 1] - bounds[windows])
        return np.minimum(self._sequences.ends[tokens], last) - self._sequences.representatives[tokens]

    def _padded_ids(self, windows: Int64, lengths: Int64) -> tuple[Int64, Bool]:
        """Return ids [b, t] with special tokens and padding, and where they are not padding."""
        before, after = len(self._prefix), len(self._suffix)
        width = int(lengths.max()) + before + after
        mask = np.arange(width) < (lengths + before + after)[:, None]
        ids = np.full(mask.shape, self._mlm.padding_id, np.int64)
        ids[:, :before] = self._prefix
        rows, columns, subwords = self._places(windows)
        ids[rows, columns] = self._sequences.ids[subwords]
        ends = (before + lengths)[:, None] + np.arange(after)
        ids[np.arange(len(windows))[:, None], ends] = self._suffix
        return ids, mask

    def _places(self, windows: Int64) -> tuple[Int64, Int64, Int64]:
        """Return row and column, in their batch, of the windows' subwords, and which subwords these are."""
        lengths = self.windows.lengths[windows]
        rows = np.repeat(np.arange(len(windows)), lengths)
        columns = len(self._prefix) + expand(np.zeros_like(lengths), lengths)
        first = self._sequences.offsets[self.windows.sequence[windows]] + self.windows.starts[windows]
        return rows, columns, expand(first, lengths)

    def _token_rows(self, windows: Int64, width: int) -> Int64:
        bounds = self.windows.tokens
        counts = bounds[windows + 1] - bounds[windows]
        window = np.repeat(np.arange(len(windows)), counts)
        positions = self._sequences.representatives[bounds[windows[0]] : bounds[windows[-1] + 1]]
        return window * width + len(self._prefix) + positions - self.windows.starts[windows][window]

    def _to_device(self, values: Int64 | Float32) -> Tensor:
        tensor = torch.from_numpy(values)
        if self._mlm.device.type != "cuda":
            return tensor
        return tensor.pin_memory().to(self._mlm.device, non_blocking=True)


def _window_starts(length: int, limit: int) -> Int64:
    if length <= limit:
        return np.zeros(1, np.int64)
    step = max(1, limit // 2)
    count = -(-(length - limit) // step) + 1
    return np.minimum(np.arange(count) * step, length - limit)


def _token_bounds(sequences: SubwordSequences, sequence: Int64, own_start: Int64) -> Int64:
    """Find each window's first token: the first whose representing subword is in the window's own part."""
    # Positions over all sequences ascend, so that one binary search finds every bound.
    base = np.repeat(sequences.offsets[:-1], np.diff(sequences.token_offsets))
    bounds = np.searchsorted(base + sequences.representatives, sequences.offsets[sequence] + own_start)
    return np.concatenate([bounds, [len(sequences.representatives)]]).astype(np.int64)
