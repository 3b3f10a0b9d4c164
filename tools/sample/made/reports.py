"""Clauses inside clauses: what people say, order, decide and think, and who is meant by their unsaid subject.

With 約束する or 決める the unsaid subject is the one who promises or decides, with 頼む or 命じる the one
who is asked: the verb tells, not the distance.
"""

from __future__ import annotations

import functools

from made import events, lexicon
from made.discourse import Discourse
from made.events import Event
from made.grammar import FULL_STOP, ClauseShape, Grammar
from made.lexicon import GA, NI, WO, ClauseVerb, Noun
from made.morphology import IMPERATIVE, PAST, PLAIN, VOLITIONAL
from made.tree import READER, Bunsetsu, Entity, Filler, Token

_FACT = Noun("こと", "fact")


def new_fact() -> Entity:
    """Return the entity of a こと clause."""
    return Entity(_FACT, known=True)


def fact_phrase(fact: Entity, clause: Bunsetsu, mark: str) -> Bunsetsu:
    """Return こと with its clause and a particle."""
    return Bunsetsu([Token(_FACT.surface, fact), Token(mark)], [clause])


def with_content(
    grammar: Grammar, subject: Entity, about: list[Entity], unsaid: Entity | None
) -> Bunsetsu | None:
    """Make the last clause of a sentence, in which ``subject`` says or thinks something.

    Args:
        grammar: of the sentence.
        subject: who speaks.
        about: what the content can be about.
        unsaid: the subject, when the sentence has a phrase for it already.
    """
    discourse = grammar.discourse
    options = clause_verbs_of(subject.noun.surface)
    if not options:
        return None
    verb = discourse.random.choice(options)
    addressee = _addressee(grammar, verb, subject, about)
    actor = _actor(grammar, verb, subject, addressee)
    content = _content(grammar, verb, actor, about) if actor is not None else None
    if content is None:
        return None
    roles: dict[str, Filler] = {GA: subject}
    if addressee is not None:
        roles[NI] = addressee
    fact = new_fact()
    if verb.kind == "こと":
        roles[WO] = fact
    shape = ClauseShape(tail=(FULL_STOP,), unsaid_subject=unsaid, has_phrase=fact)
    shape.progressive = verb.kind in ("思", "志") and grammar.chance(0.4)
    node = grammar.clause(Event(verb.predicate, roles), shape)
    clause = _content_clause(grammar, verb, content, fact)
    node.modifiers.insert(0 if grammar.chance(0.2) else len(node.modifiers), clause)
    return node


@functools.cache
def clause_verbs_of(subject: str) -> tuple[ClauseVerb, ...]:
    """Return the verbs with a clause that the noun ``subject`` can be the subject of."""
    return tuple(verb for verb in lexicon.CLAUSE_VERBS if subject in verb.predicate.frame[GA])


def _addressee(grammar: Grammar, verb: ClauseVerb, subject: Entity, about: list[Entity]) -> Entity | None:
    discourse = grammar.discourse
    if NI not in verb.predicate.frame or (verb.whose != "ni" and grammar.chance(0.5)):
        return None
    if verb.kind == "命" and grammar.chance(0.25):
        return None
    for entity in (*about, *discourse.living()):
        fits = entity is not subject and not entity.gone and verb.predicate.accepts(NI, entity.noun)
        if fits and grammar.chance(0.5):
            return entity
    return discourse.new_entity(verb.predicate.frame[NI])


def _actor(grammar: Grammar, verb: ClauseVerb, subject: Entity, addressee: Entity | None) -> Filler | None:
    """Return the subject of the content; the reader of the text when an order goes to nobody in it."""
    if verb.whose == "ga":
        return subject
    if verb.whose == "ni":
        return addressee or (READER if verb.kind == "命" else None)
    others = (subject,) if addressee is None else (subject, addressee)
    return grammar.somebody(*others)


def _content(grammar: Grammar, verb: ClauseVerb, actor: Filler, about: list[Entity]) -> Event | None:
    if not isinstance(actor, Entity):
        return _act_of_anybody(grammar.discourse)
    willed = frozenset({"auto"} if verb.whose != "other" else ())
    return events.choose(grammar.discourse, actor, about, willed)


def _act_of_anybody(discourse: Discourse) -> Event | None:
    """Return an act of the reader: whatever anybody can do."""
    anybody = Entity(lexicon.NOUNS["客"])
    event = events.choose(discourse, anybody, [], frozenset({"auto", "given"}))
    if event is not None:
        event.roles[GA] = READER
    return event


def _content_clause(grammar: Grammar, verb: ClauseVerb, content: Event, fact: Entity) -> Bunsetsu:
    quoted = verb.kind == "命" or (verb.kind == "と" and grammar.chance(0.5))
    subject = content.roles[GA]
    controlled = subject if verb.whose != "other" and isinstance(subject, Entity) else None
    shape = ClauseShape(_form(verb), _tail(verb.kind, quoted), unsaid_subject=controlled, embedded=True)
    clause = grammar.clause(content, shape)
    if quoted:
        clause.walk()[0].tokens.insert(0, Token("「"))
    return fact_phrase(fact, clause, "を") if verb.kind == "こと" else clause


def _form(verb: ClauseVerb) -> str:
    if verb.kind == "命":
        return IMPERATIVE
    if verb.kind == "志":
        return VOLITIONAL
    return PAST if verb.whose == "other" or verb.is_about_past else PLAIN


def _tail(kind: str, quoted: bool) -> tuple[str, ...]:
    if kind == "よう":
        return ("ように",)
    if kind == "こと":
        return ()
    return ("」", "と") if quoted else ("と",)
