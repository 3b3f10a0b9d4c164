"""The kinds of sentences: chains of clauses, reports of what people say, existence, opinion, and a few more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from zarpipe.corpus.sample import events, lexicon
from zarpipe.corpus.sample.discourse import Discourse, Memory
from zarpipe.corpus.sample.events import Event
from zarpipe.corpus.sample.grammar import (
    ADJUNCT,
    COMMA,
    FULL_STOP,
    ClauseShape,
    Grammar,
    nominal_predicate,
    noun,
    particle,
    predicate_tokens,
    symbol,
)
from zarpipe.corpus.sample.lexicon import GA, NI, O, ClauseVerb, Noun, Predicate
from zarpipe.corpus.sample.morphology import (
    CAUSATIVE,
    COPULA,
    IMPERATIVE,
    NEGATIVE_STEM,
    PASSIVE,
    PAST,
    PLAIN,
    STEM,
    TARA,
    TE,
    Morpheme,
    Word,
    conjugate,
    inflect,
)
from zarpipe.corpus.sample.tree import (
    PEOPLE,
    READER,
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


@dataclass(frozen=True, slots=True)
class Link:
    """How a clause leads to the next one: form of its predicate, connective, and a noun that carries it.

    ``noun`` makes a bunsetsu of its own (とき, ため), on which the clause depends; ``needs`` is a note that
    the verb must have; ``excludes`` one that it must not have.
    """

    form: str
    tail: tuple[Morpheme, ...] = ()
    noun: tuple[Morpheme, ...] = ()
    comma: float = 0.5
    label: str = "D"
    needs: str | None = None
    excludes: str | None = None


_TOKI = noun("とき", "とき", "副詞的名詞")
_TAME = noun("ため", "ため", "副詞的名詞")
_MAE = noun("前", "まえ", "副詞的名詞")
_ATO = noun("後", "あと", "副詞的名詞")
_NODE = Morpheme("ので", "ので", "のだ", "助動詞", "*", "ナ形容詞", "ダ列タ系連用テ形")
_YOUNI = Morpheme("ように", "ように", "ようだ", "助動詞", "*", "ナ形容詞", "ダ列基本連用形")
_BEKIDA = Morpheme("べきだ", "べきだ", "べきだ", "助動詞", "*", "ナ形容詞", PLAIN)
_DAROU = Morpheme("だろう", "だろう", "だろう", "助動詞", "*", "助動詞だろう型", PLAIN)
_KOTO = Noun("こと", "こと", "fact", "形式名詞")
_NAGARA = Morpheme("ながら", "ながら", "ながら", "助詞", "接続助詞")
_BUT, _WHEN = particle("が", "接続助詞"), particle("と", "接続助詞")
_QUOTE = particle("と", "格助詞")

# (link, weight): same subject in both clauses / any subjects.
_SAME_SUBJECT: tuple[tuple[Link, int], ...] = (
    (Link(TE, comma=0.55), 45),
    (Link(STEM, comma=1.0, label="P"), 22),
    (Link(STEM, (_NAGARA,), comma=0.3, needs="long"), 7),
    (Link(PLAIN, noun=(_TAME, particle("に")), comma=0.3, excludes="auto"), 7),
    (Link(PLAIN, noun=(_MAE, particle("に")), comma=0.4, excludes="auto"), 4),
    (Link(PAST, noun=(_ATO,), comma=1.0), 5),
    (Link(PAST, (_NODE,), comma=0.8), 5),
    (Link(PAST, (_BUT,), comma=1.0), 6),
)
_ANY_SUBJECT: tuple[tuple[Link, int], ...] = (
    (Link(PAST, (_NODE,), comma=0.85), 28),
    (Link(PAST, (_BUT,), comma=1.0), 26),
    (Link(PLAIN, (_WHEN,), comma=0.8), 12),
    (Link(PAST, noun=(_TOKI, particle("に")), comma=0.5), 8),
    (Link(PAST, noun=(_TAME,), comma=1.0), 10),
    (Link(TARA, comma=0.6), 6),
    (Link(STEM, comma=1.0, label="P"), 10),
)
_BUT_LINK, _NODE_LINK = _ANY_SUBJECT[1][0], _ANY_SUBJECT[0][0]
_NUMBER_OF_CLAUSES = ((1, 22), (2, 44), (3, 27), (4, 7))

_BE = Predicate(Word("ある", "ある", "動詞", "子音動詞ラ行"), {})
_STAY = Predicate(Word("いる", "いる", "動詞", "母音動詞"), {})
_WEATHER_FEELINGS = tuple(
    Predicate(Word(lemma, reading, "形容詞", "イ形容詞アウオ段"), {})
    for lemma, reading in (("寒い", "さむい"), ("暑い", "あつい"), ("暗い", "くらい"))
)


def make_sentence(discourse: Discourse, editorial: bool) -> Sentence:
    """Make the next sentence of a document and update what the document has said."""
    table = _EDITORIAL_KINDS if editorial else _ARTICLE_KINDS
    while True:
        grammar = Grammar(discourse, Memory())
        before = discourse.state()
        root: Bunsetsu | None = _weighted(grammar, table)(grammar)
        if root is not None:
            discourse.close_sentence(grammar.memory)
            return sentence_of(root)
        discourse.restore(before)


def _chain(grammar: Grammar) -> Bunsetsu | None:
    """Make one to four clauses, mostly about the topic, the earlier ones leading to the later ones."""
    discourse, topic = grammar.discourse, _topic(grammar)
    if topic is None:
        return None
    count = _weighted(grammar, _NUMBER_OF_CLAUSES)
    subjects = _subjects(grammar, topic, count)
    mark = _topic_mark(grammar, topic)
    phrase = grammar.topic_phrase(topic, mark) if mark else None
    grammar.memory.topic = topic
    nodes: list[Bunsetsu] = []
    about: list[Entity] = discourse.before.antecedents(O)[:3]
    kept: list[Entity | None] = []
    for index in range(count):
        last = index == count - 1
        subject = subjects[index]
        link = None if last else _link(grammar, subject, subjects[index + 1])
        node, event = _clause_about(grammar, subject, about, link, last)
        if node is None:
            continue
        nodes.append(node)
        kept.append(subject)
        if event is not None:
            about = [
                filler
                for case, filler in event.arguments().items()
                if case != GA and isinstance(filler, Entity)
            ] + about[:2]
    return _assemble(grammar, nodes, kept, topic, phrase, mark)


def _assemble(
    grammar: Grammar,
    nodes: list[Bunsetsu],
    subjects: list[Entity | None],
    topic: Entity,
    phrase: Bunsetsu | None,
    mark: str | None,
) -> Bunsetsu | None:
    """Hang each clause on the next one (or the last) and the topic's phrase on its clause."""
    if not nodes:
        return None
    own = [index for index, subject in enumerate(subjects) if subject is topic]
    if phrase is not None and not own:
        return None
    place = -1 if phrase is None else (own[0] if mark == "が" else own[-1])
    last = len(nodes) - 1
    parents = [
        last if index > place and grammar.discourse.random.random() < 0.35 else index + 1
        for index in range(last)
    ]
    for index in range(last, -1, -1):
        children = [nodes[child] for child in range(last) if parents[child] == index]
        target = _predicate_of(nodes[index])
        if index == place and phrase is not None:
            late = bool(children) and grammar.discourse.random.random() < 0.15
            children = [*children, phrase] if late else [phrase, *children]
        target.modifiers[:0] = children
    return nodes[last]


def _predicate_of(node: Bunsetsu) -> Bunsetsu:
    """Return the predicate's bunsetsu of a clause that may end in a noun (とき) of its own."""
    if any(token.annotation for token in node.tokens) or not node.modifiers:
        return node
    return node.modifiers[-1]


def _clause_about(
    grammar: Grammar, subject: Entity, about: list[Entity], link: Link | None, last: bool
) -> tuple[Bunsetsu | None, Event | None]:
    discourse = grammar.discourse
    exclude = frozenset({link.excludes} if link is not None and link.excludes else ())
    topic_unsaid = (grammar.memory.topic,) if grammar.memory.topic is subject and subject is not None else ()
    if last and discourse.random.random() < 0.22:
        node = _with_content(grammar, subject, about, topic_unsaid)
        if node is not None:
            return node, None
    event = _event(grammar, subject, about, exclude, link)
    if event is None:
        return None, None
    shape = ClauseShape(unsaid=topic_unsaid)
    if link is None:
        _ending(grammar, event, shape)
        return grammar.clause(event, shape), event
    comma = (COMMA,) if discourse.random.random() < link.comma else ()
    shape.form = link.form
    if link.noun:
        clause = grammar.clause(event, shape)
        return Bunsetsu([Token(part) for part in (*link.noun, *comma)], [clause]), event
    shape.tail = (*link.tail, *comma)
    plain_verb = not event.predicate.is_adjective and link.form in (PAST, TARA)
    shape.negative = plain_verb and discourse.random.random() < 0.05
    node = grammar.clause(event, shape)
    node.link = link.label
    return node, event


def _ending(grammar: Grammar, event: Event, shape: ClauseShape) -> None:
    draw = grammar.discourse.random.random()
    adjective = event.predicate.is_adjective
    shape.form = PAST
    if draw < 0.08 and not adjective:
        shape.progressive = True
    elif draw < 0.15 and not adjective:
        shape.negative = True
    elif draw < 0.22:
        shape.form = PLAIN
    shape.tail = (FULL_STOP,)


def _event(
    grammar: Grammar, subject: Entity, about: list[Entity], exclude: frozenset[str], link: Link | None
) -> Event | None:
    """Choose what happens: mostly an act of the subject; also a passive, a causative or a property."""
    discourse = grammar.discourse
    draw = discourse.random.random()
    event: Event | None = None
    needs = link.needs if link is not None else None
    if needs is not None:
        return _event_with_note(discourse, subject, needs)
    if draw < 0.11:
        event = _passive(discourse, subject, about)
    elif draw < 0.18:
        event = _causative(discourse, subject, about)
    elif draw < 0.22 and (link is None or link.form == PAST) and not (link is not None and link.noun):
        options = events.adjectives_of(subject.noun.surface)
        if options:
            return Event(discourse.random.choice(options), {GA: subject})
    return event or events.choose(discourse, subject, about, exclude)


def _event_with_note(discourse: Discourse, subject: Entity, note: str) -> Event | None:
    options = [verb for verb in events.verbs_of(GA, subject.noun.surface) if note in verb.notes]
    return events.fill(discourse, discourse.random.choice(options), {GA: subject}) if options else None


def _passive(discourse: Discourse, patient: Entity, about: list[Entity]) -> Event | None:
    predicate = events.involving(discourse, patient, O, frozenset({"new"}))
    if predicate is None:
        return None
    roles: dict[str, Filler] = {O: patient}
    if discourse.random.random() < 0.7:
        agents = [entity for entity in about if predicate.accepts(GA, entity.noun) and entity is not patient]
        agent = agents[0] if agents else discourse.new_entity(predicate.frame[GA])
        if agent is None:
            return None
        roles[GA] = agent
    return Event(predicate, roles, PASSIVE)


def _causative(discourse: Discourse, causer: Entity, about: list[Entity]) -> Event | None:
    if causer.noun.surface not in lexicon.members("official business grown leader doctor"):
        return None
    known = [entity for entity in about if entity.noun.surface in lexicon.HUMANS and entity is not causer]
    causee = (
        known[0]
        if known
        else discourse.new_entity(lexicon.members("business worker cook learner family media"))
    )
    if causee is None or causee is causer:
        return None
    event = events.choose(
        discourse, causee, [entity for entity in about if entity is not causer], frozenset({"auto"})
    )
    if event is None or causer in event.roles.values():
        return None
    return Event(event.predicate, event.roles, CAUSATIVE, causer)


def _subjects(grammar: Grammar, topic: Entity, count: int) -> list[Entity]:
    """Decide the subject of each clause: mostly the topic, sometimes somebody else before it."""
    subjects = [topic] * count
    for index in range(count - 1):
        if grammar.discourse.random.random() < 0.2:
            other = _somebody(grammar, topic)
            if other is not None:
                subjects[index] = other
    return subjects


def _somebody(grammar: Grammar, not_this: Entity) -> Entity | None:
    """Return somebody of the document, or somebody new."""
    discourse = grammar.discourse
    if discourse.random.random() < 0.5:
        for entity in discourse.living():
            if entity is not not_this and entity.noun.surface in lexicon.HUMANS | lexicon.ORGANISATIONS:
                return entity
    return discourse.new_entity(lexicon.HUMANS)


def _link(grammar: Grammar, subject: Entity, following: Entity) -> Link:
    return _weighted(grammar, _SAME_SUBJECT if subject is following else _ANY_SUBJECT)


def _topic(grammar: Grammar) -> Entity | None:
    """Return the document's topic; it persists, or shifts to somebody who was mentioned."""
    discourse = grammar.discourse
    if discourse.topic is not None and discourse.random.random() < 0.72 and not discourse.topic.gone:
        return discourse.topic
    candidates = [
        entity
        for entity in discourse.before.antecedents(GA)
        if entity is not discourse.topic and entity.noun.surface in lexicon.HUMANS | lexicon.ORGANISATIONS
    ]
    if candidates and discourse.random.random() < 0.6:
        discourse.topic = candidates[0]
    else:
        discourse.topic = discourse.new_entity(lexicon.HUMANS) or discourse.topic
    return discourse.topic


def _topic_mark(grammar: Grammar, topic: Entity) -> str | None:
    """Choose は, が or も for the topic's phrase; None leaves it out, when the sentence before has it."""
    draw = grammar.discourse.random.random()
    if grammar.discourse.before.has(topic) and draw < 0.22:
        return None
    return "は" if draw < 0.80 else "が" if draw < 0.93 else "も"


def _with_content(
    grammar: Grammar, subject: Entity, about: list[Entity], unsaid: tuple[Entity, ...]
) -> Bunsetsu | None:
    """Make the last clause of somebody who says, orders, decides or thinks something."""
    discourse = grammar.discourse
    options = [verb for verb in lexicon.CLAUSE_VERBS if verb.predicate.accepts(GA, subject.noun)]
    if not options:
        return None
    verb = discourse.random.choice(options)
    roles: dict[str, Filler] = {GA: subject}
    addressee = _addressee(grammar, verb, subject, about)
    if addressee is not None:
        roles[NI] = addressee
    actor = _actor(grammar, verb, subject, addressee)
    if actor is None:
        return None
    content = (
        events.choose(discourse, actor, about, frozenset({"auto"} if verb.whose != "other" else ()))
        if isinstance(actor, Entity)
        else _order_to_reader(discourse)
    )
    if content is None:
        return None
    fact = Entity(_KOTO, known=True)
    if verb.kind == "こと":
        roles[O] = fact
    main_shape = ClauseShape(tail=(FULL_STOP,), unsaid=(*unsaid, fact))
    node = grammar.clause(Event(verb.predicate, roles), main_shape)
    controlled = (actor,) if verb.whose != "other" and isinstance(actor, Entity) else ()
    clause = _content_clause(grammar, verb, content, (*controlled, *unsaid), fact)
    front = discourse.random.random() < 0.2
    node.modifiers.insert(0 if front else len(node.modifiers), clause)
    return node


def _addressee(grammar: Grammar, verb: ClauseVerb, subject: Entity, about: list[Entity]) -> Entity | None:
    discourse = grammar.discourse
    if NI not in verb.predicate.frame or (verb.whose != "ni" and discourse.random.random() < 0.5):
        return None
    if verb.kind == "命" and discourse.random.random() < 0.25:
        return None
    for entity in (*about, *discourse.living()):
        if entity is not subject and not entity.gone and verb.predicate.accepts(NI, entity.noun):
            if discourse.random.random() < 0.5:
                return entity
    return discourse.new_entity(verb.predicate.frame[NI])


def _actor(grammar: Grammar, verb: ClauseVerb, subject: Entity, addressee: Entity | None) -> Filler | None:
    if verb.whose == "ga":
        return subject
    if verb.whose == "ni":
        return addressee if addressee is not None else READER if verb.kind == "命" else None
    return _somebody(grammar, subject)


def _order_to_reader(discourse: Discourse) -> Event | None:
    noun_of_anybody = discourse.new_entity(lexicon.members("public"))
    if noun_of_anybody is None:
        return None
    discourse.entities.remove(noun_of_anybody)
    event = events.choose(discourse, noun_of_anybody, [], frozenset({"auto"}))
    if event is None:
        return None
    event.roles[GA] = READER
    return event


def _content_clause(
    grammar: Grammar, verb: ClauseVerb, content: Event, unsaid: tuple[Entity, ...], fact: Entity
) -> Bunsetsu:
    quoted = verb.kind == "命" or (verb.kind == "と" and grammar.discourse.random.random() < 0.5)
    form = {"命": IMPERATIVE, "よう": PLAIN}.get(verb.kind)
    if form is None:
        form = PAST if verb.whose == "other" or "後悔" in str(verb.predicate.word.verbal_noun) else PLAIN
    closing = (symbol("」"),) if quoted else ()
    tail: tuple[Morpheme, ...] = {"よう": (_YOUNI,), "こと": ()}.get(verb.kind, (*closing, _QUOTE))
    clause = grammar.clause(content, ClauseShape(form=form, tail=tail, unsaid=unsaid, embedded=True))
    if quoted:
        first = next(clause.walk())
        first.tokens.insert(0, Token(symbol("「")))
    if verb.kind == "こと":
        return Bunsetsu([Token(noun("こと", "こと", "形式名詞"), fact), Token(particle("を"))], [clause])
    return clause


def _about_thing(grammar: Grammar) -> Bunsetsu | None:
    """Make a sentence whose topic is a thing: what was done to it, what happened to it, how it is."""
    discourse = grammar.discourse
    things = [
        entity
        for entity in discourse.living()
        if entity.known and entity.noun.surface not in lexicon.HUMANS | lexicon.ORGANISATIONS | lexicon.PLACES
    ]
    if not things:
        return None
    thing = things[0]
    first = _passive(discourse, thing, []) if discourse.random.random() < 0.6 else None
    happenings = events.happenings_of(thing.noun.surface)
    if first is None and happenings:
        first = events.fill(discourse, discourse.random.choice(happenings), {GA: thing})
    if first is None:
        return None
    phrase = grammar.topic_phrase(thing, "は")
    nodes: list[Bunsetsu] = []
    if happenings and first.voice == PASSIVE and discourse.random.random() < 0.5:
        second = events.fill(discourse, discourse.random.choice(happenings), {GA: thing})
        if second is not None:
            nodes.append(grammar.clause(first, ClauseShape(PAST, (_BUT, COMMA), unsaid=(thing,))))
            first = second
    nodes.append(grammar.clause(first, ClauseShape(PAST, (FULL_STOP,), unsaid=(thing,))))
    return _assemble(grammar, nodes, [thing] * len(nodes), thing, phrase, "は")


def _turn_of_events(grammar: Grammar) -> Bunsetsu | None:
    """Make somebody do something to a thing, and something happen to the thing, which stays unsaid."""
    discourse, topic = grammar.discourse, _topic(grammar)
    if topic is None:
        return None
    for _ in range(8):
        event = events.choose(discourse, topic, [], frozenset({"gone"}))
        thing = event.roles.get(O) if event is not None else None
        if event is not None and isinstance(thing, Entity) and events.happenings_of(thing.noun.surface):
            break
    else:
        return None
    happening = discourse.random.choice(events.happenings_of(thing.noun.surface))
    after = events.fill(discourse, happening, {GA: thing})
    if after is None:
        return None
    phrase = grammar.topic_phrase(topic, "は" if discourse.random.random() < 0.7 else "が")
    link = _BUT_LINK if discourse.random.random() < 0.6 else _NODE_LINK
    first = grammar.clause(event, ClauseShape(link.form, (*link.tail, COMMA), unsaid=(topic,)))
    first.modifiers.insert(0, phrase)
    second = grammar.clause(after, ClauseShape(PAST, (FULL_STOP,)))
    second.modifiers.insert(0, first)
    return second


def _object_topic(grammar: Grammar) -> Bunsetsu | None:
    """Make a sentence whose は phrase is the object: その手紙は、社長が読んだ."""
    discourse = grammar.discourse
    things = [entity for entity in discourse.living() if entity.known and entity.holder is None]
    actor = discourse.topic if discourse.topic is not None and not discourse.topic.gone else None
    for thing in things[:4]:
        predicate = events.involving(discourse, thing, O, frozenset({"new"}))
        if predicate is None:
            continue
        roles: dict[str, Filler] = {O: thing}
        if actor is not None and actor is not thing and predicate.accepts(GA, actor.noun):
            roles[GA] = actor
        event = events.fill(discourse, predicate, roles)
        if event is None:
            continue
        phrase = grammar.topic_phrase(thing, "は")
        node = grammar.clause(event, ClauseShape(PAST, (FULL_STOP,), unsaid=(thing,)))
        node.modifiers.insert(0, phrase)
        return node
    return None


def _existence(grammar: Grammar) -> Bunsetsu | None:
    """Make … には … がある / いる."""
    discourse = grammar.discourse
    alive = discourse.random.random() < 0.4
    place = discourse.new_entity(lexicon.members("place facility land"))
    names = "animal wild public learner" if alive else "building facility 図書館 寺 machine"
    being = discourse.new_entity(lexicon.members(names))
    if place is None or being is None:
        return None
    event = Event(_STAY if alive else _BE, {GA: being, NI: place})
    where = grammar.noun_phrase(place, (particle("に"), particle("は")), NI, plain=True)
    where_unsaid = ClauseShape(discourse.random.choice((PLAIN, PAST)), (FULL_STOP,), unsaid=(place,))
    node = grammar.clause(event, where_unsaid)
    node.modifiers.insert(0, where)
    return node


def _opinion(grammar: Grammar) -> Bunsetsu | None:
    """Make an editorial's judgement: … することが必要だ(と思う), … すべきだ."""
    discourse = grammar.discourse
    topic = _leader(grammar)
    if topic is None:
        return None
    generic = discourse.random.random() < 0.4
    event = events.choose(discourse, topic, discourse.before.antecedents(O)[:3], frozenset({"auto", "gone"}))
    if event is None:
        return None
    phrase = None
    if generic:
        event.roles[GA] = PEOPLE
    else:
        mark = _topic_mark(grammar, topic)
        phrase = grammar.topic_phrase(topic, mark) if mark else None
        grammar.memory.topic = topic
        discourse.topic = topic
    unsaid = () if generic else (topic,)
    if discourse.random.random() < 0.4:
        node = grammar.clause(event, ClauseShape(PLAIN, (_BEKIDA, FULL_STOP), unsaid=unsaid))
    else:
        node = _evaluation(grammar, event, unsaid)
    if phrase is not None:
        node.modifiers.insert(0, phrase)
    return node


def _evaluation(grammar: Grammar, event: Event, unsaid: tuple[Entity, ...]) -> Bunsetsu:
    discourse = grammar.discourse
    fact = Entity(_KOTO, known=True)
    clause = grammar.clause(event, ClauseShape(PLAIN, unsaid=unsaid, embedded=True))
    matter = Bunsetsu([Token(noun("こと", "こと", "形式名詞"), fact), Token(particle("が"))], [clause])
    evaluation = discourse.random.choice(lexicon.EVALUATIONS)
    think = discourse.random.random() < 0.4
    inflected = inflect(evaluation.word, PLAIN)
    tokens = predicate_tokens(inflected, Annotation(TARGET, "active", {GA: fact}))
    if not think:
        return Bunsetsu([*tokens, Token(FULL_STOP)], [matter])
    judged = Bunsetsu([*tokens, Token(_QUOTE)], [matter])
    verb = inflect(Word("思う", "おもう", "動詞", "子音動詞ワ行"), PLAIN)
    return Bunsetsu(
        [*predicate_tokens(verb, Annotation(TARGET, "active", {GA: WRITER})), Token(FULL_STOP)], [judged]
    )


def _leader(grammar: Grammar) -> Entity | None:
    discourse = grammar.discourse
    leaders = lexicon.members("leader org")
    if (
        discourse.topic is not None
        and discourse.topic.noun.surface in leaders
        and discourse.random.random() < 0.7
    ):
        return discourse.topic
    return discourse.new_entity(leaders)


def _introduction(grammar: Grammar) -> Bunsetsu | None:
    """Make 田中さんは京都の医師だ."""
    discourse = grammar.discourse
    person = discourse.new_entity(lexicon.members("official worker doctor scholar media artist cook"))
    if person is None:
        return None
    person.name = person.name or discourse.random.choice(lexicon.SURNAMES)
    if any(entity.name == person.name and entity is not person for entity in discourse.entities):
        return None
    person.known = True
    phrase = grammar.topic_phrase(person, "は")
    modifiers = [phrase]
    town = discourse.new_entity(lexicon.CITIES)
    if town is not None:
        modifiers.append(grammar.noun_phrase(town, (particle("の"),), ADJUNCT, plain=True))
    discourse.topic = person
    tokens = nominal_predicate(person, person, PLAIN)
    return Bunsetsu([*tokens, Token(FULL_STOP)], modifiers)


def _headline(grammar: Grammar) -> Bunsetsu | None:
    """Make a line without a predicate: （京都・田中）."""
    random = grammar.discourse.random
    city = lexicon.NOUNS[random.choice(sorted(lexicon.CITIES))]
    name = random.choice(lexicon.SURNAMES)
    parts = (
        symbol("（"),
        noun(city.surface, city.reading, "地名"),
        symbol("・"),
        noun(*name, "人名"),
        symbol("）"),
    )
    return Bunsetsu([Token(part) for part in parts])


def _weather(grammar: Grammar) -> Bunsetsu | None:
    """Make a sentence whose predicate has no argument: 朝は寒かった."""
    discourse = grammar.discourse
    surface, reading = discourse.random.choice(lexicon.TIMES_WITH_NI[:5])
    when = Bunsetsu([Token(noun(surface, reading, "時相名詞")), Token(particle("は"))])
    event = Event(discourse.random.choice(_WEATHER_FEELINGS), {})
    node = grammar.clause(event, ClauseShape(PAST, (FULL_STOP,)))
    node.modifiers.insert(0, when)
    return node


Kind = Callable[[Grammar], Bunsetsu | None]
_ARTICLE_KINDS: tuple[tuple[Kind, int], ...] = (
    (_chain, 74),
    (_turn_of_events, 7),
    (_about_thing, 6),
    (_object_topic, 4),
    (_existence, 3),
    (_introduction, 3),
    (_weather, 1),
    (_headline, 2),
)
_EDITORIAL_KINDS: tuple[tuple[Kind, int], ...] = (
    (_chain, 56),
    (_opinion, 26),
    (_turn_of_events, 5),
    (_about_thing, 6),
    (_object_topic, 4),
    (_existence, 2),
    (_headline, 1),
)


def _weighted(grammar: Grammar, table: tuple[tuple[object, int], ...]):  # type: ignore[no-untyped-def]
    options, weights = zip(*table, strict=True)
    return grammar.discourse.random.choices(options, weights)[0]
