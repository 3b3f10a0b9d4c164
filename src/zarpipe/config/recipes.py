"""Section `recipes`: what else taggers are trained on, by name.

For example::

    recipes:
      four_draws: {use: masking, draws: 4, per_epoch: true}
      more_masks: {use: masking, policy: near, alpha: 0.5, ratio: [1, 2]}
      two_stages: {use: masking, stages: masked_first}
      dropped:    {perturb: {use: drop, probability: 0.1}}
      control:    {use: masking, perturb: {use: noise}}
      more_text:  {extra: [news.parquet], ratio: [2, 1]}
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from zarpipe.config.perturbations import NEED_COPIES, Perturbation
from zarpipe.config.policies import PolicyName
from zarpipe.config.values import Alpha, Number, OwnName, Positive, Section, names_with, only

# What else is called so in tables.
_TAKEN = re.compile(r"baseline(\d+x)?|masking|cda")


class RecipeDefinition(Section):
    """What a tagger is trained on."""

    use: Literal["masking", "cda"] | None = None
    """masking: copies with masked tokens. cda: copies whose masks are filled as `augmentation.cda` says.
    null: no such copies; see `perturb`."""
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
    perturb: Perturbation | None = None
    """What is done to the hidden states of the copies, in each epoch anew (without `use`: to those of
    copies of the originals, which need no masked language model). `{use: drop, probability: 0.1}`: random
    tokens are zero, never the target predicate. `{use: cut, share: 0.1}`: a span of tokens is zero; with
    `over: dimensions`, random dimensions of all tokens. `{use: noise}`: the original, and noise with the
    variance that the copies' difference from the originals has in each dimension; with `shuffled: true`, this
    difference itself, shuffled over the tokens; `scale` times as large. `{use: interpolate, beta: 0.5}`:
    between copy (0) and original (1), the place drawn from Beta(0.5, 0.5), or `fixed: 0.5`.
    `{use: my_states.py:blur}`: a function in a file of your own, with its options."""
    consistency: Annotated[Number, Field(gt=0)] | None = None
    """Weight of the Jensen-Shannon divergence between the label distributions of an original and its copy,
    which stand in one batch. null: none."""
    extra: list[Annotated[str, Field(min_length=1)]] = []
    """More training text: labelled files in the columns of docs/parquet.md, whose instances an epoch sees as
    often as each copy (`ratio`, `stages`). Paths start at the working directory. A sentence that stands in
    dev or test is refused."""
    filtered: bool = False
    """Only copies whose decisions stay when their masks are refilled, as taggers decide that have not seen
    the document (`antecedents.folds`)."""

    @model_validator(mode="after")
    def _fits_together(self) -> RecipeDefinition:
        if self.use is None and self.perturb is None and not self.extra:
            raise ValueError("expected use, such as {use: masking, draws: 4}, or perturb, or extra")
        if self.extra and (self.filtered or self.consistency):
            raise ValueError("extra: found with filtered or consistency; expected neither of them")
        filtered, several = self.filtered, self.draws > 1
        given = {"policy": self.policy, "alpha": self.alpha, "draws": several, "filtered": filtered}
        if self.use is None and (foreign := [name for name, value in given.items() if value]):
            raise ValueError(f"{foreign[0]} means nothing without use; leave it out")
        if self.use is None and (wanted := (self.perturb or {}).get("use")) in NEED_COPIES:
            raise ValueError(f"perturb.use: found {wanted!r} without use; expected use: masking, or cda")
        alone = self.ratio == [1, 1] and self.stages == "together" and not self.filtered
        if self.consistency and not (alone and (self.draws == 1 or self.per_epoch)):
            raise ValueError(
                f"consistency: found {self.consistency} where not each original has one copy in an epoch; "
                "expected neither ratio, stages nor filtered, and several draws with per_epoch: true only"
            )
        if self.per_epoch and self.draws == 1:
            raise ValueError("per_epoch means nothing with one draw; expected draws: 2 or more")
        return self


_IS_TAKEN = "this is the name of a baseline or of a method; choose another name"
RecipeName = Annotated[OwnName, AfterValidator(only(lambda name: not _TAKEN.fullmatch(name), _IS_TAKEN))]
_NAMES = names_with("its recipe, such as four_draws: {use: masking, draws: 4}")
Recipes = Annotated[dict[RecipeName, RecipeDefinition], _NAMES]
