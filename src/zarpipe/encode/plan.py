"""What one feature file will hold: the distinct sequences of a corpus or a variant, and who uses which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zarpipe.arrays import Int64
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.features import Features, token_states
from zarpipe.mlm.inputs import CorpusSequences
from zarpipe.mlm.loading import FrozenMlm
from zarpipe.mlm.sequences import SubwordSequences, distinct


@dataclass(frozen=True)
class Plan:
    """The distinct sequences of one feature file, from long to short."""

    corpus: Path
    corpus_digest: str  # its SHA-256
    variant_digest: str | None  # SHA-256 of the variant Parquet, or None
    originals_digest: str | None  # digest of the originals' features, or None
    sequences: SubwordSequences  # [S] sequences to encode
    instance_sequence: Int64  # [n], as stored in the feature file
    example: Int64  # [S], an instance that uses each sequence
    sentence: Int64  # [n], sentence of each instance

    def describe_token(self, token: int) -> str:
        """Name a token of the sequences by sentence, index and surface, for a message."""
        sequence = int(np.searchsorted(self.sequences.token_offsets, token, side="right")) - 1
        index = token - int(self.sequences.token_offsets[sequence])
        row = int(self.sentence[self.example[sequence]])
        table = read_corpus(self.corpus, ["sent_id", "tokens"]).slice(row, 1).to_pylist()[0]
        return f"sentence {table['sent_id']}, token {index} ({table['tokens'][index]!r})"


def plan_encoding(
    corpus: Path,
    mlm: FrozenMlm,  # the model, for its tokenizer
    variant: Path | None = None,  # variant Parquet of that corpus; None encodes the original sentences
    # the original sentences' feature file. Instances whose sequence is in it point there, and it is not
    # encoded again. None encodes all that the variant needs.
    originals: Path | None = None,
    # what stands for a token, as in the provenance of features (None: as in the paper)
    states: Mapping[str, Any] | None = None,
    # encode every sentence, each once, instead of those of the instances. The plan's instances are then the
    # sentences.
    all_sentences: bool = False,
) -> Plan:
    """Find the distinct sequences that must be encoded.

    Raises ZarpipeError: a file is damaged, or does not belong to the corpus or to this model.
    """
    read = CorpusSequences.read(corpus, mlm)
    sources = read.of_instances()
    keys, wanted, known = sources.keys(), sources, dict[bytes, int]()
    changes = None if variant is None else read.variant(variant)
    sentence = read.instances.sentence
    if changes is not None:
        wanted = read.copies(changes)
    elif all_sentences:
        wanted, sentence = read.sentences, np.arange(len(read.sentences))
    original_features = None
    if originals is not None:
        original_features = _open_originals(originals, read.digest, mlm, states or {})
        known = dict(zip(keys, original_features.instance_sequence.tolist(), strict=True))
    numbers, example = _number_sequences(wanted.keys(), known, read.pieces.subwords(wanted).lengths)
    return Plan(
        corpus=corpus,
        corpus_digest=read.digest,
        variant_digest=file_digest(variant) if variant is not None else None,
        originals_digest=None if original_features is None else original_features.provenance["digest"],
        sequences=read.pieces.subwords(wanted.take(example)),
        instance_sequence=numbers,
        example=example,
        sentence=sentence,
    )


def _number_sequences(keys: list[bytes], known: dict[bytes, int], lengths: Int64) -> tuple[Int64, Int64]:
    """Number the distinct sequences that are not in the originals' file, from long to short.

    Returns [n] the sequence of each instance (negative: in the originals' file), and [S] an instance of each.
    """
    numbers = np.array([-1 - known[key] if key in known else 0 for key in keys], np.int64)
    new = np.flatnonzero(numbers == 0)
    first, inverse = distinct([keys[instance] for instance in new.tolist()])
    example = new[first]
    order = np.lexsort((example, -lengths[example]))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    numbers[new] = rank[inverse]
    return numbers, example[order]


def _open_originals(path: Path, corpus_digest: str, mlm: FrozenMlm, states: Mapping[str, Any]) -> Features:
    features = Features.open(path)
    features.check_corpus(corpus_digest)
    found = {**features.provenance, **token_states(features.provenance)}
    if found.get("variant") is not None:
        raise ZarpipeError(f"{path}: holds a variant; give the features of the original sentences")
    dtype = str(mlm.dtype).removeprefix("torch.")
    wanted = {"mlm_digest": mlm.digest, "compute_dtype": dtype, **token_states(states)}
    for key, value in wanted.items():
        if found.get(key) != value:
            raise ZarpipeError(
                f"{path}: made with another {key} ({str(found.get(key))[:12]}, now {str(value)[:12]}); "
                "encode the original sentences again with this model and these settings"
            )
    return features
