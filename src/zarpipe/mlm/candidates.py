"""What the MLM would put where tokens are masked: its most probable words for each mask."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from zarpipe.errors import ZarpipeError
from zarpipe.mlm.batches import Batches
from zarpipe.mlm.loading import FrozenMlm
from zarpipe.mlm.sequences import PieceTable, replace_tokens, sentence_sequences


@dataclass(frozen=True)
class Word:
    """A vocabulary entry, and the probability that the MLM gives it among all entries."""

    text: str
    probability: float


def top_words(
    model: FrozenMlm,
    sentences: Sequence[Sequence[str]],
    masked: Sequence[Sequence[int]],
    count: int,
    batch_tokens: int,
) -> list[list[list[Word]]]:
    """Mask tokens, all of a sentence at once as CDA with ``multi`` does, and ask for the most probable words.

    ``[UNK]`` and special tokens are left out, so that the first word is what CDA with ``argmax`` picks.

    Args:
        model: the masked language model.
        sentences: tokens of each sentence.
        masked: masked tokens of each sentence, ascending.
        count: words per mask.
        batch_tokens: subwords per batch.

    Returns:
        For each sentence and each of its masked tokens, words from the most probable on.

    Raises:
        ZarpipeError: the model cannot predict tokens.
    """
    if not model.head_is_trained:
        raise ZarpipeError(
            f"mlm.path: {model.name} has no trained vocabulary projection, so it cannot predict tokens; "
            "examples need the masked language model's complete checkpoint"
        )
    counts = np.array([len(tokens) for tokens in masked], np.int64)
    if not counts.sum():
        return [[] for _ in sentences]
    words = _words(model, model.scores(_hidden_of_masks(model, sentences, masked, batch_tokens)), count)
    bounds = np.concatenate([[0], np.cumsum(counts)])
    return [words[start:end] for start, end in itertools.pairwise(bounds.tolist())]


def _words(model: FrozenMlm, scores: Tensor, count: int) -> list[list[Word]]:
    """Return the most probable words of each row of scores [masks, V]."""
    probabilities = scores.float().softmax(dim=-1).masked_fill(~model.text_entries(scores), -1.0)
    best = probabilities.topk(count, dim=-1)
    return [
        [
            Word(model.subwords.text(entry), probability)
            for entry, probability in zip(entries, values, strict=True)
        ]
        for entries, values in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]


@torch.inference_mode()
def _hidden_of_masks(
    model: FrozenMlm, sentences: Sequence[Sequence[str]], masked: Sequence[Sequence[int]], batch_tokens: int
) -> Tensor:
    """Return the hidden state of every mask, sentence by sentence: [masks, D]."""
    pieces = PieceTable()
    column = pa.chunked_array([pa.array(sentences, pa.list_(pa.string()))])
    offsets = np.concatenate([[0], np.cumsum([len(tokens) for tokens in masked])]).astype(np.int64)
    flat = np.array([token for tokens in masked for token in tokens], np.int64)
    originals = sentence_sequences(column, model.subwords, pieces)
    whole = replace_tokens(originals, offsets, flat, np.int64(pieces.code(model.subwords.mask())))
    order = np.argsort(-pieces.subwords(whole).lengths, kind="stable")
    rank = np.argsort(order)
    sequences = whole.take(order)
    batches = Batches(pieces.subwords(sequences), model, batch_tokens)
    hidden = torch.cat([batches.hidden(batch) for batch in range(len(batches))])
    positions = sequences.offsets[np.repeat(rank, np.diff(offsets))] + flat
    return hidden[torch.from_numpy(positions).to(hidden.device)]
