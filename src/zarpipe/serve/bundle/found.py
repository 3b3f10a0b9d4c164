"""What a bundle is given and what it finds: sentences of words, their predicates and arguments."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GivenSentence:
    """A sentence to be analysed.

    Attributes:
        tokens: its words, at least one.
        predicates: the words (from 0) that are predicates, each once; None: they are to be found.
        bunsetsu: the number of each word's bunsetsu, from 0; None: they are to be found if they can be.
    """

    tokens: tuple[str, ...]
    predicates: tuple[int, ...] | None = None
    bunsetsu: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True)
class FoundArgument:
    """An argument: its case, its token (from 0), and its probability."""

    case: str
    token: int
    probability: float


@dataclass(frozen=True)
class FoundPredicate:
    """A predicate.

    Attributes:
        token: its token, from 0.
        arguments: in the order of the cases, at most one of each.
        probability: that it is a predicate; None where it was given.
    """

    token: int
    arguments: tuple[FoundArgument, ...]
    probability: float | None = None


@dataclass(frozen=True)
class AnalysedSentence:
    """An analysed sentence.

    Attributes:
        tokens: its words.
        predicates: in text order where they were found, else as they were given.
        bunsetsu: the number of each word's bunsetsu, from 0; None where they were neither given nor found.
    """

    tokens: tuple[str, ...]
    predicates: tuple[FoundPredicate, ...]
    bunsetsu: tuple[int, ...] | None = None
