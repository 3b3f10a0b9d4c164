"""Training and development instances with their hidden states, and the batches made of them.

A batch is packed: its instances are sorted by falling length and its tokens lie time step after time step, so
that nothing is padded. Instances of one sentence share their hidden states, which are read (and projected by
the first layer) once per distinct sequence of the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from zarpipe.arrays import Bool, Float32, Int8, Int64, expand
from zarpipe.errors import ZarpipeError
from zarpipe.tagger.hidden_states import HiddenStates, Part, Source
from zarpipe.task.cases import NONE_LABEL
from zarpipe.task.instances import Instances

if TYPE_CHECKING:
    from zarpipe.tagger.cached import CachedStates

FLAGS = 2  # is-target, is-predicate


@dataclass(frozen=True)
class ZeroedTokens:
    """Tokens whose hidden states are read as zeros."""

    first: Int64  # [n], first token of each instance in ``tokens``
    tokens: Bool  # [sum of the n lengths]


@dataclass(frozen=True)
class ChangedStates:
    """Instances whose hidden states are changed after they are read."""

    which: Bool  # [n], whether an instance's are
    change: Callable[[int, Float32], Float32]  # the instance, and its states [T, D] -> as many


@dataclass(frozen=True)
class EncodedInstances:
    """Instances and which hidden states are theirs: n instances over N flat tokens."""

    hidden_states: HiddenStates  # their hidden states, or what an MLM reads that is trained too
    sequence: Int64  # [n], sequence of each instance
    # [n], first token of each instance in the flat arrays (an augmented copy shares its original's)
    first: Int64
    lengths: Int64  # [n], tokens of each instance
    predicate: Int64  # [n], token index of the target predicate
    only_target: Bool  # [n], whether the is-predicate flags of the other predicates are left out
    labels: Int8  # [N], see `Instances`
    is_predicate: Bool  # [N], whether the token is a predicate
    zeroed: ZeroedTokens | None = None  # which hidden states are read as zeros; None: none
    changed: ChangedStates | None = None  # which are changed otherwise; None: none

    def __len__(self) -> int:
        return len(self.sequence)

    @property
    def source(self) -> Source:
        """The hidden states, where a tagger is trained on them."""
        return cast(Source, self.hidden_states)

    @property
    def stored(self) -> StoredStates:
        """The hidden states, where they are known to be there before the tagger runs."""
        return cast(StoredStates, self.hidden_states)

    @property
    def cached(self) -> CachedStates:
        """The hidden states, where they are known to be those of feature files."""
        return cast("CachedStates", self.hidden_states)

    @property
    def reading_lengths(self) -> Int64:
        """[n] int64, how long each instance is for who reads it, in tokens or in the MLM's subwords."""
        return self.hidden_states.reading_lengths(self.sequence)

    def parts(self, instances: Int64) -> Iterator[Part]:
        """Give the batches that hold these instances: one, or several where memory does not hold all."""
        return self.hidden_states.parts(self, instances)


class StoredStates(HiddenStates, Protocol):
    """Hidden states that are there before the tagger runs; `gather` reads them."""

    lack_of_memory: ClassVar[str] = (
        "not enough memory for batches of {batch_size} instances; lower training.batch_size (--batch-size) "
        "or the size of the tagger, or give the job more memory"
    )
    not_a_number: ClassVar[str] = (
        "Check the features with `zarpipe cache`, or lower training.learning_rate (--learning-rate)"
    )

    @property
    def size(self) -> int:
        """D, the size of a hidden state, or of several side by side."""

    @property
    def lengths(self) -> Int64:
        """[S] int64, tokens of each sequence."""

    def gather(self, sequences: Int64) -> Tensor:
        """Return the hidden states of [k] sequences, ascending, one after the other: [M, D] float32."""

    def reading_lengths(self, sequences: Int64) -> Int64:
        """Return the tokens of sequences."""
        return self.lengths[sequences]

    def parts(self, encoded: EncodedInstances, instances: Int64) -> Iterator[Part]:
        """Give one batch, in which nothing is padded."""
        yield pack(encoded, instances)


@dataclass(frozen=True)
class Batch:
    """B packed instances of N tokens in all, over M distinct rows of hidden states."""

    hidden: Tensor  # [M, D] float32, hidden states of the distinct sequences
    row: Tensor  # [N] int64, row of ``hidden`` of each packed token
    # the packed tokens that have each row for the first time ([M] int64, row after row), for the second time
    # (fewer), and so on
    occurrences: tuple[Tensor, ...]
    flags: Tensor  # [N, FLAGS] float32, is-target and is-predicate
    labels: Tensor  # [N] int64
    weights: Tensor  # [N] float32, one over the length of the token's instance
    batch_sizes: tuple[int, ...]  # [T], instances that are longer than t tokens, for each time step t
    flat_index: Tensor  # [N] int64, index of each token when instances lie one after the other as given

    def to(self, device: torch.device) -> Batch:
        """Return the batch with its tensors on a device (without ``occurrences``, which are for the CPU)."""
        if device.type == "cpu":
            return self
        moved = {name: getattr(self, name).to(device, non_blocking=True) for name in _TENSORS}
        return Batch(occurrences=(), batch_sizes=self.batch_sizes, **moved)


_TOKENS_OF_AN_INSTANCE = 256
# What EncodedInstances has one value of for each instance.
_OF_INSTANCES = ("sequence", "first", "lengths", "predicate", "only_target")
_TENSORS = ("hidden", "row", "flags", "labels", "weights", "flat_index")


def original_instances(
    hidden_states: HiddenStates, sequence: Int64, instances: Instances
) -> EncodedInstances:
    """Return the instances of a split as they are.

    ``sequence``: [n], the sequence of each instance among the hidden states.
    """
    return EncodedInstances(
        hidden_states,
        sequence,
        instances.offsets[:-1],
        instances.lengths,
        instances.predicate,
        np.zeros(len(instances), bool),
        instances.labels,
        instances.is_predicate,
    )


def flagged(copies: EncodedInstances, predicate_flags: str) -> EncodedInstances:
    """Return instances with the is-predicate flags of copies, see `zarpipe.tagger.cached.variant_copies`."""
    return replace(copies, only_target=np.full(len(copies), predicate_flags == "target"))


def restricted(encoded: EncodedInstances, kept: Bool) -> EncodedInstances:
    """Leave instances out, with all their copies; the hidden states of the others are never read.

    ``encoded`` are originals, and whole sets of copies behind them; ``kept`` [n] tells of each original.
    """
    of_each = np.tile(kept, len(encoded) // len(kept))
    chosen: dict[str, Any] = {name: getattr(encoded, name)[of_each] for name in _OF_INSTANCES}
    return replace(encoded, **chosen)


def tokens_at_once(layers: int, hidden_size: int) -> int:
    """Return how many tokens' states a training may keep: as many numbers as in a batch of the paper's.

    That batch (512 instances, 10 layers of 256) is counted with 256 tokens each, which sentences of real
    corpora stay below.
    """
    return 512 * _TOKENS_OF_AN_INSTANCE * 10 * 256 // (layers * hidden_size)


def plan_batches(
    lengths: Int64, batch_size: int, random: np.random.Generator, most_tokens: int | None = None
) -> list[Int64]:
    """Split instances into batches of similar length, in random order.

    Instances of equal length are shuffled, all are sorted by length, cut into batches of `batch_size`, and
    the batches are shuffled; so every batch but one is full and lengths within a batch differ as little as
    they can. A batch of very long instances, with more than ``most_tokens``, is cut into smaller ones.
    """
    shuffled = random.permutation(len(lengths))
    by_length = shuffled[np.argsort(lengths[shuffled], kind="stable")]
    # The one smaller batch is of random length, not always of the longest instances.
    rest = len(lengths) % batch_size
    start = int(random.integers(len(lengths) // batch_size + 1)) * batch_size
    bounds = [*range(0, start + 1, batch_size), *range(start + rest, len(lengths), batch_size)]
    cuts = sorted({bound for bound in bounds if 0 < bound < len(lengths)})
    batches = np.split(by_length, cuts)
    if most_tokens is not None:
        batches = _cut(batches, lengths, max(most_tokens, _TOKENS_OF_AN_INSTANCE * batch_size))
    return [batches[number] for number in random.permutation(len(batches))]


def sorted_batches(lengths: Int64, batch_size: int) -> list[Int64]:
    """Split instances into batches of similar length, always the same (for evaluation)."""
    by_length = np.argsort(lengths, kind="stable")
    return np.split(by_length, range(batch_size, len(lengths), batch_size)) if len(lengths) else []


def _cut(batches: Sequence[Int64], lengths: Int64, most: int) -> list[Int64]:
    """Cut batches of more tokens than ``most`` into smaller ones, of one instance at least."""
    parts: list[Int64] = []
    for batch in batches:
        if lengths[batch].sum() <= most:
            parts.append(batch)
            continue
        at_once = max(1, most // int(lengths[batch].max()))
        parts += np.split(batch, range(at_once, len(batch), at_once))
    return parts


def pack(encoded: EncodedInstances, instances: Int64) -> Batch:
    """Read the packed batch of these instances."""
    order = np.argsort(-encoded.lengths[instances], kind="stable")
    chosen = instances[order]
    lengths = encoded.lengths[chosen]
    # Each packed token's time step, and the number of its instance within the batch.
    batch_sizes = np.searchsorted(-lengths, -np.arange(lengths[0]), side="left")
    time = np.repeat(np.arange(lengths[0]), batch_sizes)
    member = expand(np.zeros(len(batch_sizes), np.int64), batch_sizes)

    tokens = tokens_of(encoded, instances, order, member, time)
    zeroed = tokens.pop("zeroed")
    changed = encoded.changed.which[chosen] if encoded.changed else np.zeros(len(chosen), bool)
    alone = changed | (np.bincount(member, zeroed, len(chosen)) > 0)
    sequences, own_sequence = _distinct_sequences(encoded.sequence[chosen], alone)
    first = _first_rows(own_sequence, lengths)
    row = first[member] + time
    hidden = encoded.stored.gather(sequences)
    if encoded.changed:
        for place in np.flatnonzero(changed).tolist():
            rows = hidden[first[place] : first[place] + lengths[place]]
            rows.copy_(torch.from_numpy(encoded.changed.change(int(chosen[place]), rows.numpy())))
    hidden[torch.from_numpy(row[zeroed])] = 0
    return Batch(
        hidden,
        torch.from_numpy(row),
        _occurrences(row, own_sequence, member),
        batch_sizes=tuple(batch_sizes.tolist()),
        **{name: torch.from_numpy(values) for name, values in tokens.items()},
    )


def tokens_of(
    encoded: EncodedInstances, instances: Int64, order: Int64, member: Int64, time: Int64
) -> dict[str, npt.NDArray[Any]]:
    """Return what a model is told, and has to tell, of the N tokens of a batch's B instances.

    ``instances`` [B] are the batch's, as given, ``order`` [B] their order in it, ``member`` [N] the place, in
    that order, of the instance of each token, ``time`` [N] the token's index there.

    Returns ``flags``, ``labels``, ``weights`` and ``flat_index``, see `Batch`; ``zeroed``: [N] bool, whether
    the token's hidden state is read as zeros.
    """
    chosen = instances[order]
    flat = encoded.first[chosen][member] + time
    lengths = encoded.lengths[instances]
    starts = np.cumsum(lengths) - lengths
    return {
        "flags": _flags(encoded, chosen, member, time, flat),
        "labels": encoded.labels[flat].astype(np.int64),
        "weights": (1.0 / lengths[order][member]).astype(np.float32),
        "flat_index": starts[order][member] + time,
        "zeroed": _zeroed(encoded, chosen, member, time),
    }


def _zeroed(encoded: EncodedInstances, chosen: Int64, member: Int64, time: Int64) -> Bool:
    """Tell for each packed token whether its hidden state is read as zeros."""
    if encoded.zeroed is None:
        return np.zeros(len(member), bool)
    found: Bool = encoded.zeroed.tokens[encoded.zeroed.first[chosen][member] + time]
    return found


def _distinct_sequences(sequence: Int64, alone: Bool) -> tuple[Int64, Int64]:
    """Return the sequences that a batch reads, ascending, and which of them is each instance's own.

    Instances share a sequence, but each that is ``alone`` has it to itself.
    """
    if not alone.any():
        return np.unique(sequence, return_inverse=True)
    pairs = np.stack([sequence, np.where(alone, 1 + np.arange(len(sequence)), 0)])
    distinct, own = np.unique(pairs, axis=1, return_inverse=True)
    return distinct[0], own.ravel()


def _first_rows(own_sequence: Int64, lengths: Int64) -> Int64:
    """Return the first row of each instance's sequence, the batch's sequences being one after the other."""
    sequence_lengths = np.zeros(own_sequence.max() + 1, np.int64)
    sequence_lengths[own_sequence] = lengths
    return (np.cumsum(sequence_lengths) - sequence_lengths)[own_sequence]


def _flags(encoded: EncodedInstances, chosen: Int64, member: Int64, time: Int64, flat: Int64) -> Float32:
    """Return the flags [N, FLAGS] of the packed tokens."""
    is_target = encoded.predicate[chosen][member] == time
    is_predicate = np.where(encoded.only_target[chosen][member], is_target, encoded.is_predicate[flat])
    return np.stack([is_target, is_predicate], axis=1).astype(np.float32)


def _occurrences(row: Int64, own_sequence: Int64, member: Int64) -> tuple[Tensor, ...]:
    """Group the packed tokens by how many instances before theirs have the same sequence."""
    by_sequence = np.argsort(own_sequence, kind="stable")
    first = np.searchsorted(own_sequence[by_sequence], own_sequence[by_sequence])
    before = np.empty(len(own_sequence), np.int64)
    before[by_sequence] = np.arange(len(own_sequence)) - first
    before_token = before[member]
    by_count = np.argsort(before_token, kind="stable")
    groups = np.split(by_count, np.cumsum(np.bincount(before_token))[:-1])
    return tuple(torch.from_numpy(tokens[np.argsort(row[tokens])]) for tokens in groups)


def missing_cases(labels: Int8) -> list[int]:
    """Return the numbers of the cases that never occur."""
    return [label for label in range(NONE_LABEL) if not (labels == label).any()]


def joined(one: EncodedInstances, other: EncodedInstances) -> EncodedInstances:
    """Return the instances of both, over the same flat arrays.

    The hidden states of ``other`` begin with those of ``one``.
    """
    both: dict[str, Any] = {
        name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in _OF_INSTANCES
    }
    return replace(other, **both)


def check_any(corpus: Path, instances: Instances, use: str) -> None:
    """Raise ZarpipeError for a split without instances; ``use`` is what it is for."""
    if not len(instances):
        raise ZarpipeError(
            f"{corpus}: no instances: no sentence has a target predicate; {use} needs at least one"
        )
