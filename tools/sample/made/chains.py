"""Sentences of one to four clauses about a topic, the earlier clauses leading to the later ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from made import events, lexicon
from made.discourse import Discourse
from made.events import Event
from made.grammar import COMMA, FULL_STOP, ClauseShape, Grammar
from made.lexicon import GA, NI, WO
from made.morphology import (
    ACTIVE,
    CAUSATIVE,
    PASSIVE,
    PAST,
    PLAIN,
    STEM,
    TARA,
    TE,
    inflect,
)
from made.reports import with_content
from made.tree import Bunsetsu, Entity, Filler, Token


@dataclass(frozen=True, slots=True)
class Link:
    """How a clause leads to the next one.

    Attributes:
        form: form of the clause's predicate.
        tail: the connective after it.
        noun: a noun that carries the clause (とき, ため) with its particle; it is a bunsetsu of its own.
        comma: how often a comma follows.
        label: kind of dependency (D, or P for coordination).
        needs: note of the verb table that the predicate must have.
        excludes: note that it must not have; such a link takes plain acts only, no passives.
        contrast: the next clause says the opposite of what one expects.
        cause: the next clause is often a reaction.
    """

    form: str
    tail: tuple[str, ...] = ()
    noun: tuple[str, ...] = ()
    comma: float = 0.5
    label: str = "D"
    needs: str | None = None
    excludes: str | None = None
    contrast: bool = False
    cause: bool = False


@dataclass(frozen=True, slots=True)
class _Steps:
    """The links before and after a clause (None at the sentence's ends): what kind of event fits."""

    before: Link | None
    onward: Link | None

    @property
    def is_willed(self) -> bool:
        """Whether the subject must act on purpose: …するために, …しながら and the like on either side."""
        to = self.onward is not None and self.onward.excludes is not None
        after = self.before is not None and (self.before.needs or self.before.excludes) is not None
        return to or after

    @property
    def is_reaction(self) -> bool:
        """Whether the clause says what came of a cause."""
        return self.onward is None and self.before is not None and self.before.cause

    @property
    def allow_property(self) -> bool:
        """Whether an adjective fits: alone, as a cause or contrast, or as what came of a cause."""
        last = self.onward is None or (self.onward.form == PAST and not self.onward.noun)
        return last and (self.before is None or self.before.cause)


_AND = Link(TE, comma=0.55)
BECAUSE = Link(PAST, ("ので",), comma=0.85, cause=True)
BUT = Link(PAST, ("が",), comma=1.0, contrast=True)

# (link, weight) between two clauses of the same subject, and between any two.
_SAME_SUBJECT: tuple[tuple[Link, int], ...] = (
    (_AND, 42),
    (Link(STEM, comma=1.0, label="P"), 22),
    (Link(STEM, ("ながら",), comma=0.3, needs="long"), 7),
    (Link(PLAIN, noun=("ため", "に"), comma=0.3, excludes="auto"), 8),
    (Link(PLAIN, noun=("前", "に"), comma=0.4, excludes="auto"), 4),
    (Link(PAST, noun=("後",), comma=1.0, excludes="auto"), 5),
    (BECAUSE, 5),
    (BUT, 7),
)
_ANY_SUBJECT: tuple[tuple[Link, int], ...] = (
    (BECAUSE, 28),
    (BUT, 22),
    (Link(PLAIN, ("と",), comma=0.8), 14),
    (Link(PAST, noun=("とき", "に"), comma=0.5), 9),
    (Link(PAST, noun=("ため",), comma=1.0, cause=True), 10),
    (Link(TARA, comma=0.6), 7),
    (Link(STEM, comma=1.0, label="P"), 10),
)
_NUMBER_OF_CLAUSES = ((1, 15), (2, 42), (3, 32), (4, 11))
_SHARE_OF_OTHER_SUBJECTS = 0.26
_TOPIC_PERSISTS = 0.72
_SHARE_OF_CONTENT_CLAUSES = 0.2
_MOVE, _END = frozenset({"move"}), frozenset({"end", "state"})


def chain(grammar: Grammar) -> Bunsetsu | None:
    """Make one to four clauses, mostly about the topic; None when nothing fits."""
    topic = next_topic(grammar)
    if topic is None:
        return None
    count = grammar.weighted(_NUMBER_OF_CLAUSES)
    subjects = _subjects(grammar, topic, count)
    mark = topic_mark(grammar, topic) if count > 1 else "は"
    opening = grammar.opening(has_topic=mark in ("は", "も"))
    phrase = grammar.topic_phrase(topic, mark) if mark else None
    grammar.memory.topic = topic
    clauses = _clauses(grammar, subjects, grammar.discourse.before.antecedents(WO)[:3])
    root = assemble(grammar, clauses, topic, phrase, mark)
    if root is not None:
        root.modifiers[:0] = opening
    return root


def assemble(
    grammar: Grammar,
    clauses: Sequence[tuple[Bunsetsu, Entity]],
    topic: Entity,
    phrase: Bunsetsu | None,
    mark: str | None,
) -> Bunsetsu | None:
    """Hang each clause (with its subject) on the next one or the last, and the topic's phrase on its clause.

    は and も go with the last clause of the topic, が with the first. Returns the root, or None when the
    phrase has no clause to go with.
    """
    own = [index for index, (_, subject) in enumerate(clauses) if subject is topic]
    if not clauses or (phrase is not None and not own):
        return None
    home = -1 if phrase is None else own[0] if mark == "が" else own[-1]
    last = len(clauses) - 1
    parents = [last if index > home and grammar.chance(0.35) else index + 1 for index in range(last)]
    for index, (node, _) in enumerate(clauses):
        children = [clauses[child][0] for child in range(last) if parents[child] == index]
        if index == home and phrase is not None:
            late = bool(children) and (mark == "が" or _has_topic(children[0]) or grammar.chance(0.15))
            children = [*children, phrase] if late else [phrase, *children]
        _predicate_of(node).modifiers[:0] = children
    root = clauses[last][0]
    if phrase is not None and mark == "が":
        _avoid_two_subjects(root, phrase)
    return root


def _has_topic(clause: Bunsetsu) -> bool:
    """Tell whether a clause has a は of its own, so that the sentence's topic should come after it."""
    return any(token.surface == "は" for unit in clause.walk() for token in unit.tokens)


def _avoid_two_subjects(root: Bunsetsu, phrase: Bunsetsu) -> None:
    """Turn the が of ``phrase`` into は when the next bunsetsu has a が as well (会社が社長が送った…)."""
    units = root.walk()
    following = units[units.index(phrase) + 1]
    is_clause = any(token.annotation is not None for token in following.tokens)  # its が is a connective
    if not is_clause and any(token.surface == "が" for token in following.tokens):
        phrase.tokens = [Token("は") if token.surface == "が" else token for token in phrase.tokens]


def next_topic(grammar: Grammar) -> Entity | None:
    """Return the document's topic; it persists, or shifts to somebody who was mentioned or is new."""
    discourse = grammar.discourse
    if discourse.topic is not None and not discourse.topic.gone and grammar.chance(_TOPIC_PERSISTS):
        return discourse.topic
    candidates = [
        entity
        for entity in discourse.before.antecedents(GA)
        if entity is not discourse.topic and entity.noun.surface in lexicon.AGENTS
    ]
    if candidates and grammar.chance(0.6):
        discourse.topic = candidates[0]
    else:
        discourse.topic = discourse.new_entity(lexicon.HUMANS) or discourse.topic
    return discourse.topic


def topic_mark(grammar: Grammar, topic: Entity) -> str | None:
    """Choose は, が or も for the topic's phrase; None leaves it out, when the sentence before has it."""
    draw = grammar.discourse.random.random()
    if grammar.discourse.before.has(topic) and draw < 0.33:
        return None
    return "は" if draw < 0.82 else "が" if draw < 0.94 else "も"


def passive(discourse: Discourse, patient: Entity, about: Sequence[Entity]) -> Event | None:
    """Make an event that happens to ``patient``; often nobody says by whom.

    With a verb of giving に marks the receiver, so the one who gives is never said.
    """
    predicate = events.involving(discourse, patient, WO, frozenset({"nopass", "new"}))
    if predicate is None:
        return None
    roles: dict[str, Filler] = {WO: patient}
    if NI in predicate.frame:
        event = events.fill(discourse, predicate, roles, empty=GA)
        return None if event is None else Event(predicate, event.roles, PASSIVE)
    if discourse.random.random() < 0.7:
        agents = [entity for entity in about if predicate.accepts(GA, entity.noun) and entity is not patient]
        agent = agents[0] if agents else discourse.new_entity(predicate.frame[GA])
        if agent is None:
            return None
        roles[GA] = agent
    return Event(predicate, roles, PASSIVE)


def _subjects(grammar: Grammar, topic: Entity, count: int) -> list[Entity]:
    """Decide the subject of each clause: the topic, but for some of the earlier ones."""
    subjects = [topic] * count
    for index in range(count - 1):
        if grammar.chance(_SHARE_OF_OTHER_SUBJECTS):
            subjects[index] = grammar.somebody(topic) or topic
    return subjects


def _clauses(
    grammar: Grammar, subjects: Sequence[Entity], about: list[Entity]
) -> list[tuple[Bunsetsu, Entity]]:
    """Make the clauses one after the other; each can take up what those before it spoke of."""
    clauses: list[tuple[Bunsetsu, Entity]] = []
    exclude: frozenset[str] = frozenset()
    links: list[Link] = []
    for index, subject in enumerate(subjects):
        before = links[-1] if links else None
        if index == len(subjects) - 1:
            made = _last_clause(grammar, subject, about, exclude, before)
        else:
            links.append(_link(grammar, subject is subjects[index + 1], links))
            made = _leading_clause(grammar, subject, about, exclude | _END, before, links[-1])
        if made is None:
            return []
        node, event = made
        clauses.append((node, subject))
        if event is not None:
            others = [f for case, f in event.arguments().items() if case != GA and isinstance(f, Entity)]
            about = others + about[:2]
            exclude = exclude | (event.predicate.notes & _MOVE)
    return clauses


def _link(grammar: Grammar, same_subject: bool, before: Sequence[Link]) -> Link:
    """Choose a link; a sentence has a connective only once."""
    table = _SAME_SUBJECT if same_subject else _ANY_SUBJECT
    used = [link for link in before if link.tail or link.noun]
    return grammar.weighted([(link, weight) for link, weight in table if link not in used])


def _leading_clause(
    grammar: Grammar,
    subject: Entity,
    about: list[Entity],
    exclude: frozenset[str],
    before: Link | None,
    link: Link,
) -> tuple[Bunsetsu, Event] | None:
    """Make a clause that follows ``before`` and ends in ``link``."""
    event = _event(grammar, subject, about, exclude, _Steps(before, link))
    if event is None:
        return None
    comma = (COMMA,) if grammar.chance(link.comma) else ()
    shape = ClauseShape(form=_form(link, event), unsaid_subject=_unsaid(grammar, subject))
    if link.noun:
        clause = grammar.clause(event, shape)
        return Bunsetsu([Token(part) for part in (*link.noun, *comma)], [clause]), event
    shape.tail = (*link.tail, *comma)
    deniable = not event.predicate.is_adjective and link.form in (PAST, TARA)
    shape.negative = deniable and grammar.chance(0.08)
    others = subject is not grammar.memory.topic
    shape.contrast = others and before is None and link.contrast and grammar.chance(0.6)
    node = grammar.clause(event, shape)
    node.link = link.label
    return node, event


def _last_clause(
    grammar: Grammar, subject: Entity, about: list[Entity], exclude: frozenset[str], before: Link | None
) -> tuple[Bunsetsu, Event | None] | None:
    unsaid = _unsaid(grammar, subject)
    if grammar.chance(_SHARE_OF_CONTENT_CLAUSES):
        node = with_content(grammar, subject, about, unsaid)
        if node is not None:
            return node, None
    event = _event(grammar, subject, about, exclude, _Steps(before, None))
    if event is None:
        return None
    shape = ClauseShape(tail=(FULL_STOP,), unsaid_subject=unsaid)
    deniable = not event.predicate.is_adjective and event.voice != CAUSATIVE
    likely = 0.4 if before is not None and before.contrast else 0.05
    shape.negative = deniable and (before is None or not before.noun) and grammar.chance(likely)
    shape.progressive = deniable and not shape.negative and _lasts(grammar, event)
    shape.form = PLAIN if shape.progressive and grammar.chance(0.4) else PAST
    return grammar.clause(event, shape), event


def _lasts(grammar: Grammar, event: Event) -> bool:
    """Tell whether the predicate takes ている: always a state, else seldom."""
    if event.voice != ACTIVE:
        return False
    if "state" in event.predicate.notes:
        return grammar.chance(0.8)
    return not event.predicate.notes & {"move", "auto", "got"} and grammar.chance(0.09)


def _form(link: Link, event: Event) -> str:
    """Return the link's form of the predicate; て instead of a continuative of one kana (見, 来)."""
    inflected = inflect(event.predicate.word, link.form, event.voice)
    is_short = link.form == STEM and not link.tail and len("".join(inflected.parts)) == 1
    return TE if is_short else link.form


def _unsaid(grammar: Grammar, subject: Entity) -> Entity | None:
    return subject if grammar.memory.topic is subject else None


def _event(
    grammar: Grammar, subject: Entity, about: list[Entity], exclude: frozenset[str], steps: _Steps
) -> Event | None:
    """Choose what happens: mostly an act of the subject; also a passive, a causative, a property."""
    discourse = grammar.discourse
    if steps.onward is not None and steps.onward.needs is not None:
        return _event_with_note(discourse, subject, steps.onward.needs)
    if steps.is_willed:
        return events.choose(discourse, subject, about, exclude | {"auto", "end"})
    if steps.is_reaction and grammar.chance(0.5):
        return _event_with_note(discourse, subject, "react", about)
    draw = discourse.random.random()
    event: Event | None = None
    if draw < 0.11:
        event = passive(discourse, subject, about)
    elif draw < 0.24:
        event = _causative(discourse, subject, about)
    elif draw < 0.28 and steps.allow_property:
        event = _property(discourse, subject)
    return event or events.choose(discourse, subject, about, exclude)


def _property(discourse: Discourse, subject: Entity) -> Event | None:
    options = events.adjectives_of(subject.noun.surface)
    return Event(discourse.random.choice(options), {GA: subject}) if options else None


def _event_with_note(
    discourse: Discourse, subject: Entity, note: str, about: Sequence[Entity] = ()
) -> Event | None:
    """Choose an event with a note of the verb table, if possible about something of ``about``."""
    recent = discourse.lemmas[-8:]
    options = [
        verb
        for verb in events.verbs_of(GA, subject.noun.surface)
        if note in verb.notes and verb.name not in recent
    ]
    if not options:
        return None
    verb = discourse.random.choice(options)
    roles: dict[str, Filler] = {GA: subject}
    case = WO if WO in verb.frame else NI
    known = [entity for entity in about if entity is not subject and verb.accepts(case, entity.noun)]
    if known:
        roles[case] = known[0]
    return events.fill(discourse, verb, roles)


def _causative(discourse: Discourse, causer: Entity, about: Sequence[Entity]) -> Event | None:
    """Make somebody who has a say let or make somebody else act."""
    if causer.noun.surface not in lexicon.CAUSERS:
        return None
    known = [entity for entity in about if entity.noun.surface in lexicon.CAUSEES and entity is not causer]
    causee = known[0] if known else discourse.new_entity(lexicon.CAUSEES)
    if causee is None:
        return None
    others = [entity for entity in about if entity is not causer]
    event = events.choose(discourse, causee, others, frozenset({"auto"}))
    if event is None or causer in event.roles.values():
        return None
    return Event(event.predicate, event.roles, CAUSATIVE, causer)


def _predicate_of(node: Bunsetsu) -> Bunsetsu:
    """Return the predicate's bunsetsu of a clause that may end in a noun (とき) of its own."""
    has_predicate = any(token.annotation is not None for token in node.tokens)
    return node if has_predicate or not node.modifiers else node.modifiers[-1]
