"""The kinds of sentences and how often each comes: chains of clauses, turns of events, opinions, …."""

from __future__ import annotations

from collections.abc import Callable

from made import events, lexicon
from made.chains import BECAUSE, BUT, assemble, chain, next_topic, passive, topic_mark
from made.discourse import Discourse, Memory
from made.events import Event
from made.grammar import (
    ADJUNCT,
    COMMA,
    FULL_STOP,
    ClauseShape,
    Grammar,
    nominal_predicate,
    predicate_tokens,
)
from made.lexicon import GA, NI, WO, Predicate
from made.morphology import ACTIVE, PAST, PLAIN, Word, inflect
from made.reports import fact_phrase, new_fact
from made.tree import (
    PEOPLE,
    TARGET,
    WRITER,
    Annotation,
    Bunsetsu,
    Entity,
    Filler,
    Sentence,
    Token,
    sentence_of,
)
from made.words import in_words

_BE = Predicate(Word("ある", "ラ"), {})
_BE_ALIVE = Predicate(Word("いる", "一"), {})
_THINK = Word("思う", "ワ")
_FEELINGS_OF_WEATHER = tuple(lexicon.adjective(lemma) for lemma in ("寒い", "暑い", "暗い"))

_PARTS_OF_DAY = tuple(time for time in lexicon.TIMES_WITH_NI if time in ("朝", "夜", "夕方"))

Kind = Callable[[Grammar], Bunsetsu | None]


def make_sentence(discourse: Discourse, editorial: bool) -> Sentence:
    """Make the next sentence of a document, in words, and update what the document has said."""
    table = _EDITORIAL_KINDS if editorial else _ARTICLE_KINDS
    while True:
        grammar = Grammar(discourse, Memory())
        before = discourse.state()
        root = grammar.weighted(table)(grammar)
        sentence = None if root is None else in_words(sentence_of(root))
        if sentence is not None:
            discourse.before = grammar.memory
            return sentence
        discourse.restore(before)


def _turn_of_events(grammar: Grammar) -> Bunsetsu | None:
    """Make somebody act on something, then something happen to that: 技師は機械を直したが、壊れた."""
    discourse, topic = grammar.discourse, next_topic(grammar)
    event = events.choose(discourse, topic, [], frozenset({"gone"})) if topic is not None else None
    if topic is None or event is None:
        return None
    affected = [filler for case, filler in event.roles.items() if case != GA and isinstance(filler, Entity)]
    happening = _happening(discourse, discourse.random.choice(affected), topic) if affected else None
    if happening is None:
        return None
    mark = topic_mark(grammar, topic) or "は"
    phrase = grammar.topic_phrase(topic, mark)
    link = BUT if grammar.chance(0.5) else BECAUSE
    first = grammar.clause(event, ClauseShape(link.form, (*link.tail, COMMA), unsaid_subject=topic))
    first.modifiers[:0] = [*grammar.opening(has_topic=True), phrase]
    second = grammar.clause(happening, ClauseShape(PAST, (FULL_STOP,)))
    second.modifiers.insert(0, first)
    return second


def _about_thing(grammar: Grammar) -> Bunsetsu | None:
    """Make a sentence whose topic is a thing: what was done to it, and what happened to it."""
    thing = _known_thing(grammar.discourse)
    if thing is None:
        return None
    done = passive(grammar.discourse, thing, ()) if grammar.chance(0.6) else None
    happened = _happening(grammar.discourse, thing) if done is None or grammar.chance(0.5) else None
    stories = [event for event in (done, happened) if event is not None]
    if not stories:
        return None
    phrase = grammar.topic_phrase(thing, "は")
    clauses = []
    for event in stories:
        last = event is stories[-1]
        tail = (FULL_STOP,) if last else (*BUT.tail, COMMA)
        clauses.append((grammar.clause(event, ClauseShape(PAST, tail, unsaid_subject=thing)), thing))
    return assemble(grammar, clauses, thing, phrase, "は")


def _object_topic(grammar: Grammar) -> Bunsetsu | None:
    """Make a sentence whose は phrase is the object: その手紙は社長が読んだ."""
    discourse = grammar.discourse
    thing = _known_thing(discourse)
    predicate = events.involving(discourse, thing, WO, frozenset({"new"})) if thing is not None else None
    if thing is None or predicate is None or thing.holder is not None:
        return None
    roles: dict[str, Filler] = {WO: thing}
    topic = discourse.topic
    if topic is not None and topic.known and predicate.accepts(GA, topic.noun) and grammar.chance(0.5):
        roles[GA] = topic
    event = events.fill(discourse, predicate, roles)
    if event is None:
        return None
    phrase = grammar.topic_phrase(thing, "は")
    node = grammar.clause(event, ClauseShape(PAST, (FULL_STOP,), has_phrase=thing))
    node.modifiers.insert(0, phrase)
    return node


def _existence(grammar: Grammar) -> Bunsetsu | None:
    """Make … には … がある or いる."""
    discourse = grammar.discourse
    alive = grammar.chance(0.4)
    where, what = (
        ("nature land 村 島", "animal wild public")
        if alive
        else ("city 村 町 島 丘", "building 図書館 寺 公園 工場 病院 美術館")
    )
    place = discourse.new_entity(lexicon.members(where))
    being = discourse.new_entity(lexicon.members(what))
    if place is None or being is None:
        return None
    phrase = grammar.noun_phrase(place, ("に", "は"), NI, plain=True)
    shape = ClauseShape(PLAIN if grammar.chance(0.5) else PAST, (FULL_STOP,), has_phrase=place, bare=True)
    node = grammar.clause(Event(_BE_ALIVE if alive else _BE, {GA: being, NI: place}), shape)
    node.modifiers.insert(0, phrase)
    return node


def _introduction(grammar: Grammar) -> Bunsetsu | None:
    """Make 田中さんは京都の医師だ; the noun is the predicate."""
    discourse = grammar.discourse
    person = discourse.new_entity(lexicon.members("official worker doctor scholar media artist cook"))
    town = discourse.new_entity(lexicon.CITIES)
    if person is None or town is None:
        return None
    if person.name is None:
        discourse.name(person)
    if person.name is None:
        return None
    person.known = True
    discourse.topic = person
    phrase = grammar.topic_phrase(person, "は")
    where = grammar.noun_phrase(town, ("の",), ADJUNCT, plain=True)
    form = PLAIN if grammar.chance(0.7) else PAST
    return Bunsetsu([*nominal_predicate(person.noun, person, form), Token(FULL_STOP)], [phrase, where])


def _opinion(grammar: Grammar) -> Bunsetsu | None:
    """Make an editorial's judgement: … すべきだ, … することが必要だ(と思う)."""
    discourse, topic = grammar.discourse, _leader(grammar)
    about = discourse.before.antecedents(WO)[:3]
    event = events.choose(discourse, topic, about, frozenset({"auto", "gone"})) if topic is not None else None
    if topic is None or event is None:
        return None
    phrase = None
    if grammar.chance(0.4):
        event.roles[GA] = PEOPLE
    else:
        mark = topic_mark(grammar, topic)
        phrase = grammar.topic_phrase(topic, mark) if mark else None
        grammar.memory.topic = discourse.topic = topic
    if grammar.chance(0.4):
        node = grammar.clause(event, ClauseShape(PLAIN, ("べきだ", FULL_STOP), unsaid_subject=topic))
    else:
        node = _evaluation(grammar, event, topic, may_be_thought=phrase is None)
    if phrase is not None:
        node.modifiers.insert(0, phrase)
    return node


def _evaluation(grammar: Grammar, event: Event, unsaid_subject: Entity, may_be_thought: bool) -> Bunsetsu:
    """Make … することが必要だ, or と思う after it; a sentence with a topic would make the topic think."""
    fact = new_fact()
    clause = grammar.clause(event, ClauseShape(PLAIN, unsaid_subject=unsaid_subject, embedded=True))
    matter = fact_phrase(fact, clause, "が")
    evaluation = grammar.discourse.random.choice(lexicon.EVALUATIONS)
    judged = predicate_tokens(inflect(evaluation.word, PLAIN), Annotation(TARGET, ACTIVE, {GA: fact}))
    if not may_be_thought or grammar.chance(0.4):
        return Bunsetsu([*judged, Token(FULL_STOP)], [matter])
    thought = predicate_tokens(inflect(_THINK, PLAIN), Annotation(TARGET, ACTIVE, {GA: WRITER}))
    return Bunsetsu([*thought, Token(FULL_STOP)], [Bunsetsu([*judged, Token("と")], [matter])])


def _weather(grammar: Grammar) -> Bunsetsu | None:
    """Make a sentence whose predicate has no argument: 朝は寒かった."""
    random = grammar.discourse.random
    if grammar.discourse.lemmas and grammar.discourse.lemmas[-1] in {f.name for f in _FEELINGS_OF_WEATHER}:
        return None
    when = random.choice(_PARTS_OF_DAY)
    shape = ClauseShape(PAST, (FULL_STOP,), bare=True)
    node = grammar.clause(Event(random.choice(_FEELINGS_OF_WEATHER), {}), shape)
    node.modifiers.insert(0, Bunsetsu([Token(when), Token("は")]))
    return node


def _byline(grammar: Grammar) -> Bunsetsu | None:
    """Make a line without a predicate: （京都・田中）."""
    random = grammar.discourse.random
    parts = ("（", random.choice(sorted(lexicon.CITIES)), "・", random.choice(lexicon.SURNAMES), "）")
    return Bunsetsu([Token(part) for part in parts])


def _known_thing(discourse: Discourse) -> Entity | None:
    """Return the thing that the document spoke of last."""
    for entity in discourse.living():
        if entity.known and entity.noun.surface in lexicon.THINGS:
            return entity
    return None


def _happening(discourse: Discourse, thing: Entity, actor: Entity | None = None) -> Event | None:
    """Choose what happens to ``thing`` by itself, something that cannot happen to ``actor``."""
    options = events.happenings_of(thing.noun.surface)
    if actor is not None:
        options = tuple(verb for verb in options if not verb.accepts(GA, actor.noun))
    return events.fill(discourse, discourse.random.choice(options), {GA: thing}) if options else None


def _leader(grammar: Grammar) -> Entity | None:
    """Return somebody who can be asked to act: the topic, or one who is new."""
    topic = grammar.discourse.topic
    if topic is not None and topic.noun.surface in lexicon.LEADERS and grammar.chance(0.7):
        return topic
    return grammar.discourse.new_entity(lexicon.LEADERS)


_ARTICLE_KINDS: tuple[tuple[Kind, int], ...] = (
    (chain, 74),
    (_turn_of_events, 12),
    (_about_thing, 6),
    (_object_topic, 4),
    (_existence, 3),
    (_introduction, 3),
    (_opinion, 2),
    (_weather, 1),
    (_byline, 2),
)
_EDITORIAL_KINDS: tuple[tuple[Kind, int], ...] = (
    (chain, 56),
    (_opinion, 26),
    (_turn_of_events, 9),
    (_about_thing, 6),
    (_object_topic, 4),
    (_existence, 2),
    (_byline, 1),
)
