"""What each epoch is trained on: originals and augmented copies, as the recipe mixes them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from zarpipe.arrays import Bool, Int64
from zarpipe.config.perturbations import module_of, perturbation_part
from zarpipe.registry import load
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.batches import EncodedInstances, flagged, joined, restricted
from zarpipe.task.documents import Sentence


@dataclass(frozen=True)
class TrainingInstances:
    """What the epochs of a training see."""

    encoded: EncodedInstances  # the originals and the copies of each draw, each instance once
    originals: Int64  # [n], which instances are originals
    draws: tuple[Int64, ...]  # [n] each, which instances are the copies of each draw
    mixture: Mixture  # how often an epoch sees them
    extra: Int64  # [m], the instances of more text, or originals in their place, seen as often as copies
    number: Int64  # [N], which of all instances and copies each is, where documents are left out too
    # each instance of all documents, as a sentence with the target predicate alone, for who asks for them
    sentences: Callable[[], Sequence[Sentence]] | None = None

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
        draws = [*draws, self.extra]
        copies = [copies for copies in draws for _ in range(self.mixture.variant_copies)]
        if self.mixture.stages == "masked_first":
            return np.concatenate(originals if stage else copies)
        if self.views == 2:
            return np.concatenate(copies)
        return np.concatenate([*originals, *copies])

    @property
    def original(self) -> Int64:
        """[N], of each copy the place of its original, of all other instances their own."""
        places = np.arange(len(self.encoded))
        return np.where(self.is_copy, places % len(self.originals), places)

    @property
    def is_copy(self) -> Bool:
        """[N], whether it is a copy of an original."""
        found = np.zeros(len(self.encoded), bool)
        found[len(self.originals) : (1 + len(self.draws)) * len(self.originals)] = True
        return found

    @property
    def views(self) -> int:
        """How many views of an instance stand in a batch together: 2 with a weight of consistency."""
        return 1 if self.mixture.consistency is None else 2

    def together(self, copies: Int64) -> Int64:
        """Return what stands in a batch: the instances, or, of copies, the originals and they."""
        return copies if self.views == 1 else np.concatenate([self.original[copies], copies])

    def perturbed(self, seed: int, epoch: int) -> EncodedInstances:
        """Return the instances, with what is done to their hidden states in an epoch."""
        return self.encoded if self._perturb is None else self._perturb(seed, epoch)

    @functools.cached_property
    def _perturb(self) -> Callable[[int, int], EncodedInstances] | None:
        if self.mixture.perturb is None:
            return None
        part = perturbation_part(self.mixture.perturb)
        made: Callable[[int, int], EncodedInstances] = load(module_of(part)).perturbation(self, part)
        return made


def mixed(
    originals: EncodedInstances,  # the training instances
    # as many copies in each; the hidden states of each begin with those of the one before
    draws: Sequence[EncodedInstances],
    mixture: Mixture,  # how often each is seen
    predicate_flags: str = "all",  # is-predicate flags of copies of the originals
    kept: Bool | None = None,  # [n], which originals are trained on, with their copies; None: all
    kept_copies: Sequence[Bool] = (),  # [n] for each draw, which of its copies are trained on; empty: all
    sentences: Callable[[], Sequence[Sentence]] | None = None,  # see `TrainingInstances`
    extra: Sequence[EncodedInstances] = (),  # see `Splits`
    in_place: int = 0,  # how many originals are seen in the place of more text
) -> TrainingInstances:
    """Put originals, the copies of each draw, and more text together."""
    copies = list(draws)
    if mixture.perturb is not None and not draws:
        copies = [flagged(originals, predicate_flags)]
    encoded = originals
    for one in copies:
        encoded = joined(encoded, one)
    number = np.arange(len(encoded))
    if kept is not None:
        encoded, number = restricted(encoded, kept), number[np.tile(kept, 1 + len(copies))]
    first, *others = np.split(np.arange(len(encoded)), len(copies) + 1)
    if kept_copies:
        of_draws = [one if kept is None else one[kept] for one in kept_copies]
        others = [members[one] for members, one in zip(others, of_draws, strict=True)]
    added = np.arange(in_place) * len(first) // max(in_place, 1)
    for one in extra:
        added = np.concatenate([added, len(encoded) + np.arange(len(one))])
        encoded = joined(encoded, one)
    number = np.concatenate([number, np.arange(len(encoded) - len(number))])
    return TrainingInstances(encoded, first, tuple(others), mixture, added, number, sentences)
