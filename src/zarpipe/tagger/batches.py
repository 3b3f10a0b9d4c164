"""Training and development instances with their hidden states, and the batches made of them.

A batch is packed: its instances are sorted by falling length and its tokens lie time step after time step, so
that nothing is padded. Instances of one sentence share their hidden states, which are read (and projected by
the first layer) once per distinct sequence of the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from zarpipe.arrays import Bool, Int8, Int64, expand
from zarpipe.errors import ZarpipeError
from zarpipe.formats.features import Features
from zarpipe.task.instances import NONE_LABEL, Instances


@dataclass(frozen=True)
class EncodedInstances:
    """Instances and where their hidden states are: n instances over N flat tokens.

    Attributes:
        sources: feature files; the sequences of the second are numbered on from those of the first.
        sequence: [n] int64, sequence of each instance over all sources.
        first: [n] int64, first token of each instance in the flat arrays (an augmented copy shares its
            original's).
        lengths: [n] int64, tokens of each instance.
        predicate: [n] int64, token index of the target predicate.
        only_target: [n] bool, whether the is-predicate flags of the other predicates are left out.
        labels: [N] int8, NOM, ACC, DAT, NONE.
        is_predicate: [N] bool, whether the token is a predicate.
    """

    sources: tuple[Features, ...]
    sequence: Int64
    first: Int64
    lengths: Int64
    predicate: Int64
    only_target: Bool
    labels: Int8
    is_predicate: Bool

    def __len__(self) -> int:
        return len(self.sequence)

    @property
    def hidden_size(self) -> int:
        """D, the size of a hidden state."""
        return self.sources[0].hidden_size

    def hidden(self, sequences: Int64) -> Tensor:
        """Read the hidden states of these ascending sequences: [tokens, D] float32."""
        parts, base = [], 0
        for source in self.sources:
            count = len(source.offsets) - 1
            inside = sequences[(sequences >= base) & (sequences < base + count)] - base
            parts.append(torch.from_numpy(source.gather(inside)))
            base += count
        return (parts[0] if len(parts) == 1 else torch.cat(parts)).float()


@dataclass(frozen=True)
class Batch:
    """B packed instances of N tokens in all, over M distinct rows of hidden states.

    Attributes:
        hidden: [M, D] float32, hidden states of the distinct sequences.
        row: [N] int64, row of ``hidden`` of each packed token.
        uses: the packed tokens that use each row for the first time ([M] int64, row after row), for the
            second time (fewer), and so on.
        flags: [N, 2] float32, is-target and is-predicate.
        labels: [N] int64.
        weights: [N] float32, one over the length of the token's instance.
        batch_sizes: [T], instances that are longer than t tokens, for each time step t.
        token: [N] int64, each packed token's place when instances lie one after the other in given order.
    """

    hidden: Tensor
    row: Tensor
    uses: tuple[Tensor, ...]
    flags: Tensor
    labels: Tensor
    weights: Tensor
    batch_sizes: tuple[int, ...]
    token: Tensor

    def to(self, device: torch.device) -> Batch:
        """Return the batch with its tensors on a device (without ``uses``, which is for the CPU)."""
        if device.type == "cpu":
            return self
        moved = {name: getattr(self, name).to(device, non_blocking=True) for name in _TENSORS}
        return Batch(uses=(), batch_sizes=self.batch_sizes, **moved)


_TOKENS_OF_AN_INSTANCE = 256
_TENSORS = ("hidden", "row", "flags", "labels", "weights", "token")


def encoded_instances(instances: Instances, features: Features) -> EncodedInstances:
    """Join the instances of a split with its feature file. Raises ZarpipeError when they do not fit."""
    encoded = EncodedInstances(
        (features,),
        features.instance_sequence,
        instances.offsets[:-1],
        instances.lengths,
        instances.predicate,
        np.zeros(len(instances), bool),
        instances.labels,
        instances.is_predicate,
    )
    _check_lengths(encoded, features)
    return encoded


def with_variant(
    originals: EncodedInstances, variant: Features, predicate_flags: str = "all"
) -> EncodedInstances:
    """Add one augmented copy of every instance, 1:1.

    Args:
        originals: the training instances.
        variant: the variant's feature file; its negative sequence numbers point to the originals' file.
        predicate_flags: all (the paper): copies flag every predicate of the sentence, as originals do.
            target (the authors' code): copies flag the target predicate only.
    """
    variant.check_originals(originals.sources[0])
    base = len(originals.sources[0].offsets) - 1
    number = variant.instance_sequence
    copies = EncodedInstances(
        (*originals.sources, variant),
        np.where(number < 0, -1 - number, base + number),
        originals.first,
        originals.lengths,
        originals.predicate,
        np.full(len(originals), predicate_flags == "target"),
        originals.labels,
        originals.is_predicate,
    )
    _check_lengths(copies, variant)
    return _joined(originals, copies)


def repeated(originals: EncodedInstances, copies: int) -> EncodedInstances:
    """Return every instance ``copies`` times (the recipe baseline2x has 2)."""
    result = originals
    for _ in range(copies - 1):
        result = _joined(result, originals)
    return result


def tokens_at_once(layers: int, hidden_size: int) -> int:
    """Return how many tokens' states a training may keep: as many numbers as the paper's tagger has in a batch.

    Its batch (512 instances) is counted with 256 tokens each, which sentences of real corpora stay below.
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
    return [batches[place] for place in random.permutation(len(batches))]


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


def batches_of(encoded: EncodedInstances, plan: Sequence[Int64]) -> Iterator[Batch]:
    """Read one batch after the other."""
    for instances in plan:
        yield pack(encoded, instances)


def pack(encoded: EncodedInstances, instances: Int64) -> Batch:
    """Read the packed batch of these instances."""
    order = np.argsort(-encoded.lengths[instances], kind="stable")
    chosen = instances[order]
    lengths = encoded.lengths[chosen]
    batch_sizes = np.searchsorted(-lengths, -np.arange(lengths[0]), side="left")
    time = np.repeat(np.arange(lengths[0]), batch_sizes)
    member = expand(np.zeros(len(batch_sizes), np.int64), batch_sizes)

    sequences, which = np.unique(encoded.sequence[chosen], return_inverse=True)
    sequence_lengths = np.zeros(len(sequences), np.int64)
    sequence_lengths[which] = lengths
    starts = np.cumsum(sequence_lengths) - sequence_lengths
    flat = encoded.first[chosen][member] + time
    is_target = encoded.predicate[chosen][member] == time
    is_predicate = np.where(encoded.only_target[chosen][member], is_target, encoded.is_predicate[flat])

    given = encoded.lengths[instances]
    places = (np.cumsum(given) - given)[order]
    row = starts[which][member] + time
    return Batch(
        encoded.hidden(sequences),
        torch.from_numpy(row),
        _uses(row, which, member),
        torch.from_numpy(np.stack([is_target, is_predicate], axis=1).astype(np.float32)),
        torch.from_numpy(encoded.labels[flat].astype(np.int64)),
        torch.from_numpy((1.0 / lengths[member]).astype(np.float32)),
        tuple(batch_sizes.tolist()),
        torch.from_numpy(places[member] + time),
    )


def _uses(row: Int64, which: Int64, member: Int64) -> tuple[Tensor, ...]:
    """Group the packed tokens by how many instances before theirs have the same sequence."""
    by_sequence = np.argsort(which, kind="stable")
    first = np.searchsorted(which[by_sequence], which[by_sequence])
    use = np.empty(len(which), np.int64)
    use[by_sequence] = np.arange(len(which)) - first
    use_of_token = use[member]
    by_use = np.argsort(use_of_token, kind="stable")
    groups = np.split(by_use, np.cumsum(np.bincount(use_of_token))[:-1])
    return tuple(torch.from_numpy(tokens[np.argsort(row[tokens])]) for tokens in groups)


def missing_cases(labels: Int8) -> list[int]:
    """Return the labels (0 NOM, 1 ACC, 2 DAT) that never occur."""
    return [label for label in range(NONE_LABEL) if not (labels == label).any()]


def _joined(one: EncodedInstances, other: EncodedInstances) -> EncodedInstances:
    names = ("sequence", "first", "lengths", "predicate", "only_target")
    joined = {name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in names}
    sources = max(one.sources, other.sources, key=len)
    return EncodedInstances(sources=sources, labels=one.labels, is_predicate=one.is_predicate, **joined)


def _check_lengths(encoded: EncodedInstances, features: Features) -> None:
    if len(encoded.sequence) != len(encoded.lengths):
        raise ZarpipeError(
            f"{features.path}: has {len(encoded.sequence)} instances, the corpus has {len(encoded.lengths)}; "
            "give the corpus that it was encoded from"
        )
    if len(encoded) and int(encoded.sequence.min()) < 0:
        raise ZarpipeError(
            f"{features.path}: features of a variant, which refer to the originals' file; "
            "give the file of the split itself, and the variant's by --variant-features"
        )
    lengths = np.concatenate([source.lengths for source in encoded.sources])[encoded.sequence]
    if (wrong := lengths != encoded.lengths).any():
        place = int(np.argmax(wrong))
        raise ZarpipeError(
            f"{features.path}: instance {place} has {lengths[place]} encoded tokens, "
            f"in the corpus {encoded.lengths[place]}; encode the corpus again with `zarpipe encode`"
        )
