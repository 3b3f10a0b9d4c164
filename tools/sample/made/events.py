"""Choosing who does what: events that fit the lexicon's case frames and what the document has said."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

from made import lexicon
from made.discourse import Discourse
from made.lexicon import CASES, GA, NI, WO, Predicate
from made.morphology import ACTIVE, CAUSATIVE, PASSIVE
from made.tree import Entity, Filler

_SHARE_ABOUT_KNOWN = 0.75  # events that involve something already spoken of, when there is one
_SHARE_OF_FILLERS_KNOWN = 0.45
_SHARE_OF_OPTIONAL_FILLED = 0.4
_LEMMAS_NOT_REPEATED = 14
_TRIES = 6
_FEW_SUBJECTS = 40  # nouns; human has twice as many


@dataclass(slots=True, eq=False)
class Event:
    """A predicate with its participants by deep case; ``arguments`` gives them by surface case.

    The corpus annotates surface cases: in a passive the patient is ga and the agent ni (with a verb of giving
    the receiver); in a causative the causer is ga and the one who acts is ni (o, when the verb has no o).
    """

    predicate: Predicate
    roles: dict[str, Filler]
    voice: str = ACTIVE
    causer: Entity | None = None

    def arguments(self) -> dict[str, Filler]:
        """Return the participants by surface case."""
        arguments = {
            case: self.roles[deep] for case, deep in self._deep_cases().items() if deep in self.roles
        }
        if self.causer is not None:
            arguments[GA] = self.causer
        return arguments

    def accepts(self, case: str, entity: Entity) -> bool:
        """Tell whether the predicate can take ``entity`` as the surface case ``case``."""
        if self.voice == CAUSATIVE and case == GA:
            return entity.noun.surface in lexicon.HUMANS
        deep = self._deep_cases().get(case)
        return deep is not None and self.predicate.accepts(deep, entity.noun)

    def _deep_cases(self) -> dict[str, str]:
        """Return the deep case that each surface case stands for."""
        if self.voice == ACTIVE:
            return _ACTIVE_CASES
        if self.voice == PASSIVE:
            return _PASSIVE_OF_GIVING if NI in self.roles else _PASSIVE_CASES
        return _CAUSATIVE_WITH_O if WO in self.predicate.frame else _CAUSATIVE_CASES


_ACTIVE_CASES = {GA: GA, WO: WO, NI: NI}
_PASSIVE_CASES = {GA: WO, NI: GA}
_PASSIVE_OF_GIVING = {GA: WO, NI: NI}
_CAUSATIVE_WITH_O = {WO: WO, NI: GA}
_CAUSATIVE_CASES = {WO: GA, NI: NI}


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
    for _ in range(_TRIES):
        predicate = _typical(discourse, subject, exclude)
        event = fill(discourse, predicate, {GA: subject}) if predicate is not None else None
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


def fill(
    discourse: Discourse, predicate: Predicate, roles: dict[str, Filler], empty: str | None = None
) -> Event | None:
    """Give each open case of the frame, but for ``empty``, a participant, known or new.

    None when one cannot be filled.
    """
    filled = dict(roles)
    for case in CASES:
        if case not in predicate.frame or case in filled or case == empty:
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
    thing = event.roles.get(WO)
    notes = event.predicate.notes
    if not isinstance(thing, Entity):
        return
    if "gone" in notes:
        thing.gone = True
    receiver = event.roles.get(NI) if "given" in notes else event.roles.get(GA)
    if ("given" in notes or "got" in notes) and isinstance(receiver, Entity):
        thing.holder = receiver


def possible(predicate: Predicate, subject: Filler | None, thing: Entity) -> bool:
    """Tell whether ``subject`` can do this to ``thing``: who has it, whether it exists yet."""
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
    """Return the verbs that say what happens to ``noun`` by itself."""
    return tuple(verb for verb in verbs_of(GA, noun) if WO not in verb.frame and "auto" in verb.notes)


@functools.cache
def _verbs_between(subject: str, other: str) -> tuple[tuple[tuple[Predicate, str], ...], tuple[int, ...]]:
    """Return the verbs that can be between two nouns, with the case of the second, and cumulative weights."""
    options = tuple(
        (verb, case)
        for verb in verbs_of(GA, subject)
        for case in (WO, NI)
        if other in verb.frame.get(case, frozenset())
    )
    return options, tuple(itertools.accumulate(_weight(verb, case) for verb, case in options))


def _weight(verb: Predicate, case: str = WO) -> int:
    """Return how typical a verb is: the fewer can do it, and the fewer it can be done to, the more."""
    rare_subject = len(verb.frame[GA]) < _FEW_SUBJECTS
    rare_object = case in verb.frame and len(verb.frame[case]) < _FEW_SUBJECTS
    return 1 + 3 * rare_subject + 2 * rare_object


def _typical(discourse: Discourse, subject: Entity, exclude: frozenset[str]) -> Predicate | None:
    """Draw a verb for the subject: what few can do counts more, and what fits the scene comes first."""
    options, weights = _weighted_verbs(subject.noun.surface)
    drawn = discourse.random.choices(options, cum_weights=weights, k=3) if options else []
    allowed = [predicate for predicate in drawn if _allowed(discourse, predicate, exclude)]
    at_home = (predicate for predicate in allowed if _fits(predicate, discourse.scene))
    return next(at_home, allowed[0] if allowed else None)


def _fits(predicate: Predicate, scene: frozenset[str]) -> bool:
    return all(case == GA or not nouns.isdisjoint(scene) for case, nouns in predicate.frame.items())


@functools.cache
def _weighted_verbs(subject: str) -> tuple[tuple[Predicate, ...], tuple[int, ...]]:
    """Return the verbs of a subject and their cumulative weights: more for a verb of few subjects."""
    options = verbs_of(GA, subject)
    return options, tuple(itertools.accumulate(_weight(verb) for verb in options))


def _about(
    discourse: Discourse, subject: Entity, about: list[Entity], exclude: frozenset[str]
) -> Event | None:
    others = [entity for entity in about if entity is not subject and not entity.gone]
    discourse.random.shuffle(others)
    for entity in others:
        options, weights = _verbs_between(subject.noun.surface, entity.noun.surface)
        for predicate, case in discourse.random.choices(options, cum_weights=weights, k=3) if options else ():
            if _allowed(discourse, predicate, exclude) and (
                case != WO or possible(predicate, subject, entity)
            ):
                event = fill(discourse, predicate, {GA: subject, case: entity})
                if event is not None:
                    return event
    return None


def _allowed(discourse: Discourse, predicate: Predicate, exclude: frozenset[str]) -> bool:
    recent = discourse.lemmas[-_LEMMAS_NOT_REPEATED:]
    return predicate.name not in recent and not (exclude & predicate.notes)


def _participant(
    discourse: Discourse, predicate: Predicate, case: str, filled: dict[str, Filler]
) -> Entity | None:
    if discourse.random.random() < _SHARE_OF_FILLERS_KNOWN:
        known = [
            entity
            for entity in discourse.living()
            if predicate.accepts(case, entity.noun)
            and entity not in filled.values()
            and (case != WO or possible(predicate, filled.get(GA), entity))
        ]
        if known:
            return discourse.random.choice(known[:3])
    return discourse.new_entity(predicate.frame[case])
