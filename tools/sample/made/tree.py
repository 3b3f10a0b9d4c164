"""Sentences as dependency trees of bunsetsu whose tokens carry the annotation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from made.lexicon import Noun

# Exophora as the NAIST Text Corpus codes it: writer, reader, people in general.
WRITER, READER, PEOPLE = "exo1", "exo2", "exog"
EXOPHORA = (WRITER, READER, PEOPLE)
TARGET, EVENT_NOUN = "pred", "event"


@dataclass(slots=True, eq=False)
class Entity:
    """Somebody or something that a document speaks about.

    Attributes:
        noun: what it is.
        name: surname, for some people.
        title: what follows the surname (さん, 氏, or nothing).
        known: the reader has met it.
        gone: it is used up or has left; nobody speaks of it as a participant again.
        holder: who has it, when the document has said so.
    """

    noun: Noun
    name: str | None = None
    title: str = ""
    known: bool = False
    gone: bool = False
    holder: Entity | None = None


Filler = Entity | str  # an entity or one of EXOPHORA


@dataclass(slots=True, eq=False)
class Annotation:
    """What a predicate or event noun carries: its type, voice and who fills which case.

    ``pos`` are the parts of speech that its word can have.
    """

    kind: str
    voice: str | None
    arguments: dict[str, Filler]
    pos: tuple[str, ...] = ("名詞",)


@dataclass(slots=True, eq=False)
class Token:
    """A part of a sentence.

    Attributes:
        surface: as it is written.
        entity: of which it is a mention.
        annotation: what it has cases of.
        tags: lemma, part of speech and its sub part, once it is a word (`made.words`).
    """

    surface: str
    entity: Entity | None = None
    annotation: Annotation | None = None
    tags: tuple[str, str, str] = ("", "", "")


@dataclass(slots=True, eq=False)
class Bunsetsu:
    """A phrase unit and, in text order, those that depend on it; all of them precede it."""

    tokens: list[Token]
    modifiers: list[Bunsetsu] = field(default_factory=list)
    link: str = "D"

    def walk(self) -> list[Bunsetsu]:
        """Return the bunsetsu of this subtree in text order."""
        units: list[Bunsetsu] = []
        for modifier in self.modifiers:
            units += modifier.walk()
        units.append(self)
        return units


@dataclass(frozen=True, slots=True)
class Sentence:
    """The bunsetsu of a sentence in text order, with the number of the one each depends on (-1: the last)."""

    bunsetsu: tuple[Bunsetsu, ...]
    heads: tuple[int, ...]

    def tokens(self) -> Iterator[Token]:
        """Yield the tokens in text order."""
        for unit in self.bunsetsu:
            yield from unit.tokens


def sentence_of(root: Bunsetsu) -> Sentence:
    """Number the bunsetsu of a tree. Heads always follow, and no two dependencies cross."""
    units = root.walk()
    numbers = {id(unit): number for number, unit in enumerate(units)}
    heads = [-1] * len(units)
    for unit in units:
        for modifier in unit.modifiers:
            heads[numbers[id(modifier)]] = numbers[id(unit)]
    return Sentence(tuple(units), tuple(heads))
