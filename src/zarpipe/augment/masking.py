"""``[MASK]``-based augmentation with linguistically-controlled masking (paper, Sections 4.2 and 4.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zarpipe.arrays import Bool, Float64, Int64
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.config.augmentation import MaskDraws
from zarpipe.formats.corpus_tags import tokens_in
from zarpipe.task.draws import numbered, uniform_numbers
from zarpipe.task.tagsets import PosSet

_ABOVE = 1e-9  # relative: a product with a rounded alpha stays above the number


@dataclass(frozen=True)
class Masks:
    """Which tokens of each instance are masked."""

    offsets: Int64  # [n + 1], first entry of each instance in ``tokens``
    tokens: Int64  # [M], token indices within the sentence, ascending within an instance


def draw_masks(
    tokens: InstanceTokens, weights: Float64, alpha: float, draws: MaskDraws, draw_number: int = 1
) -> Masks:
    """Draw the masks of all instances, each token with its own weight.

    The same numbers serve all weights and every alpha, so masks are nested in both.

    ``weights``: [N] from 0 to 1; for a POS set 1 in the set and 0 elsewhere (`in_set`). ``alpha``: the
    masking probability of a token of weight 1.
    """
    return masks_of(tokens, weights, alpha, numbers_of(tokens, draws, draw_number))


def in_set(tokens: InstanceTokens, pos_set: PosSet) -> Float64:
    """Return [N] float64 weights: 1 for tokens in a POS set, 0 for all others."""
    return tokens_in(pos_set, tokens.corpus)[tokens.in_corpus].astype(np.float64)


def numbers_of(
    tokens: InstanceTokens, draws: MaskDraws, draw_number: int = 1, purpose: str = "mask"
) -> Float64:
    """Return one uniform number per token of each instance: [N] float64."""
    instances, sent_ids = tokens.instances, tokens.corpus["sent_id"].to_pylist()
    purpose = numbered(purpose, draw_number)
    targets = instances.predicate.tolist() if draws.draw == "predicate" else [None] * len(instances)
    owners = zip(instances.sentence.tolist(), targets, instances.lengths.tolist(), strict=True)
    numbers = [
        uniform_numbers(draws.seed, sent_ids[sentence], target, length, purpose)
        for sentence, target, length in owners
    ]
    return np.concatenate([*numbers, np.zeros(0)])


def masks_of(tokens: InstanceTokens, weights: Float64, alpha: float, numbers: Float64) -> Masks:
    """Return the masks that [N] numbers give; the other arguments as of `draw_masks`."""
    masked = select_masked(numbers, alpha, weights, tokens.is_target)
    counts = np.bincount(tokens.instance[masked], minlength=len(tokens.instances))
    return Masks(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), tokens.position[masked])


def select_masked(numbers: Float64, alpha: float, weights: Float64 | Bool, is_target: Bool) -> Bool:
    """Mask a token iff its number is below alpha times its weight, and it is not the target."""
    return (numbers < alpha * weights) & ~is_target


def alpha_of_share(numbers: Float64, weights: Float64, is_target: Bool, masked: int) -> float | None:
    """Return the alpha at which ``masked`` tokens are masked.

    Token i is masked at every alpha above u_i / w_i. So the alpha of M masked tokens is the ratio of rank M
    (from 0), which masks all smaller ones.

    Returns the alpha, which may lie above 1; None where no alpha masks so many.
    """
    maskable = (weights > 0) & ~is_target
    ratios = np.sort(numbers[maskable] / weights[maskable])
    if masked == 0:
        return 0.0
    if masked < len(ratios):
        alpha = float(ratios[masked])
        # The product of a rounded ratio may lie above the number.
        while select_masked(numbers, alpha, weights, is_target).sum() > masked:
            alpha = float(np.nextafter(alpha, 0))
        return alpha
    return float(np.nextafter(ratios[-1] * (1 + _ABOVE), np.inf)) if masked == len(ratios) else None
