"""``[MASK]``-based augmentation with linguistically-controlled masking (paper, Sections 4.2 and 4.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from zarpipe.arrays import Bool, Float64, Int64
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.formats.corpus_tags import tokens_in
from zarpipe.task.draws import numbered, uniform_numbers
from zarpipe.task.instances import Instances
from zarpipe.task.tagsets import PosSet

Draw = Literal["predicate", "sentence"]
_ABOVE = 1e-9  # relative: a product with a rounded alpha stays above the number


@dataclass(frozen=True)
class Masks:
    """Which tokens of each instance are masked.

    Attributes:
        offsets: [n + 1] int64, first entry of each instance in ``tokens``.
        tokens: [M] int64, token indices within the sentence, ascending within an instance.
    """

    offsets: Int64
    tokens: Int64


def mask_instances(
    corpus: pa.Table, instances: Instances, pos_set: PosSet, alpha: float, seed: int, draw: Draw = "predicate"
) -> Masks:
    """Draw the masks of all instances, of tokens in a POS set.

    The same numbers serve every POS set and every alpha, so masks are nested in both.

    Args:
        corpus: table with ``sent_id``, ``pos`` and, for a set with sub parts of speech, ``pos_sub``.
        instances: the instances of that table.
        pos_set: the POS set for the corpus's tagset (`zarpipe.task.tagsets.resolve`); other tokens are kept.
        alpha: masking probability of each token in the set.
        seed: mask seed.
        draw: ``predicate`` for one number per (sentence, predicate, token), ``sentence`` for one per
            (sentence, token).
    """
    tokens = InstanceTokens(corpus, instances, "the corpus", {})
    return draw_masks(tokens, in_set(tokens, pos_set), alpha, seed, draw)


def in_set(tokens: InstanceTokens, pos_set: PosSet) -> Float64:
    """Return [N] float64 weights: 1 for tokens in a POS set, 0 for all others."""
    return tokens_in(pos_set, tokens.corpus)[tokens.in_corpus].astype(np.float64)


def draw_masks(
    tokens: InstanceTokens,
    weights: Float64,
    alpha: float,
    seed: int,
    draw: Draw = "predicate",
    draw_number: int = 1,
) -> Masks:
    """Draw the masks of all instances, each token with its own weight.

    Args:
        tokens: the tokens of the instances.
        weights: [N] float64 from 0 to 1.
        alpha: masking probability of a token of weight 1.
        seed: mask seed.
        draw: as for `mask_instances`.
        draw_number: which of several independent draws.
    """
    return masks_of(tokens, weights, alpha, numbers_of(tokens, seed, draw, draw_number))


def numbers_of(tokens: InstanceTokens, seed: int, draw: Draw, draw_number: int) -> Float64:
    """Return one uniform number per token of each instance: [N] float64."""
    return draw_numbers(tokens.corpus["sent_id"].to_pylist(), tokens.instances, seed, draw, draw_number)


def alpha_of_share(numbers: Float64, weights: Float64, is_target: Bool, masked: int) -> float | None:
    """Return the alpha at which ``masked`` tokens are masked.

    Token i is masked at every alpha above u_i / w_i. So the alpha of M masked tokens is the ratio of rank M
    (from 0), which masks all smaller ones.

    Returns:
        The alpha, which may lie above 1; None where no alpha masks so many.
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


def masks_of(tokens: InstanceTokens, weights: Float64, alpha: float, numbers: Float64) -> Masks:
    """Return the masks that these numbers give; arguments as of `draw_masks`, [N] float64 numbers."""
    masked = select_masked(numbers, alpha, weights, tokens.is_target)
    counts = np.bincount(tokens.instance[masked], minlength=len(tokens.instances))
    return Masks(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), tokens.position[masked])


def select_masked(numbers: Float64, alpha: float, weights: Float64 | Bool, is_target: Bool) -> Bool:
    """Mask a token iff its number is below alpha times its weight, and it is not the target.

    For a POS set the weight is 1 in the set and 0 elsewhere.
    """
    return (numbers < alpha * weights) & ~is_target


def draw_numbers(
    sent_ids: list[str], instances: Instances, seed: int, draw: Draw, draw_number: int = 1
) -> Float64:
    """Return one uniform number per token of each instance: [N] float64."""
    purpose = numbered("mask", draw_number)
    numbers = np.empty(int(instances.offsets[-1]), np.float64)
    for index, (sentence, predicate) in enumerate(zip(instances.sentence, instances.predicate, strict=True)):
        start, end = instances.offsets[index], instances.offsets[index + 1]
        target = int(predicate) if draw == "predicate" else None
        numbers[start:end] = uniform_numbers(seed, sent_ids[sentence], target, int(end - start), purpose)
    return numbers
