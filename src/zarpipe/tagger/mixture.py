"""What each epoch is trained on: originals and augmented copies, as the recipe mixes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from zarpipe.arrays import Bool, Int64
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.batches import EncodedInstances, ZeroedTokens, flagged, joined, restricted

_DROP_NUMBERS = 1  # keeps the numbers of dropped tokens apart from those that order the batches


@dataclass(frozen=True)
class TrainingInstances:
    """What the epochs of a training see."""

    encoded: EncodedInstances  # the originals and the copies of each draw, each instance once
    originals: Int64  # [n], which instances are originals
    draws: tuple[Int64, ...]  # [n] each, which instances are the copies of each draw
    mixture: Mixture  # how often an epoch sees them

    @property
    def last_stage(self) -> int:
        """The stage, from 0, with which training ends."""
        return 1 if self.mixture.stages == "masked_first" else 0

    def members(self, stage: int, epoch: int) -> Int64:
        """Return the instances of an epoch, as often as it sees them.

        Stages count from 0, epochs over all stages from 1.
        """
        draws = [self.draws[(epoch - 1) % len(self.draws)]] if self.mixture.per_epoch else self.draws
        originals = [self.originals] * self.mixture.copies
        copies = [copies for copies in draws for _ in range(self.mixture.variant_copies)]
        if self.mixture.stages == "masked_first":
            return np.concatenate(originals if stage else copies)
        return np.concatenate([*originals, *copies])

    def with_dropped_tokens(self, random: np.random.Generator) -> EncodedInstances:
        """Return the instances with the tokens whose hidden states are zero in an epoch.

        ``random`` gives the epoch's numbers, one for each token of the copies.
        """
        if self.mixture.drop is None:
            return self.encoded
        lengths = self.encoded.lengths
        first = np.cumsum(lengths) - lengths
        tokens = np.zeros(int(lengths.sum()), bool)
        copies = slice(first[self.draws[0][0]], None)
        tokens[copies] = random.random(len(tokens[copies])) < float(self.mixture.drop)
        tokens[first + self.encoded.predicate] = False
        return replace(self.encoded, zeroed=ZeroedTokens(first, tokens))


def mixed(
    originals: EncodedInstances,  # the training instances
    # as many copies in each; the hidden states of each begin with those of the one before
    draws: Sequence[EncodedInstances],
    mixture: Mixture,  # how often each is seen
    predicate_flags: str = "all",  # is-predicate flags of copies with dropped tokens
    kept: Bool | None = None,  # [n], which originals are trained on, with their copies; None: all
    kept_copies: Sequence[Bool] = (),  # [n] for each draw, which of its copies are trained on; empty: all
) -> TrainingInstances:
    """Put originals and the copies of each draw together."""
    copies = [*draws, flagged(originals, predicate_flags)] if mixture.drop is not None else draws
    encoded = originals
    for one in copies:
        encoded = joined(encoded, one)
    if kept is not None:
        encoded = restricted(encoded, kept)
    first, *others = np.split(np.arange(len(encoded)), len(copies) + 1)
    if kept_copies:
        of_draws = [one if kept is None else one[kept] for one in kept_copies]
        others = [members[one] for members, one in zip(others, of_draws, strict=True)]
    return TrainingInstances(encoded, first, tuple(others), mixture)


def drop_numbers(seed: int, epoch: int) -> np.random.Generator:
    """Return the random numbers that drop the tokens of an epoch."""
    return np.random.default_rng([abs(seed), int(seed < 0), epoch, _DROP_NUMBERS])
