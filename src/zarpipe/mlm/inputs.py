"""A corpus's sentences, and the augmented copies of its instances, as sequences for the MLM."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.corpus import instances_of, read_corpus
from zarpipe.formats.variant import Variant, read_variant
from zarpipe.mlm.loading import FrozenMlm
from zarpipe.mlm.sequences import PieceTable, TokenSequences, replace_tokens, sentence_sequences
from zarpipe.mlm.subwords import Pieces
from zarpipe.task.instances import Instances

_log = logging.getLogger(__name__)

# A model that knows less of the corpus than this leaves out what its tokens say.
_UNKNOWN_RATE = 0.01


@dataclass(frozen=True)
class CorpusSequences:
    """The sentences of a corpus for one MLM."""

    digest: str  # SHA-256 of the corpus Parquet
    instances: Instances
    sentences: TokenSequences  # one sequence for each sentence
    pieces: PieceTable  # the subwords of the sequences' codes
    mlm: FrozenMlm  # the model whose subwords they are

    @classmethod
    def read(cls, corpus: Path, mlm: FrozenMlm) -> CorpusSequences:
        """Read a corpus Parquet. Raises ZarpipeError when it is missing or damaged."""
        table = read_corpus(corpus, ["tokens", "bunsetsu", "heads", "predicates"])
        digest, pieces = file_digest(corpus), PieceTable()
        sentences = sentence_sequences(table["tokens"], mlm.subwords, pieces)
        read = cls(digest, instances_of(table), sentences, pieces, mlm)
        read._warn_of_unknown()
        return read

    def of_instances(self) -> TokenSequences:
        """Return the sentence of each instance."""
        return self.sentences.take(self.instances.sentence)

    def copies(self, changes: Variant) -> TokenSequences:
        """Return each instance's augmented copy: one mask, or one vocabulary entry, for a whole token."""
        if changes.replacement_ids is None:
            codes = np.full(len(changes.masked), self.pieces.code(self.mlm.subwords.mask()))
        else:
            entries = changes.replacement_ids.tolist()
            codes = self.pieces.codes(Pieces((identifier,), 0) for identifier in entries)
        return replace_tokens(self.of_instances(), changes.offsets, changes.masked, codes)

    def variant(self, path: Path) -> Variant:
        """Read a variant of this corpus.

        Raises ZarpipeError: the variant Parquet is damaged, or does not belong to the corpus.
        """
        variant = read_variant(path)
        if variant.corpus != self.digest:
            raise ZarpipeError(
                f"{path}: this variant was made from another corpus (digest {variant.corpus[:12]}, the "
                f"corpus has {self.digest[:12]}); give the corpus that it belongs to, or make it again with "
                "`zarpipe augment`"
            )
        fits = len(variant) == len(self.instances)
        if fits:
            lengths = np.repeat(self.instances.lengths, np.diff(variant.offsets))
            fits = bool(((variant.masked >= 0) & (variant.masked < lengths)).all())
        if not fits:
            raise ZarpipeError(
                f"{path}: its {len(variant)} rows do not fit the corpus's {len(self.instances)} instances; "
                "make it again with `zarpipe augment`"
            )
        return variant

    def _warn_of_unknown(self) -> None:
        codes = self.of_instances().codes
        if not len(codes):
            return
        unknown = self.mlm.subwords.unknown_id
        has_unknown = np.array([unknown in one.ids for one in self.pieces.table()], bool)
        rate = float(has_unknown[codes].mean())
        if rate > _UNKNOWN_RATE:
            _log.warning(
                "%.1f %% of the tokens hold [UNK]: the model %s hardly knows this text; check that it is a "
                "Japanese model and that the corpus was read in the right encoding",
                100 * rate,
                self.mlm.name,
            )
