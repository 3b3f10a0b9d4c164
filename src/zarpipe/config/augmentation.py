"""Section `augmentation`: the augmented variants of the training instances."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from zarpipe.config.policies import PolicyName
from zarpipe.config.pos_sets import PAPER_SETS, PosSetName
from zarpipe.config.values import EACH_ONCE, Alpha, Integer, Section


class CdaConfig(Section):
    """Contextual data augmentation in Table 4: how masked tokens are replaced."""

    pos_set: PosSetName = "all"
    """Which parts of speech may be replaced: a set of the paper, or one of `pos_sets`."""
    fill: Literal["multi", "single"] = "multi"
    """multi: all masks at once. single: one mask at a time, the other tokens original."""
    pick: Literal["argmax", "sample"] = "argmax"
    """argmax: the most probable token. sample: drawn from the MLM's distribution."""


class MaskDraws(Section):
    """The random numbers that decide which tokens are masked."""

    seed: Integer = 1
    """Seed of the mask draws."""
    draw: Literal["predicate", "sentence"] = "predicate"
    """predicate: one draw per (sentence, predicate, token). sentence: one per (sentence, token), shared by
    all predicates of a sentence, for a smaller feature cache."""


class AugmentationConfig(MaskDraws):
    """The augmented variants of the training instances."""

    alphas: Annotated[list[Alpha], EACH_ONCE, Field(min_length=1)] = [
        "0.1",
        "0.3",
        "0.5",
        "0.7",
        "0.9",
        "1.0",
    ]
    """Masking probabilities, each from 0 to 1; the best on dev is chosen per method."""
    pos_sets: Annotated[list[PosSetName], EACH_ONCE, Field(min_length=1)] = list(PAPER_SETS)
    """POS sets of linguistically-controlled masking (Table 5): those of the paper, which are the default, or
    of `pos_sets`. Table 4 always uses `all`."""
    policies: Annotated[list[PolicyName], EACH_ONCE] = []
    """Masking policies that are compared in `policies.csv`: those of `policies`, or POS sets."""
    match: Literal["share"] | None = None
    """share: each of these policies masks the same share of all tokens as `all` does at each alpha, with an
    alpha of its own; a policy that cannot is refused. null: the same alpha for all."""
    cda: CdaConfig = CdaConfig()
    """How the CDA of Table 4 replaces tokens."""
