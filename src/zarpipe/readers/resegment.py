"""Sentences in the words of another dictionary: predicates, arguments and bunsetsu move by characters.

* A predicate or mention goes to the content word (`zarpipe.readers.knp_phrases`) of the new words that share
  a character with its own word: 食べて to 食べ of 食べ and て.
* Two bunsetsu that share a new word become one. Its head is that of the last of them that has one outside.
* Lost are the second of two predicates in one new word, with its arguments, and an argument all of whose
  mentions come into the predicate's own bunsetsu.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from zarpipe.config.pos_sets import Tagset
from zarpipe.readers.knp_phrases import content_word
from zarpipe.readers.trees import repair_tree
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.documents import Argument, Document, Predicate, Sentence, Token, arguments_of_case
from zarpipe.task.projection import Projection
from zarpipe.task.relations import Relation


def resegmented(document: Document, words_of: Callable[[str], list[Token]], tagset: Tagset) -> Document:
    """Return a document in the words that ``words_of`` cuts a text into; their surfaces are the text.

    Its ``projection`` counts what was moved and lost.
    """
    counts: Counter[Projection] = Counter()
    sentences = [_resegmented(sentence, words_of, counts) for sentence in document.sentences]
    return Document(
        document.doc_id, sentences, document.remarks, tagset, document.removed, document.projection + counts
    )


@dataclass(frozen=True)
class _Words:
    """The new words of a sentence and the places of both."""

    words: list[Token]  # the new words
    starts: list[int]  # their first characters, and the end of the text
    gold_starts: list[int]  # the first characters of the gold words, and the end of the text

    @classmethod
    def of(cls, sentence: Sentence, words: list[Token]) -> _Words:
        return cls(words, _starts(words), _starts(sentence.words))

    def sharing(self, token: int) -> range:
        """Return the new words that share a character with a gold word."""
        return _overlapping(self.starts, self.gold_starts[token], self.gold_starts[token + 1])

    def gold_sharing(self, word: int) -> range:
        """Return the gold words that share a character with a new word."""
        return _overlapping(self.gold_starts, self.starts[word], self.starts[word + 1])

    def moved(self, token: int) -> int | None:
        """Return the new word of a predicate or mention; None for a gold word without characters."""
        shared = self.sharing(token)
        return shared.start + content_word([self.words[word] for word in shared]) if shared else None

    def exact(self) -> int:
        """Return how many gold words begin and end where new ones do."""
        ends = set(self.starts)
        edges = zip(self.gold_starts, self.gold_starts[1:], strict=False)
        return sum(start in ends and end in ends for start, end in edges)


def _starts(words: Sequence[Token]) -> list[int]:
    return list(accumulate((len(word[0]) for word in words), initial=0))


def _overlapping(starts: Sequence[int], start: int, end: int) -> range:
    """Return which of the words that begin at ``starts`` have a character from ``start`` to ``end``."""
    if start == end:
        return range(0)
    return range(bisect_right(starts, start) - 1, bisect_left(starts, end))


def _resegmented(
    sentence: Sentence, words_of: Callable[[str], list[Token]], counts: Counter[Projection]
) -> Sentence:
    new = _Words.of(sentence, words_of("".join(sentence.tokens)) or sentence.words[:1])
    bunsetsu, heads = _bunsetsu(sentence, new)
    counts[Projection.WORDS] += len(sentence.words)
    counts[Projection.SAME_WORDS] += new.exact()
    counts[Projection.JOINED_BUNSETSU] += len(sentence.heads) - len(heads)
    predicates: list[Predicate] = []
    for predicate in sentence.predicates:
        arguments = len({argument.case for argument in predicate.arguments})
        counts[Projection.PREDICATES] += 1
        counts[Projection.ARGUMENTS] += arguments
        token = new.moved(predicate.token)
        if token is None or (predicates and predicates[-1].token >= token):
            counts[Projection.LOST_PREDICATES] += 1
            counts[Projection.LOST_ARGUMENTS] += arguments
            continue
        found = _arguments(predicate, token, new, bunsetsu, heads, counts)
        predicates.append(Predicate(token, predicate.alt, found))
    return sentence._replace(words=new.words, bunsetsu=bunsetsu, heads=heads, predicates=predicates)


def _arguments(
    predicate: Predicate,
    token: int,
    new: _Words,
    bunsetsu: Sequence[int],
    heads: Sequence[int],
    counts: Counter[Projection],
) -> list[Argument]:
    """Return the arguments of a predicate that has become the new word ``token``."""
    found: list[Argument] = []
    for case in CASE_NAMES:
        gold = [argument for argument in predicate.arguments if argument.case == case]
        mentions = sorted({word for one in gold if (word := new.moved(one.token)) is not None})
        moved = arguments_of_case(case, mentions, token, bunsetsu, heads, "drop_mention")
        counts[Projection.LOST_ARGUMENTS] += bool(gold and not moved)
        counts[Projection.OTHER_RELATIONS] += bool(moved and _is_dep(gold) != _is_dep(moved))
        found += moved
    return found


def _is_dep(mentions: Sequence[Argument]) -> bool:
    return any(mention.relation == Relation.DEP.name for mention in mentions)


def _bunsetsu(sentence: Sentence, new: _Words) -> tuple[list[int], list[int]]:
    """Return the bunsetsu of each new word, and their heads."""
    joined = [False] * len(sentence.heads)
    first_of: list[int] = []
    for word in range(len(new.words)):
        shared = new.gold_sharing(word) or range(1)
        first, last = sentence.bunsetsu[shared[0]], sentence.bunsetsu[shared[-1]]
        joined[first + 1 : last + 1] = [True] * (last - first)
        first_of.append(first)
    number_of = list(accumulate((not one for one in joined[1:]), initial=0))
    heads = [-1] * (number_of[-1] + 1)
    for old, head in enumerate(sentence.heads):
        number = number_of[old]
        if head == -1 or number_of[head] != number:
            heads[number] = -1 if head == -1 else number_of[head]
    return [number_of[first] for first in first_of], repair_tree(heads)[0]
