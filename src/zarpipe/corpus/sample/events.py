"""Choosing who does what: events that fit the lexicon's case frames and what the document has said."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from zarpipe.corpus.sample import lexicon
from zarpipe.corpus.sample.discourse import Discourse
from zarpipe.corpus.sample.lexicon import CASES, GA, NI, O, Predicate
from zarpipe.corpus.sample.morphology import ACTIVE, CAUSATIVE, PASSIVE
from zarpipe.corpus.sample.tree import Entity, Filler

_SHARE_ABOUT_KNOWN = 0.6  # events that involve something already spoken of, when there is one
_SHARE_OF_FILLERS_KNOWN = 0.45
_SHARE_OF_OPTIONAL_FILLED = 0.4
_LEMMAS_NOT_REPEATED = 14
_TRIES = 6


@dataclass(slots=True, eq=False)
class Event:
    """A predicate with its participants by deep case; ``arguments`` gives them by surface case.

    The corpus annotates surface cases: in a passive the patient is ga and the agent ni; in a causative the
    causer is ga and the one who acts is ni (o, when the verb itself has no o).
    """

    predicate: Predicate
    roles: dict[str, Filler]
    voice: str = ACTIVE
    causer: Entity | None = None

    def arguments(self) -> dict[str, Filler]:
        """Return the participants by surface case, in the order ga, o, ni."""
        return {case: self.roles[deep] for case, deep in self._deep_cases() if deep in self.roles} | (
            {GA: self.causer} if self.causer is not None else {}
        )

    def accepts(self, case: str, entity: Entity) -> bool:
        """Tell whether the predicate can take ``entity`` as the surface case ``case``."""
        if self.voice == CAUSATIVE and case == GA:
            return entity.noun.surface in lexicon.HUMANS
        deep = dict(self._deep_cases()).get(case)
        return deep is not None and self.predicate.accepts(deep, entity.noun)

    def _deep_cases(self) -> tuple[tuple[str, str], ...]:
        if self.voice == PASSIVE:
            return ((GA, O), (NI, GA))
        if self.voice == CAUSATIVE:
            return ((O, O), (NI, GA)) if O in self.predicate.frame else ((O, GA), (NI, NI))
        return ((GA, GA), (O, O), (NI, NI))


def choose(
    discourse: Discourse, subject: Entity, about: list[Entity], exclude: frozenset[str] = frozenset()
) -> Event | None:
    """Choose an event with ``subject`` as its agent, if possible one that involves an entity of ``about``.

    ``exclude`` are notes of the verb table that the event must not have. None when nothing fits.
    """
    if about and discourse.random.random() < _SHARE_ABOUT_KNOWN:
        event = _about(discourse, subject, about, exclude)
        if event is not None:
            return event
    options = verbs_of(GA, subject.noun.surface)
    for _ in range(_TRIES):
        predicate = discourse.random.choice(options) if options else None
        if predicate is not None and _allowed(discourse, predicate, exclude):
            event = fill(discourse, predicate, {GA: subject})
            if event is not None:
                return event
    return None


def involving(discourse: Discourse, entity: Entity, case: str, exclude: frozenset[str]) -> Predicate | None:
    """Choose a verb that can take ``entity`` as the deep case ``case``."""
    options = verbs_of(case, entity.noun.surface)
    for _ in range(_TRIES if options else 0):
        predicate = discourse.random.choice(options)
        if _allowed(discourse, predicate, exclude):
            return predicate
    return None


def fill(discourse: Discourse, predicate: Predicate, roles: dict[str, Filler]) -> Event | None:
    """Give each open case of the frame a participant, known or new; None when one cannot be filled."""
    filled = dict(roles)
    for case in CASES:
        if case not in predicate.frame or case in filled:
            continue
        if case in predicate.optional and discourse.random.random() >= _SHARE_OF_OPTIONAL_FILLED:
            continue
        entity = _participant(discourse, predicate, case, filled)
        if entity is None:
            return None
        filled[case] = entity
    return Event(predicate, filled)


def take_effect(event: Event) -> None:
    """Change what the event changes: things are used up, or get into other hands."""
    thing = event.roles.get(O)
    notes = event.predicate.notes
    if not isinstance(thing, Entity):
        return
    if "gone" in notes:
        thing.gone = True
    receiver = event.roles.get(NI) if "given" in notes else event.roles.get(GA)
    if ("given" in notes or "got" in notes) and isinstance(receiver, Entity):
        thing.holder = receiver


def possible(predicate: Predicate, subject: Filler | None, thing: Entity) -> bool:
    """Tell whether ``subject`` can do this to ``thing`` as things stand: who has it, whether it exists yet."""
    if "new" in predicate.notes:
        return not thing.known
    if "got" in predicate.notes:
        return thing.holder is not subject or thing.holder is None
    return thing.holder is None or thing.holder is subject or subject is None


@functools.cache
def verbs_of(case: str, noun: str) -> tuple[Predicate, ...]:
    """Return the verbs that can take ``noun`` as the deep case ``case``."""
    return tuple(verb for verb in lexicon.VERBS if noun in verb.frame.get(case, frozenset()))


@functools.cache
def adjectives_of(noun: str) -> tuple[Predicate, ...]:
    """Return the adjectives that can be said of ``noun``."""
    return tuple(adjective for adjective in lexicon.ADJECTIVES if noun in adjective.frame[GA])


@functools.cache
def happenings_of(noun: str) -> tuple[Predicate, ...]:
    """Return the verbs that say what happens to ``noun`` by itself: it is their subject, and there is no o."""
    return tuple(verb for verb in verbs_of(GA, noun) if O not in verb.frame and "auto" in verb.notes)


@functools.cache
def _verbs_between(subject: str, other: str) -> tuple[tuple[Predicate, str], ...]:
    return tuple(
        (verb, case)
        for verb in verbs_of(GA, subject)
        for case in (O, NI)
        if other in verb.frame.get(case, frozenset())
    )


def _about(
    discourse: Discourse, subject: Entity, about: list[Entity], exclude: frozenset[str]
) -> Event | None:
    options = [
        (predicate, case, entity)
        for entity in about
        if entity is not subject and not entity.gone
        for predicate, case in _verbs_between(subject.noun.surface, entity.noun.surface)
        if _allowed(discourse, predicate, exclude) and (case != O or possible(predicate, subject, entity))
    ]
    if not options:
        return None
    predicate, case, entity = discourse.random.choice(options)
    return fill(discourse, predicate, {GA: subject, case: entity})


def _allowed(discourse: Discourse, predicate: Predicate, exclude: frozenset[str]) -> bool:
    lemma = predicate.word.verbal_noun[0] if predicate.word.verbal_noun else predicate.word.lemma
    return lemma not in discourse.lemmas[-_LEMMAS_NOT_REPEATED:] and not (exclude & predicate.notes)


def _participant(
    discourse: Discourse, predicate: Predicate, case: str, filled: dict[str, Filler]
) -> Entity | None:
    if discourse.random.random() < _SHARE_OF_FILLERS_KNOWN:
        known = [
            entity
            for entity in discourse.living()
            if predicate.accepts(case, entity.noun)
            and entity not in filled.values()
            and (case != O or possible(predicate, filled.get(GA), entity))
        ]
        if known:
            return discourse.random.choice(known[:3])
    return discourse.new_entity(predicate.frame[case])
