"""Policy ``arguments``: by whether a token is a gold argument of the target predicate, any mention of it."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import model_validator

from zarpipe.arrays import Float64
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.config.values import Probability, Section


class Options(Section):
    """What becomes of the arguments."""

    mask: Literal["others", "only", "rate"] = "others"
    """others: 0 for arguments, 1 for all other tokens. only: 1 for arguments, 0 for all other tokens. rate:
    `rate` for arguments, 1 for all other tokens."""
    rate: Probability | None = None
    """The weight of arguments, from 0 to 1, with `mask: rate`."""

    @model_validator(mode="after")
    def _rate_where_it_counts(self) -> Options:
        if (self.mask == "rate") != (self.rate is not None):
            raise ValueError("expected mask: rate and rate together, such as {mask: rate, rate: 0.5}")
        return self


def weights(tokens: InstanceTokens, options: Options) -> Float64:
    """Return [N] float64."""
    is_argument = np.asarray(tokens.instances.gold.any(axis=1), bool)
    if options.mask == "only":
        return is_argument.astype(np.float64)
    found: Float64 = np.where(is_argument, options.rate or 0.0, 1.0)
    return found
