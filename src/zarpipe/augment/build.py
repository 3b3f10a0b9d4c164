"""Makes one variant of the training instances: ``zarpipe augment``."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from zarpipe.arrays import Float64, Int64
from zarpipe.augment.masking import (
    Draw,
    alpha_of_share,
    in_set,
    masks_of,
    numbers_of,
    select_masked,
)
from zarpipe.augment.policies.product import policy_weights
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.corpus import instances_of, read_corpus
from zarpipe.formats.corpus_tags import resolved_sets
from zarpipe.formats.variant import Replacements, write_variant

_log = logging.getLogger(__name__)


class FillMasks(Protocol):
    """Fills the masks of a corpus, as `zarpipe.augment.cda.predict_replacements` does."""

    def __call__(
        self, corpus: Path, offsets: Int64, masked: Int64, *, seed: int, draw_number: int
    ) -> Replacements:
        """Return what stands in the place of each masked token."""


def build_variant(
    corpus_path: Path,
    output: Path,
    pos_set: str,
    alpha: float,
    seed: int,
    draw: Draw,
    fill_masks: FillMasks | None = None,
    definitions: Mapping[str, Any] | None = None,
    policy: Mapping[str, Any] | None = None,
    policy_name: str | None = None,
    draw_number: int = 1,
    match: bool = False,
    probabilities: Path | None = None,
) -> None:
    """Draw the masks of every instance of a corpus Parquet and write them, with CDA's replacements if asked.

    Args:
        corpus_path: corpus Parquet of the training split.
        output: variant Parquet to write.
        pos_set: name of the POS set that may be masked; means nothing with a policy.
        alpha: masking probability.
        seed: mask seed.
        draw: one number per predicate, or per sentence.
        fill_masks: how CDA fills the masks; None for ``[MASK]``-based augmentation.
        definitions: POS sets beside those of the paper, as in the configuration's ``pos_sets``.
        policy: definition of the policy that weighs the tokens, in plain form, as in ``policies``.
        policy_name: its name, for messages.
        draw_number: which of several independent draws.
        match: mask as many tokens as the POS set `all` has masked at this alpha, whatever the weights.
        probabilities: file of the MLM's token probabilities, for the policy ``surprisal``.

    Raises:
        ZarpipeError: the corpus cannot be read, has no predicate, has no tag that the POS set knows, or lacks
            what the policy needs; the user's policy is at fault; or it cannot mask so many tokens.
    """
    corpus = read_corpus(corpus_path)
    instances = instances_of(corpus)
    if not len(instances):
        raise ZarpipeError(
            f"{corpus_path}: no target predicate in this file, so there is nothing to augment; "
            "check the corpus and the document limits"
        )
    tokens = InstanceTokens(corpus, instances, corpus_path, definitions or {}, probabilities)
    if policy is None:
        (chosen,) = resolved_sets(corpus, corpus_path, [pos_set], definitions or {})
        weights = in_set(tokens, chosen)
    else:
        weights = policy_weights(policy, tokens)
    name = policy_name or pos_set
    numbers = numbers_of(tokens, seed, draw, draw_number)
    own_alpha = _matched_alpha(tokens, weights, alpha, numbers, name) if match else alpha
    masks = masks_of(tokens, weights, own_alpha, numbers)
    replacements = None
    if fill_masks is not None:
        replacements = fill_masks(
            corpus_path, masks.offsets, masks.tokens, seed=seed, draw_number=draw_number
        )
    sent_ids = corpus["sent_id"].take(instances.sentence).to_pylist()
    write_variant(
        output,
        sent_ids,
        instances.predicate,
        masks.offsets,
        masks.tokens,
        file_digest(corpus_path),
        replacements,
        {
            **({"pos_set": pos_set} if policy is None else {"policy": policy}),
            "alpha": alpha,
            "seed": seed,
            "draw": draw,
            "draw_number": draw_number,
            **({"match": "share", "own_alpha": own_alpha} if match else {}),
        },
    )
    total = int(instances.offsets[-1])
    _log.info(
        "%s: alpha %.4f, %d instances, %d of %d tokens masked (%.2f %%)",
        output,
        own_alpha,
        len(instances),
        len(masks.tokens),
        total,
        100 * len(masks.tokens) / total,
    )


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
