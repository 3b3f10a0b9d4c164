"""The weights of a policy as it is configured: the product of those that it uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from zarpipe.arrays import Float64
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.config.policies import PolicyPart, policy_parts


def policy_weights(definition: Mapping[str, Any], tokens: InstanceTokens) -> Float64:
    """Return [N] float64 weights in [0, 1] of the tokens of all instances.

    Raises ZarpipeError: the corpus lacks what a policy needs, or a user's function is at fault.
    """
    product = np.ones(int(tokens.instances.offsets[-1]))
    for part in policy_parts(definition):
        product *= _weights(part, tokens)
    return product


def _weights(part: PolicyPart, tokens: InstanceTokens) -> Float64:
    module = part.load()
    options = part if part.file else module.Options.model_validate(dict(part.options))
    found: Float64 = module.weights(tokens, options)
    return found
