"""Makes one variant of the training instances: ``zarpipe augment``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from zarpipe.arrays import Float64
from zarpipe.augment.masking import Masks, alpha_of_share, in_set, masks_of, numbers_of, select_masked
from zarpipe.augment.policies.product import policy_weights
from zarpipe.augment.policies.tokens import InstanceTokens, MlmRun
from zarpipe.config.augmentation import MaskDraws
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.corpus import instances_of, read_corpus
from zarpipe.formats.corpus_tags import resolved_sets
from zarpipe.formats.variant import Replacements, write_variant
from zarpipe.study.recipe import Variant

_log = logging.getLogger(__name__)

# What stands in the place of each masked token, as `zarpipe.augment.cda.predict_replacements` returns it.
FillMasks = Callable[[InstanceTokens, Masks], Replacements]


def build_variant(
    corpus_path: Path,  # corpus Parquet of the training split
    output: Path,
    variant: Variant,
    draws: MaskDraws,
    fill_masks: FillMasks | None = None,  # how CDA fills the masks; None for ``[MASK]``-based augmentation
    # POS sets beside those of the paper, as in the configuration's ``pos_sets``
    definitions: Mapping[str, Any] | None = None,
    # definition of the variant's policy in plain form, as in ``policies``; None for a POS set
    policy: Mapping[str, Any] | None = None,
    mlm: MlmRun | None = None,  # what the policy ``surprisal`` asks
) -> None:
    """Draw the masks of every instance of a corpus Parquet and write them, with CDA's replacements if asked.

    Raises ZarpipeError: the corpus cannot be read, has no predicate, has no tag that the POS set knows, or
    lacks what the policy needs; the user's policy is at fault; or it cannot mask so many tokens.
    """
    tokens = _tokens(corpus_path, definitions or {}, mlm)
    weights = _weights(tokens, variant, definitions or {}, policy)
    if policy is not None and not (weights[~tokens.is_target] > 0).any():
        _log.warning("%s: the policy %s masks no token: all its weights are 0", corpus_path, variant.masks)
    numbers = numbers_of(tokens, draws, variant.draw_number)
    alpha = float(variant.alpha)
    if variant.match:
        alpha = _matched_alpha(tokens, weights, alpha, numbers, variant.masks)
    masks = masks_of(tokens, weights, alpha, numbers)
    write_variant(
        output,
        tokens.corpus["sent_id"].take(tokens.instances.sentence).to_pylist(),
        tokens.instances.predicate,
        masks.offsets,
        masks.tokens,
        file_digest(corpus_path),
        fill_masks(tokens, masks) if fill_masks else None,
        _settings(variant, draws, policy, alpha),
    )
    total = int(tokens.instances.offsets[-1])
    _log.info(
        "%s: alpha %.4f, %d instances, %d of %d tokens masked (%.2f %%)",
        output,
        alpha,
        len(tokens.instances),
        len(masks.tokens),
        total,
        100 * len(masks.tokens) / total,
    )


def _tokens(path: Path, definitions: Mapping[str, Any], mlm: MlmRun | None) -> InstanceTokens:
    """Read the tokens of a corpus's instances."""
    corpus = read_corpus(path)
    instances = instances_of(corpus)
    if not len(instances):
        raise ZarpipeError(
            f"{path}: no target predicate in this file, so there is nothing to augment; "
            "check the corpus and the document limits"
        )
    return InstanceTokens(corpus, instances, path, definitions, mlm)


def _weights(
    tokens: InstanceTokens, variant: Variant, definitions: Mapping[str, Any], policy: Mapping[str, Any] | None
) -> Float64:
    """Return how willingly each token is masked: [N] float64."""
    if policy is not None:
        return policy_weights(policy, tokens)
    (chosen,) = resolved_sets(tokens.corpus, tokens.path, [variant.pos_set], definitions)
    return in_set(tokens, chosen)


def _settings(
    variant: Variant, draws: MaskDraws, policy: Mapping[str, Any] | None, own_alpha: float
) -> dict[str, Any]:
    """Return what a variant's file says of how it was made."""
    masks = {"pos_set": variant.pos_set} if policy is None else {"policy": policy}
    matched = {"match": variant.match, "own_alpha": own_alpha} if variant.match else {}
    drawn = {"seed": draws.seed, "draw": draws.draw, "draw_number": variant.draw_number}
    return {**masks, "alpha": float(variant.alpha), **drawn, **matched}


def _matched_alpha(
    tokens: InstanceTokens, weights: Float64, alpha: float, numbers: Float64, policy: str
) -> float:
    """Return the alpha of the same share as all tokens have at ``alpha``. Raises ZarpipeError for none."""
    is_target = tokens.is_target
    wanted = int(select_masked(numbers, alpha, np.ones(len(numbers)), is_target).sum())
    found = alpha_of_share(numbers, weights, is_target, wanted)
    if found is None:
        most = int(((weights > 0) & ~is_target).sum())
        raise ZarpipeError(
            f"{tokens.path}: {policy} can mask {100 * most / len(numbers):.2f} % of the tokens, no more, but "
            f"`all` masks {100 * wanted / len(numbers):.2f} % at alpha {alpha:g} (`match: share`); expected "
            "a policy that reaches this share, or smaller alphas"
        )
    return found
