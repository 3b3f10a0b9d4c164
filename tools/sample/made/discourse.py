"""What a document has said so far, and what a reader can find again when it is left unsaid.

The maker leaves an argument out when a reader who knows the language finds it: ``Memory.antecedents`` is that
reader. It ranks what was mentioned (subjects look for topic and subjects first, the other cases for the most
recent non-subject) and keeps what the predicate can take there. So what is unsaid follows from the topic and
from selectional restrictions, not from distance.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from made import lexicon
from made.lexicon import GA, Noun
from made.tree import Entity, Filler

_SHARE_OF_NAMED_PEOPLE = 0.3
_SHARE_FROM_SCENE = 0.9
_REMEMBERED = 12
_NEVER_NAMED = frozenset({"family", "public", "patient", "suspect"})

# What ``Discourse.restore`` goes back to: topic, the entities with what can change of them, number of lemmas.
State = tuple[Entity | None, list[tuple[Entity, bool, bool, Entity | None]], int]


@dataclass(slots=True)
class Memory:
    """The mentions of one sentence in the order in which they were made, and its topic."""

    topic: Entity | None = None
    mentions: list[tuple[Entity, str]] = field(default_factory=list)

    def mention(self, entity: Entity, case: str) -> None:
        """Note that ``entity`` was named as ``case`` (``adjunct`` for none of the three cases)."""
        self.mentions.append((entity, case))

    def has(self, entity: Filler) -> bool:
        """Tell whether the sentence has named the entity."""
        return entity is self.topic or any(entity is mentioned for mentioned, _ in self.mentions)

    def antecedents(self, case: str) -> list[Entity]:
        """Rank the entities of the sentence as antecedents of an unsaid argument, the best first.

        For ga: the topic, subjects, the others. For o and ni: mentions of the same case (parallelism), other
        non-subjects, subjects, the topic. Each the most recent first; an entity can come twice.
        """
        subjects = [entity for entity, role in reversed(self.mentions) if role == GA]
        others = [entity for entity, role in reversed(self.mentions) if role != GA]
        topic = [] if self.topic is None else [self.topic]
        if case == GA:
            return [*topic, *subjects, *others]
        parallel = [entity for entity, role in reversed(self.mentions) if role == case]
        return [*parallel, *others, *subjects, *topic]


@dataclass(slots=True)
class Discourse:
    """The people and things of a document, its topic, and the sentence before.

    Attributes:
        random: where all choices come from.
        scene: the nouns from which new people and things mostly come.
        topic: whom the document is about at the moment.
        entities: all that was introduced, the oldest first.
        before: the memory of the sentence before.
        lemmas: the predicates so far, to keep them from recurring at once.
    """

    random: random.Random
    scene: frozenset[str]
    topic: Entity | None = None
    entities: list[Entity] = field(default_factory=list)
    before: Memory = field(default_factory=Memory)
    lemmas: list[str] = field(default_factory=list)

    def new_entity(self, nouns: frozenset[str]) -> Entity | None:
        """Make an entity of one of these nouns that the document does not use yet; None if there is none."""
        used = {entity.noun.surface for entity in self.entities}
        free = nouns - used
        at_home = free & self.scene
        if at_home and self.random.random() < _SHARE_FROM_SCENE:
            free = at_home
        if not free:
            return None
        noun = lexicon.NOUNS[self.random.choice(sorted(free))]
        entity = Entity(noun)
        if self._is_named(noun):
            self.name(entity)
        self.entities.append(entity)
        return entity

    def name(self, entity: Entity) -> None:
        """Give a person a title and a surname that nobody else in the document has, if one is left."""
        taken = {other.name for other in self.entities}
        free = [name for name in lexicon.SURNAMES if name not in taken]
        entity.name = self.random.choice(free) if free else None
        entity.title = self.random.choice(("", "さん", "氏"))

    def living(self) -> list[Entity]:
        """Return the entities that can take part in events, the most recent first."""
        return [entity for entity in reversed(self.entities[-_REMEMBERED:]) if not entity.gone]

    def state(self) -> State:
        """Return what ``restore`` needs to forget a sentence that came to nothing."""
        entities = [(entity, entity.known, entity.gone, entity.holder) for entity in self.entities]
        return self.topic, entities, len(self.lemmas)

    def restore(self, state: State) -> None:
        """Go back to ``state``."""
        self.topic, entities, lemmas = state
        self.entities = [entity for entity, *_ in entities]
        for entity, known, gone, holder in entities:
            entity.known, entity.gone, entity.holder = known, gone, holder
        del self.lemmas[lemmas:]

    def _is_named(self, noun: Noun) -> bool:
        """Decide whether somebody gets a surname: three of ten of those who are known by their occupation."""
        human = noun.surface in lexicon.HUMANS and noun.semantic_class not in _NEVER_NAMED
        return human and self.random.random() < _SHARE_OF_NAMED_PEOPLE
