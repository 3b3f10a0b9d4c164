"""Perturbations that are about what copies differ from their originals by: `noise` and `interpolate`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from zarpipe.arrays import Float32, Float64
from zarpipe.config.policies import PolicyPart
from zarpipe.tagger.batches import EncodedInstances
from zarpipe.tagger.mixture import TrainingInstances
from zarpipe.tagger.perturbations import Perturb, changed


def perturbation(train: TrainingInstances, part: PolicyPart) -> Perturb:
    """Return what is made of the instances in each epoch."""
    made: dict[str, Callable[..., Perturb]] = {"noise": noise, "interpolate": interpolate}
    return made[part.use](train, **part.options)


def noise(train: TrainingInstances, shuffled: bool, scale: float) -> Perturb:
    """Add to originals noise that is as large as what copies differ from them by, on all tokens.

    It is Gaussian, with the variance of the difference in each dimension; or the instance's own difference,
    shuffled over its tokens.
    """
    copies = train.encoded
    originals = replace(copies, sequence=copies.sequence[train.original])
    if not scale:
        return lambda *_: originals
    differs = copies.sequence != originals.sequence
    size = np.float32(scale)
    deviation = np.zeros(0, np.float32) if shuffled else np.sqrt(variance(train)).astype(np.float32)

    def gaussian(_: int, states: Float32, random: np.random.Generator) -> Float32:
        return states + size * deviation * random.standard_normal(states.shape, np.float32)

    def moved(place: int, states: Float32, random: np.random.Generator) -> Float32:
        difference = _states(copies, place) - states
        return states + size * difference[random.permutation(len(difference))]

    if shuffled:
        return lambda seed, epoch: changed(train, originals, seed, epoch, moved, differs)
    return lambda seed, epoch: changed(train, originals, seed, epoch, gaussian)


def interpolate(train: TrainingInstances, fixed: float | None, beta: float | None) -> Perturb:
    """Read states between a copy's (0) and its original's (1)."""
    copies = train.encoded
    originals = replace(copies, sequence=copies.sequence[train.original])
    if fixed in (0, 1):
        return lambda *_: originals if fixed else copies
    differs = copies.sequence != originals.sequence

    def between(place: int, states: Float32, random: np.random.Generator) -> Float32:
        of_original = np.float32(fixed if beta is None else random.beta(beta, beta))
        return of_original * _states(originals, place) + (1 - of_original) * states

    return lambda seed, epoch: changed(train, copies, seed, epoch, between, differs)


def variance(train: TrainingInstances) -> Float64:
    """Return [D], the variance over the tokens of copies of what they differ from their originals by."""
    encoded, copies = train.encoded, np.concatenate(train.draws)
    total, squares = np.zeros((2, encoded.stored.size))
    for place in copies.tolist():
        original = int(train.original[place])
        if encoded.sequence[place] != encoded.sequence[original]:
            difference = _states(encoded, place).astype(np.float64) - _states(encoded, original)
            total += difference.sum(axis=0)
            squares += (difference**2).sum(axis=0)
    tokens = encoded.lengths[copies].sum()
    found: Float64 = np.maximum(squares / tokens - (total / tokens) ** 2, 0)
    return found


def _states(encoded: EncodedInstances, place: int) -> Float32:
    states: Float32 = encoded.stored.gather(encoded.sequence[[place]]).numpy()
    return states
