"""Section `antecedents`: how often other words change the antecedent."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from zarpipe.config.policies import PolicyName
from zarpipe.config.values import EACH_ONCE, Alpha, Integer, Section, Seed


class AntecedentsConfig(Section):
    """How often other words change the antecedent."""

    policies: Annotated[list[PolicyName], EACH_ONCE] = []
    """What is replaced by the MLM, in sentences that taggers decide with the old and with the new words: POS
    sets, or masking policies of `policies`. Empty: nothing."""
    alphas: Annotated[list[Alpha], EACH_ONCE] = []
    """Masking probabilities, of those in `augmentation.alphas`. Empty: all of them."""
    folds: Annotated[Integer, Field(ge=2)] = 5
    """Folds of the training documents: the sentences of each are decided by taggers that were trained on the
    others."""
    fold_seed: Seed = 1
    """Seed of the folds."""
    seeds: Annotated[list[Seed], EACH_ONCE] = []
    """Seeds of these taggers, of those in `training.seeds`. Empty: all of them."""
    filtered: bool = False
    """Also train each masking recipe with only those masked copies whose decisions stay when they are
    refilled (`filtered.csv`)."""
    sheet_items: Annotated[Integer, Field(ge=1)] = 100
    """Items on the sheet that a person judges, at most."""
    sheet_seed: Integer = 1
    """Seed of the choice and order of its items."""
