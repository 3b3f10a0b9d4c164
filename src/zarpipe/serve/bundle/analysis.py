"""A bundle at work: predicates and their arguments, in sentences of given words and in raw text."""

from __future__ import annotations

import operator
import re
import reprlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, islice
from typing import Any, NoReturn, SupportsIndex, overload

import numpy as np
from torch import nn

from zarpipe.arrays import Float32, float32_digits
from zarpipe.characters import fits
from zarpipe.encode.token_states import TokenStates
from zarpipe.errors import ZarpipeError
from zarpipe.serve.bundle.considered import considered_candidates
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

# Texts, sentences, and words of these, that are read at once, so that memory does not grow with their number.
_TEXTS_AT_ONCE = 64
_SENTENCES_AT_ONCE = 256
_TOKENS_AT_ONCE = 8192
# An ending and what ends a sentence: no dictionary has such a word.
_LOOKS_LIKE_A_SENTENCE = re.compile("[ぁ-ゖ][。！？!?]")
# Tokens of the instances in a batch of the taggers.
_BATCH_TOKENS = 32_768


@dataclass(frozen=True)
class Bundle:
    """Taggers, and the masked language model that they read; several decide by their mean probabilities.

    ``segmenter``: finds predicates and bunsetsu; None if the bundle holds none. ``explains``: predicates say
    what each case was decided among (`zarpipe.task.documents.Considered`).
    """

    manifest: Manifest
    states: TokenStates
    taggers: tuple[nn.Module, ...]
    segmenter: Segmenter | None = None
    explains: bool = False

    @overload
    def __call__(self, given: str, /) -> Document: ...  # type: ignore[overload-overlap]

    @overload
    def __call__(
        self, given: Iterable[str], /, predicates: Iterable[SupportsIndex] | None = None
    ) -> Sentence: ...

    def __call__(
        self, given: str | Iterable[str], /, predicates: Iterable[SupportsIndex] | None = None
    ) -> Document | Sentence:
        """Find the predicates of a text, or of one sentence in words, and their arguments.

        Args:
            given: a text; or the words of a sentence, as the taggers were trained on them
                (``manifest.words``). Several texts: `pipe`.
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
            return next(self.pipe([given]))
        return next(self.analyse([(given, predicates)]))

    def pipe(self, texts: Iterable[str]) -> Iterator[Document]:
        """Find predicates and arguments in many texts, which are read together: a document for each.

        Raises:
            ZarpipeError: one is no text, or the bundle cannot find predicates; the message has its number,
                from 1.
        """
        numbered = enumerate(texts, 1)
        while some := list(islice(numbered, _TEXTS_AT_ONCE)):
            cut = [list(_sentences(number, text)) for number, text in some]
            analysed = self.analyse_text(chain.from_iterable(cut))
            for sentences in cut:
                yield Document("", list(islice(analysed, len(sentences))), tagset="unidic")

    def analyse(
        self, sentences: Iterable[tuple[Iterable[str], Iterable[SupportsIndex] | None]]
    ) -> Iterator[Sentence]:
        """Find the arguments in many sentences of given words, some at a time: any number fits into memory.

        Raises:
            ZarpipeError: as for a single one; the message has the number of the sentence, from 1.
        """
        return self._analysed(_given(number, sentence) for number, sentence in enumerate(sentences, 1))

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

    def explaining(self) -> Bundle:
        """Return the bundle so that predicates say what each case was decided among."""
        return replace(self, explains=True)

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
        of_taggers = self._probabilities(instances, states)
        mean: Float32 = of_taggers.mean(axis=0, dtype=np.float64).astype(np.float32)
        found = candidates(mean, instances.offsets)
        decided = found.decide(self.manifest.thresholds, self.manifest.must_exceed)
        tokens = np.where(decided >= 0, decided + instances.start[:, None], -1).tolist()
        probabilities = ([float32_digits(one) for one in row] for row in found.probability.tolist())
        decisions = zip(tokens, probabilities, strict=True)
        decided_on = (sentence.with_decisions(decisions) for sentence in sentences)
        if not self.explains:
            return decided_on
        considered = considered_candidates(mean, of_taggers, instances, self.manifest)
        return (
            sentence._replace(
                predicates=[one._replace(considered=next(considered)) for one in sentence.predicates]
            )
            for sentence in decided_on
        )

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
        """Return [taggers, N, labels] float32, the probabilities of each tagger."""
        if not len(instances.sentence):
            return np.zeros((len(self.taggers), 0, len(CASE_NAMES) + 1), np.float32)
        encoded = instances.encoded(states)
        batch_size = max(1, _BATCH_TOKENS // int(encoded.lengths.max()))
        return np.stack([predict_probabilities(tagger, encoded, batch_size) for tagger in self.taggers])


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


def _sentences(number: int, text: Any) -> Iterator[Sentence]:
    """Cut what was given as a text into sentences."""
    if not isinstance(text, str) or not fits(text, "utf-8"):
        found = "a lone surrogate, which is no character" if isinstance(text, str) else reprlib.repr(text)
        raise ZarpipeError(f"text {number}: found {found}; expected text")
    return source_sentences(text)


def _given(number: int, sentence: Any) -> _Given:
    """Check what was given as a sentence: words, and which of them are predicates."""
    if not isinstance(sentence, (tuple, list)) or len(sentence) != 2:
        raise ZarpipeError(
            f"sentence {number}: found {reprlib.repr(sentence)}; expected a pair: words, and the numbers of "
            "predicates or None. Texts are for `pipe`"
        )
    tokens, predicates = _words(number, *sentence), _numbers(number, sentence[1])
    for token in predicates or ():
        if not 0 <= token < len(tokens):
            raise ZarpipeError(
                f"sentence {number}: predicates: found {token}; expected words of the sentence, 0 to "
                f"{len(tokens) - 1}"
            )
    if predicates is not None and len(set(predicates)) < len(predicates):
        raise ZarpipeError(f"sentence {number}: predicates: found {predicates}; expected each once")
    words = [Token(token, token, "", "*") for token in tokens]
    given = [Predicate(token, None, []) for token in predicates or ()]
    return Sentence("", 0, words, [], [], given), predicates is None


def _words(number: int, given: Any, predicates: Any) -> list[str]:
    words = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else []
    if not words or not all(isinstance(word, str) and word and fits(word, "utf-8") for word in words):
        found = reprlib.repr(words or given)
        raise ZarpipeError(
            f"sentence {number}: tokens: found {found}; expected words, in a list, none of them empty"
        )
    if predicates is None and (text := next(filter(_LOOKS_LIKE_A_SENTENCE.search, words), None)):
        raise ZarpipeError(
            f"sentence {number}: tokens: found {text!r}, which is a sentence; a list is for the words of one "
            "sentence: expected words, or texts for `pipe`"
        )
    return list(map(str, words))


def _numbers(number: int, given: Any) -> list[int] | None:
    if given is None:
        return None
    try:
        found = list(given)
        if not any(isinstance(token, bool) for token in found):
            return list(map(operator.index, found))
    except TypeError:
        pass
    raise ZarpipeError(
        f"sentence {number}: predicates: found {reprlib.repr(given)}; expected the numbers of words, from 0, "
        "in a list"
    )


def _segmented(sentence: Sentence, find: bool, found: Segmentation, start: int) -> Sentence:
    """Return a sentence, whose first token is ``start`` of all, with what is to be found."""
    those = slice(start, start + len(sentence.words))
    if not sentence.bunsetsu:
        sentence = sentence._replace(bunsetsu=(np.cumsum(found.begins_bunsetsu[those]) - 1).tolist())
    if find:
        probability = found.predicate_probability[those].tolist()
        tokens = np.flatnonzero(found.is_predicate[those]).tolist()
        predicates = [Predicate(one, None, [], float32_digits(probability[one])) for one in tokens]
        sentence = sentence._replace(predicates=predicates)
    return sentence
