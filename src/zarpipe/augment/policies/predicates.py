"""Policy ``predicates``: the sentence's other predicates are protected, or only they are masked."""

from __future__ import annotations

from typing import Literal

import numpy as np

from zarpipe.arrays import Float64
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.config.values import Section


class Options(Section):
    """What becomes of the other predicates."""

    mask: Literal["others", "only"] = "others"
    """others: 0 for predicates, 1 for all other tokens. only: 1 for predicates, 0 for all other tokens."""


def weights(tokens: InstanceTokens, options: Options) -> Float64:
    """Return [N] float64."""
    is_predicate = tokens.instances.is_predicate & ~tokens.is_target
    return (is_predicate if options.mask == "only" else ~is_predicate).astype(np.float64)
