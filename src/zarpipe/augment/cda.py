"""Contextual data augmentation: masked tokens are replaced by what the MLM predicts (paper, Section 4.1)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import torch

from zarpipe.arrays import Float64, Int64
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.formats.corpus import instances_of, read_corpus
from zarpipe.formats.variant import Replacements
from zarpipe.mlm.filling import Fill, fill_masks
from zarpipe.mlm.loading import load_mlm
from zarpipe.mlm.sequences import PieceTable, sentence_sequences
from zarpipe.task.draws import numbered, uniform_numbers
from zarpipe.task.instances import Instances


def predict_replacements(
    corpus: Path,
    offsets: Int64,
    masked: Int64,
    mlm: MlmConfig,
    encoding: EncodingConfig,
    fill: Fill = "multi",
    pick: Literal["argmax", "sample"] = "argmax",
    seed: int = 1,
    draw_number: int = 1,
    threads: int = 1,
) -> Replacements:
    """Let the MLM pick a vocabulary entry for every masked token of a corpus' instances.

    Args:
        corpus: corpus Parquet.
        offsets: [n + 1] int64, the masked tokens of instance i are ``masked[offsets[i]:offsets[i + 1]]``.
        masked: [M] int64, token indices within the sentence.
        mlm: the masked language model.
        encoding: how it is run.
        fill: all masks of an instance at once, or one at a time with the other tokens original.
        pick: ``argmax`` takes the most probable entry; ``sample`` draws one, with a number that belongs to
            the instance and the position, so that neither order nor batches matter.
        seed: seed of the draws.
        draw_number: which of several independent draws.
        threads: CPU threads.

    Raises:
        ZarpipeError: the corpus or the model cannot be used.
    """
    torch.set_num_threads(threads)
    model = load_mlm(mlm, encoding)
    table = read_corpus(corpus, ["sent_id", "tokens", "bunsetsu", "heads", "predicates"])
    instances = instances_of(table)
    pieces = PieceTable()
    sources = sentence_sequences(table["tokens"], model.subwords, pieces).take(instances.sentence)
    draws = None
    if pick == "sample":
        sent_ids = table["sent_id"].to_pylist()
        draws = _draws(sent_ids, instances, offsets, masked, seed, numbered("cda", draw_number))
    filled = fill_masks(model, sources, pieces, offsets, masked, fill, encoding.batch_tokens, draws)
    how = {"fill": fill, "pick": pick}
    return Replacements(filled.ids, filled.texts, filled.probabilities, how)


def _draws(
    sent_ids: list[str], instances: Instances, offsets: Int64, masked: Int64, seed: int, purpose: str
) -> Float64:
    """Return [M] numbers in [0, 1), one per masked token, that belong to instance and position."""
    draws = np.empty(len(masked), np.float64)
    owners = zip(instances.sentence.tolist(), instances.predicate.tolist(), strict=True)
    for instance, (sentence, predicate) in enumerate(owners):
        here = slice(offsets[instance], offsets[instance + 1])
        length = int(instances.lengths[instance])
        draws[here] = uniform_numbers(seed, sent_ids[sentence], predicate, length, purpose)[masked[here]]
    return draws
