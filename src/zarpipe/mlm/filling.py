"""Filling of masks by the MLM: what it puts in the place of masked tokens (paper, Section 4.1).

A filled mask is one vocabulary entry, so that it is one subword when it is encoded. ``[UNK]`` and special
tokens are never picked.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from zarpipe.arrays import Float32, Float64, Int64, expand
from zarpipe.errors import ZarpipeError
from zarpipe.mlm.batches import Batches
from zarpipe.mlm.loading import FrozenMlm
from zarpipe.mlm.sequences import PieceTable, TokenSequences, distinct, replace_tokens, sentence_sequences
from zarpipe.progress import Progress

_log = logging.getLogger(__name__)

Fill = Literal["multi", "single"]

# One sequence per masked token is built for `single`; this many at a time keep memory small.
_SEQUENCES_AT_ONCE = 16384
# Scores of all vocabulary entries that are in memory at a time.
_SCORES_AT_ONCE = 1 << 23


@dataclass(frozen=True)
class Filled:
    """What was picked for each of M masks."""

    ids: Int64  # [M], vocabulary entries
    texts: list[str]  # their texts
    probabilities: Float32  # [M], what the MLM gave each among all entries


@torch.inference_mode()
def fill_masks(
    model: FrozenMlm,
    sources: TokenSequences,  # n sequences, unmasked
    pieces: PieceTable,  # the subwords of their tokens
    offsets: Int64,  # [n + 1], the masked tokens of sequence i are ``masked[offsets[i]:offsets[i + 1]]``
    masked: Int64,  # [M], token indices within the sequence
    # ``multi`` predicts all masks of a sequence at once; ``single`` one at a time, the other tokens being the
    # original ones
    fill: Fill,
    batch_tokens: int,  # subwords per batch
    # [M] in [0, 1), to draw from the MLM's distribution; None takes the most probable entry
    draws: Float64 | None = None,
) -> Filled:
    """Let the MLM pick a vocabulary entry for every masked token.

    Raises ZarpipeError: the model cannot predict tokens.
    """
    model.check_filling("filling masks needs")
    ask = _ask_at_once if fill == "multi" else _ask_one_by_one
    questions = ask(sources, offsets, masked, pieces, model)
    ids, probabilities = np.zeros(len(masked), np.int64), np.zeros(len(masked), np.float32)
    for masks, scores, which in _scores(questions, len(masked), pieces, model, batch_tokens):
        numbers = None if draws is None else torch.from_numpy(draws[masks]).to(scores.device)
        picked, probability = pick_entries(scores, which, _is_text(model, scores), numbers)
        ids[masks], probabilities[masks] = picked.cpu().numpy(), probability.cpu().numpy()
    texts = {identifier: model.subwords.text(identifier) for identifier in np.unique(ids).tolist()}
    return Filled(ids, [texts[identifier] for identifier in ids.tolist()], probabilities)


@dataclass(frozen=True)
class Word:
    """A vocabulary entry, and the probability that the MLM gives it among all entries."""

    text: str
    probability: float


@torch.inference_mode()
def top_words(
    model: FrozenMlm,
    sentences: Sequence[Sequence[str]],  # tokens of each sentence
    masked: Sequence[Sequence[int]],  # masked tokens of each sentence, ascending
    count: int,  # words per mask
    batch_tokens: int,  # subwords per batch
) -> list[list[list[Word]]]:
    """Mask tokens, all of a sentence at once as CDA with ``multi`` does, and ask for the most probable words.

    ``[UNK]`` and special tokens are left out, so that the first word is what CDA with ``argmax`` picks.

    Returns for each sentence and each of its masked tokens, words from the most probable on.

    Raises ZarpipeError: the model cannot predict tokens.
    """
    model.check_filling("examples need")
    pieces = PieceTable()
    column = pa.chunked_array([pa.array(sentences, pa.list_(pa.string()))])
    sources = sentence_sequences(column, model.subwords, pieces)
    offsets = np.concatenate([[0], np.cumsum([len(tokens) for tokens in masked])]).astype(np.int64)
    flat = np.array([token for tokens in masked for token in tokens], np.int64)
    questions = _ask_at_once(sources, offsets, flat, pieces, model)
    words: list[list[Word]] = [[] for _ in flat]
    for masks, scores, which in _scores(questions, len(flat), pieces, model, batch_tokens):
        probabilities = scores.softmax(dim=-1).masked_fill(~_is_text(model, scores), -1.0)[which]
        best = probabilities.topk(count, dim=-1)
        found = zip(masks.tolist(), best.indices.tolist(), best.values.tolist(), strict=True)
        for mask, entries, values in found:
            words[mask] = list(map(Word, map(model.subwords.text, entries), values))
    return [words[start:end] for start, end in itertools.pairwise(offsets.tolist())]


@torch.inference_mode()
def token_probabilities(
    model: FrozenMlm, sources: TokenSequences, pieces: PieceTable, batch_tokens: int
) -> Float32:
    """Mask every token by itself, and ask for the probability of the subword that represents it.

    A token that is several subwords is one mask, as everywhere; what is asked for is the subword whose hidden
    state represents it. ``[UNK]`` is never asked for: its probability is 0.

    Returns [N] float32, among all entries.

    Raises ZarpipeError: the model cannot predict tokens.
    """
    model.check_filling("probabilities of tokens need")
    masked = expand(np.zeros(len(sources), np.int64), sources.lengths)
    own = np.array([one.ids[one.representative] for one in pieces.table()], np.int64)[sources.codes]
    questions = _ask_one_by_one(sources, sources.offsets, masked, pieces, model)
    found = np.zeros(len(masked), np.float32)
    for masks, scores, which in _scores(questions, len(masked), pieces, model, batch_tokens):
        wanted = torch.from_numpy(own[masks]).to(scores.device)
        found[masks] = scores.softmax(dim=-1)[which, wanted].cpu().numpy()
    return np.where(own == model.subwords.unknown_id, np.float32(0), found)


@dataclass(frozen=True)
class _Questions:
    """Masked sequences, and which of their tokens are asked for."""

    sequences: TokenSequences  # distinct sequences, from long to short
    positions: Int64  # [q], flat token index in ``sequences`` of each question, ascending
    masks: Int64  # [q], the mask (index in ``masked``) that each question is about


def _ask_at_once(
    sources: TokenSequences, offsets: Int64, masked: Int64, pieces: PieceTable, model: FrozenMlm
) -> Iterator[_Questions]:
    """Ask for all masks of an instance in one sequence; equal sequences are asked once."""
    counts = np.diff(offsets)
    instances = np.flatnonzero(counts)
    sources, counts = sources.take(instances), counts[instances]
    starts = np.concatenate([[0], np.cumsum(counts)])
    whole = replace_tokens(sources, starts, masked, np.int64(pieces.code(model.subwords.mask())))
    first, inverse = distinct(whole.keys())
    sequences, rank = _long_to_short(whole.take(first), pieces)
    positions = sequences.offsets[np.repeat(rank[inverse], counts)] + masked
    order = np.argsort(positions, kind="stable")
    yield _Questions(sequences, positions[order], order)


def _ask_one_by_one(
    sources: TokenSequences, offsets: Int64, masked: Int64, pieces: PieceTable, model: FrozenMlm
) -> Iterator[_Questions]:
    """Ask for each masked token in a sequence of its own; one token of one sentence is asked for once."""
    first, sentence = distinct(sources.keys())
    sentences = sources.take(first)
    flat = sentences.offsets[np.repeat(sentence, np.diff(offsets))] + masked
    asked, inverse = np.unique(flat, return_inverse=True)
    owner = np.repeat(np.arange(len(sentences)), sentences.lengths)[asked]
    by_length: Int64 = np.lexsort((asked, -pieces.subwords(sentences).lengths[owner]))
    by_question = np.argsort(inverse, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(inverse, minlength=len(asked)))])
    mask_code = np.int64(pieces.code(model.subwords.mask()))
    for start in range(0, len(by_length), _SEQUENCES_AT_ONCE):
        chosen = by_length[start : start + _SEQUENCES_AT_ONCE]
        tokens = asked[chosen] - sentences.offsets[owner[chosen]]
        each = np.arange(len(chosen) + 1)
        whole = replace_tokens(sentences.take(owner[chosen]), each, tokens, mask_code)
        sequences, rank = _long_to_short(whole, pieces)
        masks = np.concatenate([by_question[bounds[one] : bounds[one + 1]] for one in chosen.tolist()])
        positions = np.repeat(sequences.offsets[rank] + tokens, np.diff(bounds)[chosen])
        order = np.argsort(positions, kind="stable")
        yield _Questions(sequences, positions[order], masks[order])


def _long_to_short(sequences: TokenSequences, pieces: PieceTable) -> tuple[TokenSequences, Int64]:
    """Sort sequences by their number of subwords; return also the new index of each."""
    order = np.argsort(-pieces.subwords(sequences).lengths, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return sequences.take(order), rank


def _scores(
    questions: Iterator[_Questions], count: int, pieces: PieceTable, model: FrozenMlm, batch_tokens: int
) -> Iterator[tuple[Int64, Tensor, Tensor]]:
    """Run the MLM over the questions' sequences; only what is asked for is projected to the vocabulary.

    Yields:
        [q] masks, [r, V] float32 scores, and [q] the row of each mask, on the device.
    """
    tokens, step = 0, max(1, _SCORES_AT_ONCE // model.subwords.size)
    with Progress("masks") as progress:
        for part in questions:
            batches = Batches(pieces.subwords(part.sequences), model, batch_tokens)
            tokens += len(part.sequences.codes)
            bounds = np.searchsorted(part.positions, batches.token_bounds)
            for batch in np.flatnonzero(np.diff(bounds)).tolist():
                here = slice(bounds[batch], bounds[batch + 1])
                positions = part.positions[here] - batches.token_bounds[batch]
                rows, which = np.unique(positions, return_inverse=True)
                hidden = batches.hidden(batch)[torch.from_numpy(rows).to(batches.device)]
                for start in range(0, len(hidden), step):
                    scores = model.scores(hidden[start : start + step]).float()
                    if not scores.amax(dim=-1).isfinite().all():
                        raise ZarpipeError(
                            f"mlm.path: {model.name} gives scores that are no numbers; choose another model, "
                            "or encoding.compute_dtype: float32"
                        )
                    asked = np.flatnonzero((which >= start) & (which < start + step))
                    row = torch.from_numpy(which[asked] - start).to(scores.device)
                    yield part.masks[here][asked], scores, row
                progress.advance(len(positions), count)
    _log.info("%d masks filled, %d tokens went through the model", count, tokens)


def pick_entries(
    scores: Tensor, which: Tensor, allowed: Tensor, draws: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Pick a vocabulary entry for each question.

    ``scores`` are [r, V] float32, ``which`` [q] int64 has the row of each question, ``allowed`` [V] bool the
    entries that may be picked. ``draws`` are [q] float64 in [0, 1), to sample from the distribution over
    these; None takes the most probable one.

    Returns [q] int64 entries, and [q] float32 the probability of each among all entries.
    """
    probabilities = scores.softmax(dim=-1)
    candidates = scores.masked_fill(~allowed, -torch.inf)
    if draws is None:
        picked = candidates.argmax(dim=-1)[which]
    else:
        cumulative = candidates.double().softmax(dim=-1).cumsum(dim=-1)[which]
        picked = torch.searchsorted(cumulative, (draws * cumulative[:, -1])[:, None], right=True)[:, 0]
    return picked, probabilities[which, picked]


def _is_text(model: FrozenMlm, scores: Tensor) -> Tensor:
    """Return [V] bool: entries that are text (some models have more scores than vocabulary entries)."""
    allowed = torch.zeros(scores.shape[-1], dtype=torch.bool)
    allowed[: model.subwords.size] = True
    allowed[[entry for entry in model.subwords.never_picked if entry < len(allowed)]] = False
    return allowed.to(scores.device)
