"""Policy ``surprisal``: tokens that the MLM finds easy, or hard.

With p = the probability that the MLM gives a token where it is masked by itself, the weight is p, or 1 - p
(`prefer: hard`).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from zarpipe.arrays import Float64, expand
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.config.values import Section
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.token_probabilities import read_token_probabilities


class Options(Section):
    """Which tokens."""

    prefer: Literal["easy", "hard"] = "hard"
    """easy: the probability of the token. hard: one minus it."""


def weights(tokens: InstanceTokens, options: Options) -> Float64:
    """Return [N] float64. Raises ZarpipeError without the file of probabilities of this corpus."""
    if tokens.probabilities is None:
        raise ZarpipeError(
            "--token-probabilities: found nothing; the policy surprisal needs the file of "
            "`zarpipe token-probabilities`"
        )
    offsets, found = read_token_probabilities(tokens.probabilities, file_digest(tokens.path))
    # The file has the sentences that have instances, in their order.
    _, sentence = np.unique(tokens.instances.sentence, return_inverse=True)
    easy = found[expand(offsets[sentence], tokens.instances.lengths)].astype(np.float64)
    return easy if options.prefer == "easy" else 1 - easy
