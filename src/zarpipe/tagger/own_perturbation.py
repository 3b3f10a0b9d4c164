"""A perturbation of the user's own: ``function(states, sentence, generator, **options) -> states``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zarpipe.arrays import Float32
from zarpipe.config.policies import PolicyPart
from zarpipe.errors import FileProblem
from zarpipe.study.own_functions import PERTURBATION, line_in, load_function, named
from zarpipe.tagger.mixture import TrainingInstances
from zarpipe.tagger.perturbations import Perturb, changed
from zarpipe.task.documents import Sentence


def perturbation(train: TrainingInstances, part: PolicyPart) -> Perturb:
    """Return what is made of the instances in each epoch."""
    own = OwnPerturbation.load(part, train)
    return lambda seed, epoch: changed(train, train.encoded, seed, epoch, own.change)


@dataclass(frozen=True)
class OwnPerturbation:
    """The user's function."""

    part: PolicyPart  # where it stands, and its options
    line: int  # line of the file, from 1
    function: Callable[..., Any]  # itself
    train: TrainingInstances  # the instances that it changes
    sentences: Sequence[Sentence]  # all of the corpus, each with its target predicate alone

    @classmethod
    def load(cls, part: PolicyPart, train: TrainingInstances) -> OwnPerturbation:
        """Run the user's file."""
        line, function = load_function(part, f"--perturb ({part.use})", PERTURBATION)
        return cls(part, line, function, train, train.sentences() if train.sentences else [])

    def change(self, place: int, states: Float32, random: np.random.Generator) -> Float32:
        """Call the function; return checked states.

        Raises ZarpipeError that names file, line and sentence for what are no states, or another target's.
        """
        sentence = self.sentences[int(self.train.number[place]) % len(self.sentences)]
        try:
            returned = self.function(states.copy(), sentence, random, **self.part.options)
        except Exception as error:
            line = line_in(str(self.part.file), error)
            raise self._problem(sentence, f"stopped with {named(error)}", line) from error
        expected = f"expected an array of numbers of the shape {list(states.shape)}, as it was given"
        try:
            found = np.asarray(returned, np.float32)
        except (TypeError, ValueError):
            raise self._problem(sentence, f"returned {returned!r}; {expected}") from None
        if found.shape != states.shape or not np.isfinite(found).all():
            other = f"one of the shape {list(found.shape)}" if found.ndim else repr(returned)
            what = "nan or infinity" if found.shape == states.shape else other
            raise self._problem(sentence, f"returned {what}; {expected}")
        target = sentence.predicates[0].token
        if not np.array_equal(found[target], states[target]):
            what = f"changed the target predicate, token {target} ({sentence.tokens[target]})"
            raise self._problem(sentence, f"{what}; expected its states as they were given")
        return found

    def _problem(self, sentence: Sentence, message: str, line: int | None = None) -> FileProblem:
        told = f"{self.part.function}, sentence {sentence.sent_id!r}: {message}"
        return FileProblem(str(self.part.file), line or self.line, told)
