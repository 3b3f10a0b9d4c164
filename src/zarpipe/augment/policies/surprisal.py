"""Policy ``surprisal``: tokens that the MLM finds easy, or hard.

With p = the probability that the MLM gives a token where it is masked by itself, the weight is p, or 1 - p
(`prefer: hard`).

Each token is masked by itself, the others being the original ones. That costs a sequence for each token, as
CDA with `single` does at alpha 1, where one pass over the sentences would do without masks. But an MLM that
sees a token gives it nearly all the probability: without a mask there is no surprisal (Salazar et al. 2020,
Masked language model scoring, call the sum of these logarithms the pseudo-log-likelihood).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from zarpipe.arrays import Float64, expand
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.config.values import Section
from zarpipe.errors import ZarpipeError


class Options(Section):
    """Which tokens."""

    prefer: Literal["easy", "hard"] = "hard"
    """easy: the probability of the token. hard: one minus it."""


def weights(tokens: InstanceTokens, options: Options) -> Float64:
    """Return [N] float64. Raises ZarpipeError without an MLM, or if it cannot be used."""
    if tokens.mlm is None:
        raise ZarpipeError("the policy surprisal needs a masked language model: give it with --mlm")
    # Not at the top: the configuration reads the options, and needs no PyTorch.
    import torch

    from zarpipe.mlm.filling import token_probabilities
    from zarpipe.mlm.loading import load_mlm
    from zarpipe.mlm.sequences import PieceTable, sentence_sequences

    torch.set_num_threads(tokens.mlm.threads)
    model, pieces = load_mlm(tokens.mlm.mlm, tokens.mlm.encoding), PieceTable()
    asked, sentence = np.unique(tokens.instances.sentence, return_inverse=True)
    sources = sentence_sequences(tokens.corpus["tokens"], model.subwords, pieces).take(asked)
    found = token_probabilities(model, sources, pieces, tokens.mlm.encoding.batch_tokens)
    easy = found[expand(sources.offsets[sentence], tokens.instances.lengths)].astype(np.float64)
    return easy if options.prefer == "easy" else 1 - easy
