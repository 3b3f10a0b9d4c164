"""How probable the MLM finds each token of a corpus: ``zarpipe token-probabilities``.

Each token is masked by itself, the others being the original ones. That costs a sequence for each token, as
CDA with `single` does at alpha 1, where one pass over the sentences would do without masks. But an MLM that
sees a token gives it nearly all the probability: without a mask there is no surprisal (Salazar et al. 2020,
Masked language model scoring, call the sum of these logarithms the pseudo-log-likelihood).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.files import file_digest
from zarpipe.formats.corpus import instances_of, read_corpus
from zarpipe.formats.token_probabilities import write_token_probabilities
from zarpipe.mlm.filling import token_probabilities
from zarpipe.mlm.loading import load_mlm
from zarpipe.mlm.sequences import PieceTable, sentence_sequences


def write_probabilities(
    corpus: Path, output: Path, mlm: MlmConfig, encoding: EncodingConfig, threads: int = 1
) -> None:
    """Write the probability of every token of the sentences that have a target predicate.

    Raises:
        ZarpipeError: the corpus or the model cannot be used.
    """
    torch.set_num_threads(threads)
    model = load_mlm(mlm, encoding)
    table = read_corpus(corpus, ["sent_id", "tokens", "bunsetsu", "heads", "predicates"])
    sentences = np.unique(instances_of(table).sentence)
    pieces = PieceTable()
    sources = sentence_sequences(table["tokens"], model.subwords, pieces).take(sentences)
    found = token_probabilities(model, sources, pieces, encoding.batch_tokens)
    sent_ids = table["sent_id"].take(sentences)
    write_token_probabilities(output, sent_ids, sources.offsets, found, file_digest(corpus))
