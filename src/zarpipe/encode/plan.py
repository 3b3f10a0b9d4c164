"""What one feature file will hold: the distinct sequences of a corpus or a variant, and who uses which."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zarpipe.arrays import Int64
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.corpus import instances_of, read_corpus
from zarpipe.formats.features import Features, token_states
from zarpipe.formats.variant import Variant, read_variant
from zarpipe.mlm.loading import FrozenMlm
from zarpipe.mlm.sequences import (
    PieceTable,
    SubwordSequences,
    TokenSequences,
    distinct,
    replace_tokens,
    sentence_sequences,
)
from zarpipe.mlm.subwords import Pieces
from zarpipe.task.instances import Instances

_log = logging.getLogger(__name__)


# A model that knows less of the corpus than this leaves out what its tokens say.
_UNKNOWN_RATE = 0.01


@dataclass(frozen=True)
class Plan:
    """The distinct sequences of one feature file, from long to short.

    Attributes:
        corpus: the corpus Parquet.
        corpus_digest: its SHA-256.
        variant_digest: SHA-256 of the variant Parquet, or None.
        originals_digest: digest of the originals' features, or None.
        sequences: [S] sequences to encode.
        instance_sequence: [n] int64, as stored in the feature file.
        example: [S] int64, an instance that uses each sequence.
        sentence: [n] int64, sentence of each instance.
    """

    corpus: Path
    corpus_digest: str
    variant_digest: str | None
    originals_digest: str | None
    sequences: SubwordSequences
    instance_sequence: Int64
    example: Int64
    sentence: Int64

    def describe_token(self, token: int) -> str:
        """Name a token of the sequences by sentence, index and surface, for a message."""
        sequence = int(np.searchsorted(self.sequences.token_offsets, token, side="right")) - 1
        index = token - int(self.sequences.token_offsets[sequence])
        row = int(self.sentence[self.example[sequence]])
        table = read_corpus(self.corpus, ["sent_id", "tokens"]).slice(row, 1).to_pylist()[0]
        return f"sentence {table['sent_id']}, token {index} ({table['tokens'][index]!r})"


def plan_encoding(
    corpus: Path,
    mlm: FrozenMlm,
    variant: Path | None = None,
    originals: Path | None = None,
    states: Mapping[str, Any] | None = None,
) -> Plan:
    """Find the distinct sequences that must be encoded.

    Args:
        corpus: corpus Parquet.
        mlm: the model, for its tokenizer.
        variant: variant Parquet of that corpus; None encodes the original sentences.
        originals: the original sentences' feature file. Instances whose sequence is in it point there, and it
            is not encoded again. None encodes all that the variant needs.
        states: what stands for a token, as in the provenance of features (None: as in the paper).

    Raises:
        ZarpipeError: a file is damaged, or does not belong to the corpus or to this model.
    """
    table = read_corpus(corpus, ["tokens", "bunsetsu", "heads", "predicates"])
    digest, instances = file_digest(corpus), instances_of(table)
    pieces = PieceTable()
    sentences = sentence_sequences(table["tokens"], mlm.subwords, pieces)
    sources = sentences.take(instances.sentence)
    _warn_of_unknown(sources, pieces, mlm)
    keys = sources.keys()
    wanted, known = sources, dict[bytes, int]()
    if variant is not None:
        changes = _variant_of(variant, digest, instances)
        wanted = _apply(changes, sources, pieces, mlm)
    original_features = None
    if originals is not None:
        original_features = _open_originals(originals, digest, mlm, states or {})
    if original_features is not None:
        known = dict(zip(keys, original_features.instance_sequence.tolist(), strict=True))
    numbers, example = _number_sequences(wanted.keys(), known, pieces.subwords(wanted).lengths)
    return Plan(
        corpus=corpus,
        corpus_digest=digest,
        variant_digest=file_digest(variant) if variant is not None else None,
        originals_digest=None if original_features is None else original_features.provenance["digest"],
        sequences=pieces.subwords(wanted.take(example)),
        instance_sequence=numbers,
        example=example,
        sentence=instances.sentence,
    )


def _number_sequences(keys: list[bytes], known: dict[bytes, int], lengths: Int64) -> tuple[Int64, Int64]:
    """Number the distinct sequences that are not in the originals' file, from long to short.

    Returns:
        [n] the sequence of each instance (negative: in the originals' file), and [S] an instance of each.
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


def _variant_of(path: Path, corpus_digest: str, instances: Instances) -> Variant:
    variant = read_variant(path)
    if variant.corpus != corpus_digest:
        raise ZarpipeError(
            f"{path}: this variant was made from another corpus (digest {variant.corpus[:12]}, the corpus "
            f"has {corpus_digest[:12]}); give the corpus that it belongs to, or make it again with `zarpipe "
            "augment`"
        )
    fits = len(variant) == len(instances)
    if fits:
        lengths = np.repeat(instances.lengths, np.diff(variant.offsets))
        fits = bool(((variant.masked >= 0) & (variant.masked < lengths)).all())
    if not fits:
        raise ZarpipeError(
            f"{path}: its {len(variant)} rows do not fit the corpus's {len(instances)} instances; "
            "make it again with `zarpipe augment`"
        )
    return variant


def _apply(variant: Variant, sources: TokenSequences, pieces: PieceTable, mlm: FrozenMlm) -> TokenSequences:
    """Mask or replace the variant's tokens: one mask, or one vocabulary entry, for the whole token."""
    if variant.replacement_ids is None:
        codes = np.full(len(variant.masked), pieces.code(mlm.subwords.mask()))
    else:
        codes = pieces.codes(Pieces((identifier,), 0) for identifier in variant.replacement_ids.tolist())
    return replace_tokens(sources, variant.offsets, variant.masked, codes)


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


def _warn_of_unknown(sources: TokenSequences, pieces: PieceTable, mlm: FrozenMlm) -> None:
    unknown = mlm.subwords.unknown_id
    has_unknown = np.array([unknown in one.ids for one in pieces.table()], bool)
    if not len(sources.codes):
        return
    rate = float(has_unknown[sources.codes].mean())
    if rate > _UNKNOWN_RATE:
        _log.warning(
            "%.1f %% of the tokens hold [UNK]: the model %s hardly knows this text; check that it is a "
            "Japanese model and that the corpus was read in the right encoding",
            100 * rate,
            mlm.name,
        )
