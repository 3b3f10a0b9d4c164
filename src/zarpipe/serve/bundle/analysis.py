"""A bundle at work: predicates and their arguments, in sentences of given words and in raw text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NoReturn, overload

import numpy as np
from torch import nn

from zarpipe.arrays import Float32
from zarpipe.characters import fits
from zarpipe.encode.token_states import TokenStates
from zarpipe.errors import ZarpipeError
from zarpipe.serve.bundle.instances import AnalysedInstances
from zarpipe.serve.bundle.manifest import Manifest
from zarpipe.serve.bundle.segmenter import Segmenter
from zarpipe.serve.bundle.states import ComputedStates, computed_states
from zarpipe.serve.bundle.text import source_sentences
from zarpipe.tagger.inference import predict_probabilities
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.documents import Document, Predicate, Sentence, Token
from zarpipe.task.segmentation import Segmentation
from zarpipe.task.thresholds import candidates

# A sentence, and whether its predicates are to be found; else they are those that it has.
_Given = tuple[Sentence, bool]

# Sentences, and words of them, that are read at once; memory does not grow with the number of sentences.
_SENTENCES_AT_ONCE = 256
_TOKENS_AT_ONCE = 8192
# Tokens of the instances in a batch of the taggers.
_BATCH_TOKENS = 32_768


@dataclass(frozen=True)
class Bundle:
    """Taggers, and the masked language model that they read; several decide by their mean probabilities.

    ``segmenter``: finds predicates and bunsetsu; None if the bundle holds none.
    """

    manifest: Manifest
    states: TokenStates
    taggers: tuple[nn.Module, ...]
    segmenter: Segmenter | None = None

    @overload
    def __call__(self, given: str, /) -> Document: ...

    @overload
    def __call__(
        self, given: list[str] | tuple[str, ...], /, predicates: Sequence[int] | None = None
    ) -> Sentence: ...

    def __call__(
        self, given: str | list[str] | tuple[str, ...], /, predicates: Sequence[int] | None = None
    ) -> Document | Sentence:
        """Find the predicates of a text, or of one sentence in words, and their arguments.

        Args:
            given: a text; or the words of a sentence, as the taggers were trained on them
                (``manifest.words``).
            predicates: the words (from 0) that are predicates, each once; None: they are found.

        Returns:
            A document with the sentences of a text; or the one sentence of given words.

        Raises:
            ZarpipeError: no words, a predicate that is none of them, predicates of a raw text, or none given
                to a bundle that cannot find them.
        """
        if isinstance(given, str):
            if predicates is not None:
                raise ZarpipeError("predicates: found with a text; expected words, in a list, beside them")
            if not fits(given, "utf-8"):
                raise ZarpipeError("text: found a lone surrogate, which is no character; expected text")
            return Document("", list(self.analyse_text(source_sentences(given))))
        return next(self.analyse([(given, predicates)]))

    def analyse(self, sentences: Iterable[tuple[Sequence[str], Sequence[int] | None]]) -> Iterator[Sentence]:
        """Find the arguments in many sentences of given words, some at a time: any number fits into memory.

        Raises:
            ZarpipeError: as for a single one; the message has the number of the sentence, from 1.
        """
        return self._analysed(_given(number, *sentence) for number, sentence in enumerate(sentences, 1))

    def analyse_text(self, sentences: Iterable[Sentence], find_predicates: bool = True) -> Iterator[Sentence]:
        """Find predicates and arguments in sentences, some at a time, and bunsetsu where they have none.

        ``find_predicates``: False: take the predicates that the sentences have.

        Raises:
            ZarpipeError: predicates are to be found, and the bundle has no segmenter.
        """
        return self._analysed((sentence, find_predicates) for sentence in sentences)

    def with_seed(self, seed: int) -> Bundle:
        """Return the bundle with one tagger alone, and its own thresholds.

        Raises:
            ZarpipeError: it has no tagger of this seed.
        """
        for told, tagger in zip(self.manifest.taggers, self.taggers, strict=True):
            if told.seed == seed:
                manifest = self.manifest.model_copy(update={"thresholds": told.thresholds, "taggers": [told]})
                return replace(self, manifest=manifest, taggers=(tagger,))
        seeds = ", ".join(str(told.seed) for told in self.manifest.taggers)
        raise ZarpipeError(f"seed: found {seed}; expected one of the bundle's: {seeds}")

    def refuse_finding(self) -> NoReturn:
        """Raise ZarpipeError: a bundle without a segmenter does not find predicates."""
        raise ZarpipeError(
            "the bundle does not find predicates: the study that it was made from has trained no segmenter. "
            "Make it again with `snakemake results/bundle/bundle.json`, or give the predicates"
        )

    def _analysed(self, given: Iterable[_Given]) -> Iterator[Sentence]:
        for chunk in _chunks(given):
            yield from self._read(chunk)

    def _read(self, given: Sequence[_Given]) -> Iterator[Sentence]:
        """Analyse some sentences at once: the masked language model reads each once."""
        words = [sentence.tokens for sentence, _ in given]
        states = computed_states(self.states, words, self.manifest.encoding.batch_tokens)
        sentences = self._segmented(given, states)
        predicates = [[predicate.token for predicate in one.predicates] for one in sentences]
        instances = AnalysedInstances.of([len(tokens) for tokens in words], predicates)
        found = candidates(self._probabilities(instances, states), instances.offsets)
        decided = found.decide(self.manifest.thresholds, self.manifest.must_exceed)
        tokens = np.where(decided >= 0, decided + instances.start[:, None], -1).tolist()
        decisions = zip(tokens, found.probability.tolist(), strict=True)
        return (sentence.with_decisions(decisions) for sentence in sentences)

    def _segmented(self, given: Sequence[_Given], states: ComputedStates) -> list[Sentence]:
        """Return sentences with their predicates and bunsetsu, given or found, and no arguments yet."""
        wanted = any(find or not sentence.bunsetsu for sentence, find in given)
        found = self.segmenter.find(states) if wanted and self.segmenter else None
        if found is None:
            if any(find for _, find in given):
                self.refuse_finding()
            return [sentence for sentence, _ in given]
        starts = accumulate((len(sentence.words) for sentence, _ in given), initial=0)
        return [_segmented(*one, found, start) for one, start in zip(given, starts, strict=False)]

    def _probabilities(self, instances: AnalysedInstances, states: ComputedStates) -> Float32:
        """Return [N, labels] float32, the mean of the taggers' probabilities."""
        if not len(instances.sentence):
            return np.zeros((0, len(CASE_NAMES) + 1), np.float32)
        encoded = instances.encoded(states)
        batch_size = max(1, _BATCH_TOKENS // int(encoded.lengths.max()))
        of_each = [predict_probabilities(tagger, encoded, batch_size) for tagger in self.taggers]
        mean: Float32 = np.stack(of_each).mean(axis=0, dtype=np.float64).astype(np.float32)
        return mean


def _chunks(given: Iterable[_Given]) -> Iterator[list[_Given]]:
    """Yield sentences in lists that are read at once."""
    chunk: list[_Given] = []
    tokens = 0
    for one in given:
        chunk.append(one)
        tokens += len(one[0].words)
        if len(chunk) == _SENTENCES_AT_ONCE or tokens >= _TOKENS_AT_ONCE:
            yield chunk
            chunk, tokens = [], 0
    if chunk:
        yield chunk


def _given(number: int, tokens: Sequence[str], predicates: Sequence[int] | None) -> _Given:
    """Check what was given as a sentence."""
    if isinstance(tokens, str) or not tokens or not all(isinstance(token, str) and token for token in tokens):
        raise ZarpipeError(
            f"sentence {number}: tokens: found {tokens!r}; expected words, in a list, none of them empty"
        )
    for token in predicates or ():
        if not 0 <= token < len(tokens):
            raise ZarpipeError(
                f"sentence {number}: predicates: found {token}; expected words of the sentence, 0 to "
                f"{len(tokens) - 1}"
            )
    if predicates is not None and len(set(predicates)) < len(predicates):
        raise ZarpipeError(f"sentence {number}: predicates: found {list(predicates)}; expected each once")
    words = [Token(token, token, "", "*") for token in tokens]
    given = [Predicate(token, None, []) for token in predicates or ()]
    return Sentence("", 0, words, [], [], given), predicates is None


def _segmented(sentence: Sentence, find: bool, found: Segmentation, start: int) -> Sentence:
    """Return a sentence, whose first token is ``start`` of all, with what is to be found."""
    those = slice(start, start + len(sentence.words))
    if not sentence.bunsetsu:
        sentence = sentence._replace(bunsetsu=(np.cumsum(found.begins_bunsetsu[those]) - 1).tolist())
    if find:
        probability = found.predicate_probability[those].tolist()
        tokens = np.flatnonzero(found.is_predicate[those]).tolist()
        predicates = [Predicate(token, None, [], probability[token]) for token in tokens]
        sentence = sentence._replace(predicates=predicates)
    return sentence
