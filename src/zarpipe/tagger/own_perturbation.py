"""A perturbation of the user's own: ``function(states, sentence, generator, **options) -> states``."""

from __future__ import annotations

import numpy as np

from zarpipe.arrays import Float32
from zarpipe.config.policies import PolicyPart
from zarpipe.study.own_functions import PERTURBATION, OwnFunction
from zarpipe.tagger.mixture import TrainingInstances
from zarpipe.tagger.perturbations import Perturb, changed
from zarpipe.task.documents import Sentence


def perturbation(train: TrainingInstances, part: PolicyPart) -> Perturb:
    """Return what is made of the instances in each epoch."""
    own = OwnFunction.load(part, f"--perturb ({part.use})", PERTURBATION)
    sentences = train.sentences() if train.sentences else []  # each with its target predicate alone

    def change(place: int, states: Float32, random: np.random.Generator) -> Float32:
        return _changed(own, sentences[int(train.number[place]) % len(sentences)], states, random)

    return lambda seed, epoch: changed(train, train.encoded, seed, epoch, change)


def _changed(own: OwnFunction, sentence: Sentence, states: Float32, random: np.random.Generator) -> Float32:
    """Call the function; return checked states.

    Raises ZarpipeError that names file, line and sentence for what are no states, or another target's.
    """
    returned = own.call(sentence, states.copy(), sentence, random)
    expected = f"expected an array of numbers of the shape {list(states.shape)}, as it was given"
    try:
        found = np.asarray(returned, np.float32)
    except (TypeError, ValueError):
        raise own.problem(sentence, f"returned {returned!r}; {expected}") from None
    if found.shape != states.shape or not np.isfinite(found).all():
        other = f"one of the shape {list(found.shape)}" if found.ndim else repr(returned)
        what = "nan or infinity" if found.shape == states.shape else other
        raise own.problem(sentence, f"returned {what}; {expected}")
    target = sentence.predicates[0].token
    if not np.array_equal(found[target], states[target]):
        what = f"changed the target predicate, token {target} ({sentence.tokens[target]})"
        raise own.problem(sentence, f"{what}; expected its states as they were given")
    return found
