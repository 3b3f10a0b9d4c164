"""What each epoch is trained on: originals and augmented copies, as the recipe mixes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from zarpipe.arrays import Int64
from zarpipe.formats.features import Features
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.batches import (
    EncodedInstances,
    ZeroedTokens,
    copies_of,
    flagged,
    joined,
    repeated,
)

_DROP_NUMBERS = 1  # keeps the numbers of dropped tokens apart from those that order the batches


@dataclass(frozen=True)
class TrainingInstances:
    """All instances that some epoch sees: the originals, then the copies of each draw.

    Attributes:
        encoded: the instances.
        originals: how many of them are originals, those of `Mixture.copies` counted.
        draws: in how many equal parts the others fall; 0 for none.
        mixture: what an epoch sees of them.
    """

    encoded: EncodedInstances
    originals: int
    draws: int
    mixture: Mixture

    @property
    def last_stage(self) -> int:
        """The stage, from 0, with which training ends."""
        return 1 if self.mixture.stages == "masked_first" else 0

    def members(self, stage: int, epoch: int) -> Int64:
        """Return the instances of an epoch.

        Args:
            stage: stage of the training, from 0.
            epoch: number of the epoch over all stages, from 1.
        """
        copies = np.arange(self.originals, len(self.encoded))
        if self.mixture.per_epoch:
            copies = np.split(copies, self.draws)[(epoch - 1) % self.draws]
        if self.mixture.stages == "masked_first":
            return np.arange(self.originals) if stage else copies
        return np.concatenate([np.arange(self.originals), copies])

    def with_dropped_tokens(self, random: np.random.Generator) -> EncodedInstances:
        """Return the instances with the tokens whose hidden states are zero in an epoch.

        Args:
            random: the epoch's numbers, one for each token of the copies.
        """
        encoded = self.encoded
        if self.mixture.drop is None:
            return encoded
        first = np.cumsum(encoded.lengths) - encoded.lengths
        tokens = np.zeros(int(encoded.lengths.sum()), bool)
        start = int(encoded.lengths[: self.originals].sum())
        tokens[start:] = random.random(len(tokens) - start) < float(self.mixture.drop)
        tokens[first + encoded.predicate] = False
        return replace(encoded, zeroed=ZeroedTokens(first, tokens))


def mixed(
    originals: EncodedInstances, variants: Sequence[Features], mixture: Mixture, predicate_flags: str = "all"
) -> TrainingInstances:
    """Put originals and copies together.

    Args:
        originals: the training instances.
        variants: feature files of the augmented copies, one for each draw.
        mixture: how often each is seen.
        predicate_flags: is-predicate flags of copies, as `zarpipe.tagger.batches.copies_of` has them.
    """
    count = len(originals)
    encoded = repeated(originals, mixture.copies)
    for variant in variants:
        copies = copies_of(encoded, count, variant, predicate_flags)
        encoded = joined(encoded, repeated(copies, mixture.variant_copies))
    if mixture.drop is not None:
        encoded = joined(encoded, repeated(flagged(originals, predicate_flags), mixture.variant_copies))
    draws = 1 if mixture.drop is not None else len(variants)
    return TrainingInstances(encoded, count * mixture.copies, draws, mixture)


def drop_numbers(seed: int, epoch: int) -> np.random.Generator:
    """Return the random numbers that drop the tokens of an epoch."""
    return np.random.default_rng([abs(seed), int(seed < 0), epoch, _DROP_NUMBERS])
