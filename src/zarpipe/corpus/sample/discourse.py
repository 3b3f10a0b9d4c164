"""What a document has said so far, and what a reader can find again when it is left unsaid.

The maker leaves an argument out when a reader who knows the language finds it: ``Memory.antecedents`` is that
reader. It ranks what was mentioned (subjects look for topic and subjects first, the other cases for the most
recent non-subject) and keeps what the predicate can take there. So what is unsaid follows from the topic and
from selectional restrictions, not from distance.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from zarpipe.corpus.sample import lexicon
from zarpipe.corpus.sample.lexicon import GA
from zarpipe.corpus.sample.tree import Entity

_SHARE_OF_NAMED_PEOPLE = 0.3
_REMEMBERED = 12


@dataclass(slots=True)
class Memory:
    """The mentions of one sentence in the order in which they were made, and its topic."""

    topic: Entity | None = None
    mentions: list[tuple[Entity, str]] = field(default_factory=list)

    def mention(self, entity: Entity, case: str) -> None:
        """Note that ``entity`` was named as ``case`` (``adjunct`` for none of the three cases)."""
        self.mentions.append((entity, case))

    def has(self, entity: Entity) -> bool:
        """Tell whether the sentence has named the entity."""
        return entity is self.topic or any(entity is mentioned for mentioned, _ in self.mentions)

    def antecedents(self, case: str) -> list[Entity]:
        """Rank the entities of the sentence as antecedents of an unexpressed argument, the best first."""
        recent = list(reversed(self.mentions))
        subjects = [entity for entity, role in recent if role == GA]
        others = [entity for entity, role in recent if role != GA]
        topic = [self.topic] if self.topic is not None else []
        return _distinct([*topic, *subjects, *others] if case == GA else [*others, *subjects, *topic])


@dataclass(slots=True)
class Discourse:
    """The people and things of a document, its topic, and the sentence before."""

    random: random.Random
    topic: Entity | None = None
    entities: list[Entity] = field(default_factory=list)
    before: Memory = field(default_factory=Memory)
    lemmas: list[str] = field(default_factory=list)

    def new_entity(self, nouns: Iterable[str]) -> Entity | None:
        """Make an entity of one of these nouns that the document does not use yet; None if there is none."""
        used = {entity.noun.surface for entity in self.entities}
        free = sorted(set(nouns) - used)
        if not free:
            return None
        noun = lexicon.NOUNS[self.random.choice(free)]
        entity = Entity(noun)
        if noun.surface in lexicon.HUMANS and noun.semantic_class not in ("family", "public", "suspect"):
            entity.name = self._name()
        self.entities.append(entity)
        return entity

    def living(self) -> list[Entity]:
        """Return the entities that can take part in events, the most recent first."""
        return [entity for entity in reversed(self.entities[-_REMEMBERED:]) if not entity.gone]

    def state(self) -> tuple[Entity | None, list[tuple[Entity, bool, bool, Entity | None]], int]:
        """Return what ``restore`` needs to forget a sentence that came to nothing."""
        entities = [(entity, entity.known, entity.gone, entity.holder) for entity in self.entities]
        return self.topic, entities, len(self.lemmas)

    def restore(
        self, state: tuple[Entity | None, list[tuple[Entity, bool, bool, Entity | None]], int]
    ) -> None:
        """Go back to ``state``."""
        self.topic, entities, lemmas = state
        self.entities = [entity for entity, *_ in entities]
        for entity, known, gone, holder in entities:
            entity.known, entity.gone, entity.holder = known, gone, holder
        del self.lemmas[lemmas:]

    def close_sentence(self, memory: Memory) -> None:
        """Keep the sentence's memory as the one before."""
        self.before = memory

    def _name(self) -> tuple[str, str] | None:
        taken = {entity.name for entity in self.entities}
        if self.random.random() >= _SHARE_OF_NAMED_PEOPLE:
            return None
        name = self.random.choice(lexicon.SURNAMES)
        return None if name in taken else name


def _distinct(entities: Iterable[Entity]) -> list[Entity]:
    seen: set[int] = set()
    kept = []
    for entity in entities:
        if id(entity) not in seen:
            seen.add(id(entity))
            kept.append(entity)
    return kept
