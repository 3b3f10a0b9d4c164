"""Contextual data augmentation: masked tokens are replaced by what the MLM predicts (paper, Section 4.1)."""

from __future__ import annotations

import numpy as np
import torch

from zarpipe.augment.masking import Masks, numbers_of
from zarpipe.augment.policies.tokens import InstanceTokens, MlmRun
from zarpipe.config.augmentation import MaskDraws
from zarpipe.formats.variant import Replacements
from zarpipe.mlm.filling import fill_masks
from zarpipe.mlm.loading import load_mlm
from zarpipe.mlm.sequences import PieceTable, sentence_sequences
from zarpipe.study.recipe import Variant


def predict_replacements(
    tokens: InstanceTokens, masks: Masks, mlm: MlmRun, variant: Variant, seed: int
) -> Replacements:
    """Let the MLM pick a vocabulary entry for every masked token.

    The variant says whether all masks of an instance are filled at once, or one at a time with the other
    tokens original (``fill``), and whether the most probable entry is picked, or one is drawn with a
    number that belongs to the instance and the position (``pick``), so that neither order nor batches
    matter.

    Raises ZarpipeError: the model cannot be used.
    """
    torch.set_num_threads(mlm.threads)
    model, pieces = load_mlm(mlm.mlm, mlm.encoding), PieceTable()
    instances = tokens.instances
    sources = sentence_sequences(tokens.corpus["tokens"], model.subwords, pieces).take(instances.sentence)
    drawn = None
    if variant.pick == "sample":
        numbers = numbers_of(tokens, MaskDraws(seed=seed), variant.draw_number, "cda")
        drawn = numbers[np.repeat(instances.offsets[:-1], np.diff(masks.offsets)) + masks.tokens]
    fill, batch_tokens = variant.fill or "multi", mlm.encoding.batch_tokens
    filled = fill_masks(model, sources, pieces, masks.offsets, masks.tokens, fill, batch_tokens, drawn)
    how = {"fill": fill, "pick": variant.pick or "argmax"}
    return Replacements(filled.ids, filled.texts, filled.probabilities, how)
