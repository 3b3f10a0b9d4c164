"""Policy ``distance``: by how many tokens or bunsetsu lie between a token and the target predicate.

With d = the difference of their numbers in the sentence the weight is exp(-d / scale), or 1 - exp(-d / scale)
(`prefer: far`).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from zarpipe.arrays import Float64
from zarpipe.augment.policies.nearness import NearnessOptions, nearness
from zarpipe.augment.policies.tokens import InstanceTokens


class Options(NearnessOptions):
    """What is counted, and how weights depend on it."""

    unit: Literal["token", "bunsetsu"] = "token"
    """What the distance counts."""


def weights(tokens: InstanceTokens, options: Options) -> Float64:
    """Return [N] float64."""
    if options.unit == "token":
        difference = tokens.position - tokens.target
    else:
        difference = tokens.bunsetsu - tokens.target_bunsetsu[tokens.instance]
    return nearness(np.abs(difference).astype(np.float64), options)
