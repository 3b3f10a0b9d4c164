"""What is done in training to the hidden states of copies: `perturb` of a recipe.

All that is random follows from the seed, the epoch and the instance, whatever batch it is in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from zarpipe.arrays import Bool, Float32, Int64, expand
from zarpipe.config.policies import PolicyPart
from zarpipe.tagger.batches import ChangedStates, EncodedInstances, ZeroedTokens
from zarpipe.tagger.mixture import TrainingInstances

_NUMBERS = 1  # keeps these numbers apart from those that order the batches

# The instances as they are read in an epoch, by seed and epoch.
Perturb = Callable[[int, int], EncodedInstances]
# The place of a copy, its states [T, D] and its own random numbers -> its states.
Change = Callable[[int, Float32, np.random.Generator], Float32]


def perturbation(train: TrainingInstances, part: PolicyPart) -> Perturb:
    """Return what is made of the instances in each epoch."""
    made: dict[str, Callable[..., Perturb]] = {"drop": drop, "cut": cut}
    return made[part.use](train, **part.options)


def drop(train: TrainingInstances, probability: str) -> Perturb:
    """Let random tokens of copies be zero, each with this probability."""
    lengths = train.encoded.lengths
    copies = np.repeat(train.is_copy, lengths)

    def perturbed(seed: int, epoch: int) -> EncodedInstances:
        tokens = np.zeros(int(lengths.sum()), bool)
        tokens[copies] = numbers(seed, epoch).random(int(copies.sum())) < float(probability)
        return _zeroed(train, tokens)

    return perturbed


def cut(train: TrainingInstances, over: str, share: str) -> Perturb:
    """Let this share of a copy be zero: neighbouring tokens, or random dimensions of all its tokens.

    Source: Shen et al. (2020), A simple but tough-to-beat data augmentation approach.
    """
    encoded, lengths = train.encoded, train.encoded.lengths
    span = np.maximum(1, np.rint(float(share) * lengths)).astype(np.int64)
    member, time = np.repeat(np.arange(len(lengths)), lengths), expand(np.zeros_like(lengths), lengths)

    def tokens(seed: int, epoch: int) -> EncodedInstances:
        where = numbers(seed, epoch).random(int(train.number.max()) + 1)[train.number]
        start = (where * (lengths - span + 1)).astype(np.int64)
        inside = (time >= start[member]) & (time < (start + span)[member])
        return _zeroed(train, inside & train.is_copy[member])

    def without_dimensions(place: int, states: Float32, random: np.random.Generator) -> Float32:
        size = states.shape[1]
        left = states.copy()
        left[:, random.permutation(size)[: max(1, round(float(share) * size))]] = 0
        left[encoded.predicate[place]] = states[encoded.predicate[place]]
        return left

    if over == "tokens":
        return tokens
    return lambda seed, epoch: changed(train, encoded, seed, epoch, without_dimensions)


def changed(
    train: TrainingInstances,
    encoded: EncodedInstances,  # what is read and changed
    seed: int,
    epoch: int,
    change: Change,
    which: Bool | bool = True,  # [N], which of the copies
) -> EncodedInstances:
    """Let the states of copies be changed in an epoch."""

    def with_numbers(place: int, states: Float32) -> Float32:
        return change(place, states, numbers(seed, epoch, int(train.number[place])))

    return replace(encoded, changed=ChangedStates(train.is_copy & which, with_numbers))


def numbers(seed: int, epoch: int, *instance: int) -> np.random.Generator:
    """Return the random numbers of an epoch, or of one instance in it."""
    return np.random.default_rng([abs(seed), int(seed < 0), epoch, _NUMBERS, *instance])


def _zeroed(train: TrainingInstances, tokens: Bool) -> EncodedInstances:
    """Let tokens be read as zeros, but the target predicate."""
    first: Int64 = np.cumsum(train.encoded.lengths) - train.encoded.lengths
    tokens[first + train.encoded.predicate] = False
    return replace(train.encoded, zeroed=ZeroedTokens(first, tokens))
