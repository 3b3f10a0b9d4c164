"""Section `recipes`: what else taggers are trained on, by name.

For example::

    recipes:
      four_draws: {use: masking, draws: 4, per_epoch: true}
      more_masks: {use: masking, policy: near, alpha: 0.5, ratio: [1, 2]}
      two_stages: {use: masking, stages: masked_first}
      dropped:    {drop: 0.1}
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from zarpipe.config.policies import PolicyName
from zarpipe.config.values import Alpha, OwnName, Positive, Section, names_with, only

# What else is called so in tables.
_TAKEN = re.compile(r"baseline(\d+x)?|masking|cda")


class RecipeDefinition(Section):
    """What a tagger is trained on."""

    use: Literal["masking", "cda"] | None = None
    """masking: copies with masked tokens. cda: copies whose masks are filled as `augmentation.cda` says.
    null: no such copies; see `drop`."""
    policy: PolicyName | None = None
    """What may be masked, for CDA too: a policy of `policies`, or a POS set. null: `all`."""
    alpha: Alpha | None = None
    """Masking probability, of the study or another. null: each of `augmentation.alphas`; the best on dev
    stands in the table."""
    draws: Positive = 1
    """Masked copies of each instance, with independent random numbers. The first has the numbers that a
    single copy has."""
    ratio: Annotated[list[Positive], Field(min_length=2, max_length=2)] = [1, 1]
    """[1, 2]: an epoch sees each original once, and each copy twice."""
    per_epoch: bool = False
    """true: of k draws, epoch e sees the copies of draw e mod k alone (the first epoch is number 0). false:
    every epoch sees the copies of all draws."""
    stages: Literal["together", "masked_first"] = "together"
    """together: originals and copies. masked_first: the copies alone until training stops, then, from the
    best weights on, the originals alone (the authors' code)."""
    drop: Alpha | None = None
    """Copies of the originals in which the hidden states of random tokens are zero: each with this
    probability, never the target predicate, others in each epoch. They need no masked language model."""

    filtered: bool = False
    """Only copies whose decisions stay when their masks are refilled, as taggers decide that have not seen
    the document (`antecedents.folds`)."""

    @model_validator(mode="after")
    def _fits_together(self) -> RecipeDefinition:
        if (self.use is None) == (self.drop is None):
            raise ValueError("expected either use, such as {use: masking, draws: 4}, or drop: {drop: 0.1}")
        given = {
            "policy": self.policy,
            "alpha": self.alpha,
            "draws": self.draws > 1,
            "filtered": self.filtered,
        }
        if self.use is None and (foreign := [name for name, value in given.items() if value]):
            raise ValueError(f"{foreign[0]} means nothing beside drop; leave it out")
        if self.drop is not None and not 0 < float(self.drop) < 1:
            raise ValueError(f"drop: found {self.drop}; expected a probability between 0 and 1, such as 0.1")
        if self.per_epoch and self.draws == 1:
            raise ValueError("per_epoch means nothing with one draw; expected draws: 2 or more")
        return self


_IS_TAKEN = "this is the name of a baseline or of a method; choose another name"
RecipeName = Annotated[OwnName, AfterValidator(only(lambda name: not _TAKEN.fullmatch(name), _IS_TAKEN))]
_NAMES = names_with("its recipe, such as four_draws: {use: masking, draws: 4}")
Recipes = Annotated[dict[RecipeName, RecipeDefinition], _NAMES]
