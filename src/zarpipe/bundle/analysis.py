"""A bundle at work: the arguments of predicates in sentences of given words."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor, nn

from zarpipe.arrays import Bool, Float32, Int64, expand
from zarpipe.bundle.manifest import Manifest, read_manifest
from zarpipe.bundle.segmenter import Segmenter
from zarpipe.config import MlmConfig
from zarpipe.encode.token_states import TokenStates
from zarpipe.errors import ZarpipeError
from zarpipe.mlm.batches import Batches
from zarpipe.mlm.files import model_digest
from zarpipe.mlm.loading import load_mlm
from zarpipe.mlm.sequences import PieceTable, sentence_sequences
from zarpipe.tagger.batches import EncodedInstances
from zarpipe.tagger.hidden_states import HiddenStates
from zarpipe.tagger.inference import predict_probabilities
from zarpipe.tagger.segmenter.weights import read_segmenter
from zarpipe.tagger.weights import read_tagger
from zarpipe.task.cases import CASE_NAMES, NONE_LABEL
from zarpipe.task.thresholds import candidates

# Sentences that are read at once; memory does not grow with their number.
_AT_ONCE = 256
# Instances in a batch of the taggers.
_BATCH_SIZE = 512


@dataclass(frozen=True)
class FoundArgument:
    """An argument: its case, its token (from 0), and its probability."""

    case: str
    token: int
    probability: float


@dataclass(frozen=True)
class FoundPredicate:
    """A predicate's token (from 0), and its arguments in the order of the cases, at most one of each."""

    token: int
    arguments: tuple[FoundArgument, ...]


@dataclass(frozen=True)
class AnalysedSentence:
    """A sentence: its words, and its predicates as they were given."""

    tokens: tuple[str, ...]
    predicates: tuple[FoundPredicate, ...]


@dataclass(frozen=True)
class Bundle:
    """Taggers, and the masked language model that they read.

    Attributes:
        manifest: what the bundle holds.
        states: the masked language model, and what of it stands for a token.
        taggers: the taggers; several decide by the mean of their probabilities.
        segmenter: finds predicates and bunsetsu; None if the bundle holds none.
    """

    manifest: Manifest
    states: TokenStates
    taggers: tuple[nn.Module, ...]
    segmenter: Segmenter | None = None

    def __call__(self, tokens: Sequence[str], predicates: Sequence[int]) -> AnalysedSentence:
        """Find the arguments of a sentence's predicates.

        Args:
            tokens: the words, as the taggers were trained on them (``manifest.words``).
            predicates: the tokens (from 0) that are predicates, each once.

        Raises:
            ZarpipeError: no words, or a predicate that is none of them.
        """
        return next(self.analyse([(tokens, predicates)]))

    def analyse(self, sentences: Iterable[tuple[Sequence[str], Sequence[int]]]) -> Iterator[AnalysedSentence]:
        """Find the arguments in many sentences, some at a time: any number fits into memory.

        Args:
            sentences: tokens and predicates of each, as for a single one.

        Raises:
            ZarpipeError: as for a single one; the message has the number of the sentence, from 1.
        """
        numbered = enumerate(sentences, 1)
        while chunk := list(itertools.islice(numbered, _AT_ONCE)):
            checked = [_checked(number, *sentence) for number, sentence in chunk]
            yield from self._analysed(checked)

    def _analysed(self, sentences: Sequence[_Sentence]) -> Iterator[AnalysedSentence]:
        """Analyse some sentences at once."""
        instances = _Instances.of(sentences)
        probabilities = self._probabilities(sentences, instances)
        found = candidates(probabilities, instances.offsets)
        decided = found.decide(self.manifest.thresholds, self.manifest.must_exceed)
        number = 0
        for tokens, predicates in sentences:
            those = range(number, number + len(predicates))
            number += len(predicates)
            yield AnalysedSentence(
                tokens,
                tuple(
                    _found_predicate(predicate, decided[instance], found.probability[instance])
                    for predicate, instance in zip(predicates, those, strict=True)
                ),
            )

    def _probabilities(self, sentences: Sequence[_Sentence], instances: _Instances) -> Float32:
        """Return [N, labels] float32, the mean of the taggers' probabilities."""
        if not len(instances.sentence):
            return np.zeros((0, len(CASE_NAMES) + 1), np.float32)
        words = [tokens for tokens, _ in sentences]
        encoded = instances.encoded(computed_states(self.states, words, self.manifest.encoding.batch_tokens))
        of_each = [predict_probabilities(tagger, encoded, _BATCH_SIZE) for tagger in self.taggers]
        mean: Float32 = np.stack(of_each).mean(axis=0, dtype=np.float64).astype(np.float32)
        return mean


# The words and predicates of a sentence.
_Sentence = tuple[tuple[str, ...], tuple[int, ...]]


@dataclass(frozen=True)
class ComputedStates(HiddenStates):
    """Hidden states that were computed just now.

    Attributes:
        rows: [M, D] float16, all of them.
        starts: [S] int64, the first row of each sequence.
        sizes: [S] int64, its tokens.
    """

    rows: Tensor
    starts: Int64
    sizes: Int64

    @property
    def size(self) -> int:
        """D, the size of a hidden state."""
        return int(self.rows.shape[1])

    @property
    def lengths(self) -> Int64:
        """[S] int64, tokens of each sequence."""
        return self.sizes

    def gather(self, sequences: Int64) -> Tensor:
        """Return the hidden states of sequences, one sequence after the other: [M, D] float32."""
        return self.rows[torch.from_numpy(expand(self.starts[sequences], self.sizes[sequences]))].float()


@torch.inference_mode()
def computed_states(
    states: TokenStates, sentences: Sequence[Sequence[str]], batch_tokens: int
) -> ComputedStates:
    """Run the model over sentences as `zarpipe encode` does; rounded as its files are.

    Args:
        states: the model, and what stands for a token.
        sentences: words of each.
        batch_tokens: subwords in a batch.
    """
    pieces = PieceTable()
    column = pa.chunked_array([pa.array(sentences, pa.list_(pa.string()))])
    sequences = sentence_sequences(column, states.model.subwords, pieces)
    order = np.argsort(-pieces.subwords(sequences).lengths, kind="stable")
    batches = Batches(pieces.subwords(sequences.take(order)), states.model, batch_tokens)
    rows = [states.of_batch(batches, batch).half().cpu() for batch in range(len(batches))]
    lengths = sequences.lengths
    starts = np.empty(len(order), np.int64)
    starts[order] = np.concatenate([[0], np.cumsum(lengths[order])])[:-1]
    return ComputedStates((), torch.cat(rows), starts, lengths)


@dataclass(frozen=True)
class _Instances:
    """The predicates of some sentences: n of them, with N tokens in all.

    Attributes:
        sentence: [n] int64.
        predicate: [n] int64, the predicate's token.
        offsets: [n + 1] int64, first token of each instance.
        is_predicate: [N] bool, whether a token is any predicate of its sentence.
    """

    sentence: Int64
    predicate: Int64
    offsets: Int64
    is_predicate: Bool

    @classmethod
    def of(cls, sentences: Sequence[_Sentence]) -> _Instances:
        counts = [len(predicates) for _, predicates in sentences]
        sentence = np.repeat(np.arange(len(sentences)), counts)
        lengths = np.array([len(tokens) for tokens, _ in sentences], np.int64)[sentence]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        flags = np.zeros(int(offsets[-1]), bool)
        for instance, number in enumerate(sentence.tolist()):
            flags[offsets[instance] + np.array(sentences[number][1], np.int64)] = True
        predicate = np.array([token for _, predicates in sentences for token in predicates], np.int64)
        return cls(sentence, predicate, offsets, flags)

    def encoded(self, states: ComputedStates) -> EncodedInstances:
        """Return the instances with their hidden states."""
        return EncodedInstances(
            states,
            self.sentence,
            self.offsets[:-1],
            np.diff(self.offsets),
            self.predicate,
            np.zeros(len(self.sentence), bool),
            np.full(len(self.is_predicate), NONE_LABEL, np.int8),
            self.is_predicate,
        )


def load_bundle(
    folder: str | Path,
    mlm: str | Path | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
) -> Bundle:
    """Load a bundle.

    Args:
        folder: what `zarpipe bundle` made.
        mlm: folder or hub name of the masked language model, for a bundle that only refers to it.
        device: where everything is computed; auto: on a GPU when there is one.
        threads: CPU threads; None leaves PyTorch's setting.

    Raises:
        ZarpipeError: a file is missing, damaged or of another version, or the model is not there or another.
    """
    if threads is not None:
        torch.set_num_threads(threads)
    folder = Path(folder)
    manifest = read_manifest(folder)
    encoding = manifest.encoding.model_copy(update={"device": device})
    model = load_mlm(_mlm_of(folder, manifest, mlm), encoding)
    taggers = [read_tagger(folder / tagger.folder).model.to(model.device) for tagger in manifest.taggers]
    segmenter = _segmenter(folder, manifest, model.device)
    return Bundle(manifest, TokenStates.of(model, encoding), tuple(taggers), segmenter)


def _segmenter(folder: Path, manifest: Manifest, device: torch.device) -> Segmenter | None:
    if manifest.segmenter is None:
        return None
    read = read_segmenter(folder / manifest.segmenter.folder)
    return Segmenter(read.model.to(device), read.threshold)


def _mlm_of(folder: Path, manifest: Manifest, given: str | Path | None) -> MlmConfig:
    """Return the model of a bundle, whose digest has been compared."""
    told = manifest.mlm
    if given is not None:
        config = MlmConfig(path=str(given))
    elif told.folder is not None:
        config = MlmConfig(path=str(folder / told.folder))
    elif told.hub is not None:
        config = MlmConfig(path=told.hub[0], revision=told.hub[1])
    else:
        raise ZarpipeError(
            f"{folder}: refers to the masked language model {told.name} (digest {told.digest[:12]}), which "
            "is not in the bundle; give its folder: load(BUNDLE, mlm=FOLDER)"
        )
    if model_digest(config) != told.digest:
        raise ZarpipeError(
            f"{config.path}: not the masked language model of the bundle {folder} ({told.name}, digest "
            f"{told.digest[:12]}); give the folder of that one"
        )
    return config


def _checked(number: int, tokens: Sequence[str], predicates: Sequence[int]) -> _Sentence:
    if isinstance(tokens, str) or not tokens or not all(isinstance(token, str) for token in tokens):
        raise ZarpipeError(
            f"sentence {number}: tokens: found {tokens!r}; expected at least one word, in a list"
        )
    for token in predicates:
        if not 0 <= token < len(tokens):
            raise ZarpipeError(
                f"sentence {number}: predicates: found {token}; expected words of the sentence, 0 to "
                f"{len(tokens) - 1}"
            )
    if len(set(predicates)) < len(predicates):
        raise ZarpipeError(f"sentence {number}: predicates: found {list(predicates)}; expected each once")
    return tuple(tokens), tuple(predicates)


def _found_predicate(token: int, decided: Int64, probability: Sequence[float]) -> FoundPredicate:
    arguments = [
        FoundArgument(case, int(argument), float(one))
        for case, argument, one in zip(CASE_NAMES, decided, probability, strict=True)
        if argument >= 0
    ]
    return FoundPredicate(token, tuple(arguments))
