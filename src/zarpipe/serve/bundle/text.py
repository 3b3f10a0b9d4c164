"""Raw text as a bundle reads it: sentences by rule, words by MeCab with UniDic, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from zarpipe.readers import unidic
from zarpipe.readers.raw_text import sentence_spans
from zarpipe.serve.bundle.found import AnalysedSentence, FoundPredicate, GivenSentence
from zarpipe.task.documents import Token


@dataclass(frozen=True)
class Word:
    """A word, and its place in the text: its first character, and the one behind its last."""

    surface: str
    lemma: str
    pos: str
    pos_sub: str
    start: int
    end: int


@dataclass(frozen=True)
class SourceSentence:
    """A sentence of a text before it is analysed.

    Attributes:
        start: its first character in the text.
        words: its words, at least one.
        predicates: the words that are predicates; None: they are to be found.
        bunsetsu: the bunsetsu of each word; None: they are to be found.
        sent_id: its name in the file, if it has one.
        doc_id: that of its document.
        heads: the head of each bunsetsu, -1 for the root, if the file has them.
    """

    start: int
    words: tuple[Token, ...]
    predicates: tuple[int, ...] | None = None
    bunsetsu: tuple[int, ...] | None = None
    sent_id: str = ""
    doc_id: str = ""
    heads: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.words)

    @property
    def given(self) -> GivenSentence:
        """What a bundle is given of it."""
        return GivenSentence(tuple(word[0] for word in self.words), self.predicates, self.bunsetsu)


@dataclass(frozen=True)
class TextSentence:
    """An analysed sentence of a text.

    Attributes:
        words: its words.
        bunsetsu: the number of each word's bunsetsu, from 0; None where the bundle does not find them.
        predicates: its predicates, with their arguments.
        sent_id: its name in the file, if it has one.
        doc_id: that of its document.
        heads: the head of each bunsetsu, -1 for the root; None where the file has none.
    """

    words: tuple[Word, ...]
    bunsetsu: tuple[int, ...] | None
    predicates: tuple[FoundPredicate, ...]
    sent_id: str = ""
    doc_id: str = ""
    heads: tuple[int, ...] | None = None

    @property
    def text(self) -> str:
        """Its characters."""
        return "".join(word.surface for word in self.words)

    @property
    def start(self) -> int:
        """Its first character in the text."""
        return self.words[0].start

    @property
    def end(self) -> int:
        """The character behind its last one."""
        return self.words[-1].end


@dataclass(frozen=True)
class AnalysedText:
    """A text: its sentences in order."""

    sentences: tuple[TextSentence, ...]


def source_sentences(text: str, start: int = 0) -> Iterator[SourceSentence]:
    """Cut a text into sentences and words.

    Args:
        text: any text; of what is blank alone there is no sentence.
        start: where it begins in a longer text.

    Raises:
        ZarpipeError: UniDic cannot be opened.
    """
    for span in sentence_spans(text):
        yield SourceSentence(start + span.start, tuple(unidic.words(text[span.start : span.end])))


def placed(source: SourceSentence, analysed: AnalysedSentence) -> TextSentence:
    """Return what was found in a sentence, with its places in the text."""
    places = list(accumulate((len(word[0]) for word in source.words), initial=source.start))
    words = (Word(*word, *place) for word, *place in zip(source.words, places, places[1:], strict=False))
    return TextSentence(
        tuple(words),
        analysed.bunsetsu,
        analysed.predicates,
        source.sent_id,
        source.doc_id,
        source.heads,
    )
