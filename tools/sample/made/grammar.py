"""From events to bunsetsu: noun phrases, clauses, and which arguments stay unsaid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from made import events, lexicon
from made.discourse import Discourse, Memory
from made.events import Event
from made.lexicon import GA, NI, WO, Noun
from made.morphology import (
    ACTIVE,
    ADNOMINAL,
    NA_ADJECTIVE,
    PAST,
    PLAIN,
    Inflected,
    conjugate,
    inflect,
)
from made.tree import EVENT_NOUN, TARGET, Annotation, Bunsetsu, Entity, Filler, Token

Choice = TypeVar("Choice")

ADJUNCT = "adjunct"  # role of a mention that is none of ga, o, ni of a clause that counts

# How often an argument is left out: one that the reader finds again in the sentence or in the one before,
# and one that the reader has to guess.
_UNSAID_WHEN_FOUND = {GA: 0.95, WO: 0.88, NI: 0.85}
_UNSAID_WHEN_FOUND_BEFORE = {GA: 0.10, WO: 0.22, NI: 0.22}
_UNSAID_ANYWAY = {GA: 0.06, WO: 0.08, NI: 0.08}

_CASE_MARKS = {GA: "が", WO: "を", NI: "に"}
_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")

_NOBODY: frozenset[str] = frozenset()

# What a person can call his own (自分の…).
_OWNED = frozenset({"thing", "writing", "document", "vehicle", "animal", "opinion", "painting", "book"})
# Who or what stands before の: classes of what is owned -> classes of the owner.
_OWNERS = (
    ("社長 部長 課長 社員 秘書", "company"),
    ("doctor", "病院 city"),
    ("scholar", "society city"),
    ("記者 編集者", "新聞社 出版社"),
    ("店長 店員 商人 worker driver media artist cook", "city"),
    ("市長 町長 知事 議員 police", "city"),
    ("learner", "大学 学校 city"),
    ("company society authority facility building festival", "city"),
    ("measure opinion 報告書 論文", "politics scholar company society"),
    ("thing vehicle animal document writing", "human"),
)


COMMA, FULL_STOP = "、", "。"


@dataclass(slots=True)
class ClauseShape:
    """How a clause is to look.

    Attributes:
        form: form of the predicate's last morpheme.
        tail: what follows it in its bunsetsu (connective, quotation mark, full stop).
        negative: whether ない follows.
        progressive: whether いる follows.
        unsaid_subject: who is not said as the subject, because a phrase or a verb elsewhere tells it.
        has_phrase: who is not said in any case, because the sentence has a phrase for it already.
        gap: the entity that the clause modifies, when it is a relative clause.
        contrast: its subject takes は, in contrast to that of the next clause.
        embedded: the clause is part of another one; its subject is not one of the sentence's.
        bare: no adjuncts.
    """

    form: str = PAST
    tail: tuple[str, ...] = ()
    negative: bool = False
    progressive: bool = False
    unsaid_subject: Entity | None = None
    has_phrase: Entity | None = None
    gap: Entity | None = None
    contrast: bool = False
    embedded: bool = False
    bare: bool = False


@dataclass(slots=True)
class Grammar:
    """Makes the phrases of one sentence; ``memory`` fills as it goes, in text order."""

    discourse: Discourse
    memory: Memory

    def clause(self, event: Event, shape: ClauseShape) -> Bunsetsu:
        """Return the predicate's bunsetsu, with its said arguments and its adjuncts before it."""
        arguments = event.arguments()
        said = {
            case: filler
            for case, filler in arguments.items()
            if isinstance(filler, Entity) and self._is_said(event, arguments, case, shape)
        }
        self.discourse.lemmas.append(event.predicate.name)
        modifiers = self._phrases(event, said, shape)
        for case, filler in arguments.items():
            if case not in said and isinstance(filler, Entity):
                self.memory.mention(filler, ADJUNCT if shape.embedded else case)
        events.take_effect(event)
        inflected = inflect(event.predicate.word, shape.form, event.voice, shape.negative, shape.progressive)
        tokens = predicate_tokens(inflected, Annotation(TARGET, event.voice, arguments))
        return Bunsetsu(tokens + [Token(morpheme) for morpheme in shape.tail], modifiers)

    def noun_phrase(
        self,
        entity: Entity,
        marks: tuple[str, ...],
        role: str,
        subject: Entity | None = None,
        plain: bool = False,
    ) -> Bunsetsu:
        """Return the bunsetsu of a mention with its modifiers.

        Args:
            entity: who or what is mentioned; known afterwards.
            marks: what follows the noun.
            role: its case in the clause, for the memory.
            subject: subject of the clause, the antecedent of 自分.
            plain: no modifiers, but for the occupation of somebody who is named for the first time.
        """
        first, again = not entity.known, self.memory.has(entity)
        entity.known = True
        modifiers: list[Bunsetsu] = []
        owner: Entity | None = None
        if first:
            modifiers, owner = self._modifiers(entity, subject, plain)
        elif self._takes_demonstrative(entity, again):
            modifiers = [Bunsetsu([Token("その")])]
        head = self._head(entity, first, again, bool(modifiers))
        if owner is not None and entity.noun.is_verbal:
            head[0].annotation = Annotation(EVENT_NOUN, None, {GA: owner})
        self.memory.mention(entity, role)
        return Bunsetsu(head + [Token(mark) for mark in marks], modifiers)

    def topic_phrase(self, entity: Entity, mark: str) -> Bunsetsu:
        """Return the phrase of the sentence's topic or subject (は, も or が)."""
        comma = (COMMA,) if mark != "が" and self.chance(0.35) else ()
        phrase = self.noun_phrase(entity, (mark, *comma), GA)
        self.memory.topic = entity
        return phrase

    def opening(self, has_topic: bool) -> list[Bunsetsu]:
        """Return what opens some sentences: a conjunction or adverb, and a time.

        The time can take は when the sentence has no topic (``has_topic``) that does.
        """
        phrases = []
        if self.chance(0.10):
            is_conjunction = self.chance(0.6)
            table = lexicon.CONJUNCTIONS if is_conjunction else lexicon.SENTENCE_ADVERBS
            comma = [Token(COMMA)] if is_conjunction or self.chance(0.5) else []
            phrases.append(Bunsetsu([Token(self.choose(table)), *comma]))
        if self.chance(0.28):
            phrases.append(self._time(may_be_topic=not has_topic))
        return phrases

    def somebody(self, *but: Entity) -> Entity | None:
        """Return a person or organisation of the document, or somebody new, other than these."""
        if self.chance(0.5):
            for entity in self.discourse.living():
                if entity not in but and entity.noun.surface in lexicon.AGENTS:
                    return entity
        return self.discourse.new_entity(lexicon.HUMANS)

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.discourse.random.random() < probability

    def choose(self, options: Sequence[Choice]) -> Choice:
        """Return one of the options."""
        return self.discourse.random.choice(options)

    def weighted(self, table: Sequence[tuple[Choice, int]]) -> Choice:
        """Return one of the options of a table (option, weight)."""
        return self.discourse.random.choices(
            [option for option, _ in table], [weight for _, weight in table]
        )[0]

    # Which arguments are said

    def _is_said(self, event: Event, arguments: dict[str, Filler], case: str, shape: ClauseShape) -> bool:
        entity = arguments[case]
        if entity is shape.gap or entity is shape.has_phrase:
            return False
        if case == GA and entity is shape.unsaid_subject:
            return False
        return not self.chance(self._rate_unsaid(event, arguments, case))

    def _rate_unsaid(self, event: Event, arguments: dict[str, Filler], case: str) -> float:
        """Return how often such an argument stays unsaid, by what a reader makes of its absence."""
        entity = arguments[case]
        in_sentence, before = self.memory.has(entity), self.discourse.before.has(entity)
        if not in_sentence and not before:
            return 0.0
        others = [filler for role, filler in arguments.items() if role != case]
        found = _found(self.memory, event, case, others)
        if in_sentence:
            return _UNSAID_WHEN_FOUND[case] if found is entity else _UNSAID_ANYWAY[case]
        if found is None and _found(self.discourse.before, event, case, others) is entity:
            return _UNSAID_WHEN_FOUND_BEFORE[case]
        return 0.0

    # Arguments and adjuncts

    def _phrases(self, event: Event, said: dict[str, Entity], shape: ClauseShape) -> list[Bunsetsu]:
        """Return the clause's arguments and adjuncts in text order."""
        subject = event.arguments().get(GA)
        relative = shape.gap is not None
        plain = shape.bare or relative
        phrases = [] if plain or shape.embedded else self._adjuncts(event)
        for case in self._order(said):
            role = ADJUNCT if shape.embedded else case
            owner = subject if isinstance(subject, Entity) else None
            marks = self._marks(case, shape)
            # What comes into being has no past that a relative clause could tell.
            unmodified = relative or (case == WO and "new" in event.predicate.notes)
            phrases.append(self.noun_phrase(said[case], marks, role, owner, unmodified))
        if not plain and not event.predicate.is_adjective and self.chance(0.12):
            phrases.insert(len(phrases) if self.chance(0.6) else 0, self._adverb())
        return phrases

    def _order(self, said: dict[str, Entity]) -> list[str]:
        """Return the cases in the order in which they are said: ga first, but for some scrambled."""
        last = (WO, NI) if self.chance(0.3) else (NI, WO)
        order = [case for case in (GA, *last) if case in said]
        if self.chance(0.1):
            self.discourse.random.shuffle(order)
        return order

    def _marks(self, case: str, shape: ClauseShape) -> tuple[str, ...]:
        """Return the particles of an argument: が, を, に, or what takes their place.

        が can be の in a relative clause and は in a contrast; を can give way to も; に can be には.
        """
        if shape.gap is not None:
            return ("の" if case == GA and self.chance(0.15) else _CASE_MARKS[case],)
        if case == GA and shape.contrast:
            return ("は",)
        if case == WO and self.chance(0.07):
            return ("も",)
        if case == NI and FULL_STOP in shape.tail and self.chance(0.08):
            return ("に", "は")
        return (_CASE_MARKS[case],)

    def _adjuncts(self, event: Event) -> list[Bunsetsu]:
        """Return phrases with で, から and と: people and places that are no arguments."""
        agent = event.roles.get(GA)
        human = isinstance(agent, Entity) and agent.noun.surface in lexicon.HUMANS
        frame = event.predicate.frame
        if WO in frame and NI not in frame and frame[WO].isdisjoint(lexicon.PLACES) and self.chance(0.15):
            return self._adjunct(event, lexicon.SITES, "で")
        if "from" in event.predicate.notes and self.chance(0.4):
            return self._adjunct(event, lexicon.HUMANS, "から")
        if human and _may_have_company(event) and self.chance(0.06):
            return self._adjunct(event, lexicon.HUMANS, "と")
        return []

    def _adjunct(self, event: Event, nouns: frozenset[str], mark: str) -> list[Bunsetsu]:
        entity = self._other_entity(nouns, event)
        marks = (mark, "は") if mark == "で" and self.chance(0.2) else (mark,)
        return [] if entity is None else [self.noun_phrase(entity, marks, ADJUNCT, plain=True)]

    def _other_entity(self, nouns: frozenset[str], event: Event | None = None) -> Entity | None:
        """Return an entity that has no part in the event or the sentence yet, known or new."""
        taken = [] if event is None else list(event.arguments().values())
        if self.chance(0.5):
            for entity in self.discourse.living():
                if entity.noun.surface in nouns and entity not in taken and not self.memory.has(entity):
                    return entity
        return self.discourse.new_entity(nouns)

    def _time(self, may_be_topic: bool) -> Bunsetsu:
        if self.chance(0.35):
            time = self.choose(lexicon.TIMES_WITH_NI)
            marks = [Token("に")] if self.chance(0.7) else []
        else:
            time = self.choose(lexicon.TIMES)
            marks = [Token("は")] if may_be_topic and self.chance(0.4) else []
        comma = [Token(COMMA)] if self.chance(0.4 if marks else 0.6) else []
        return Bunsetsu([Token(time), *marks, *comma])

    def _adverb(self) -> Bunsetsu:
        return Bunsetsu([Token(self.choose(lexicon.ADVERBS))])

    # Inside a noun phrase

    def _head(self, entity: Entity, first: bool, again: bool, modified: bool) -> list[Token]:
        """Return the mention itself: name, noun, 同社, それ or 自分."""
        surface = entity.noun.surface
        if entity is self.memory.topic and again and surface in lexicon.HUMANS:
            return [Token("自分", entity)]
        if entity.name is not None:
            title = [Token(entity.title)] if entity.title else []
            return [Token(entity.name, entity), *title]
        if not first and not modified:
            if entity.noun.anaphor and self.chance(0.5):
                return [Token(entity.noun.anaphor, entity)]
            if surface in lexicon.THINGS and self.chance(0.35 if again else 0.10):
                return [Token("それ", entity)]
        return [Token(surface, entity)]

    def _takes_demonstrative(self, entity: Entity, again: bool) -> bool:
        """Tell whether a known entity is called その…: not names, not one's family, not the topic itself."""
        if entity.name is not None or entity.noun.semantic_class in ("family", "city"):
            return False
        if entity is self.memory.topic and again:
            return False
        return self.chance(0.35 if again else 0.15)

    def _modifiers(
        self, entity: Entity, subject: Entity | None, plain: bool
    ) -> tuple[list[Bunsetsu], Entity | None]:
        """Return the modifiers of a first mention, and the owner where one of them names it."""
        draw = self.discourse.random.random()
        if entity.name is not None:
            occupation = [Token(entity.noun.surface), Token("の")]
            workplace = self._owner(entity, subject)[0] if draw < 0.3 and not plain else []
            return [Bunsetsu(occupation, workplace)], None
        if plain:
            return (self._adjective(entity), None) if draw < 0.1 else ([], None)
        if draw < 0.16:
            return self._adjective(entity), None
        if draw < 0.40:
            return self._relative_clause(entity, subject), None
        if draw < 0.60:
            return self._owner(entity, subject)
        if draw < 0.64:
            return self._number(entity), None
        return [], None

    def _adjective(self, entity: Entity) -> list[Bunsetsu]:
        options = events.adjectives_of(entity.noun.surface)
        if not options:
            return []
        event = Event(self.choose(options), {GA: entity})
        return [self.clause(event, ClauseShape(form=ADNOMINAL, gap=entity, embedded=True))]

    def _number(self, entity: Entity) -> list[Bunsetsu]:
        if entity.noun.surface not in lexicon.COUNTERS:
            return []
        digits = str(self.discourse.random.randint(3, 12)).translate(_FULL_WIDTH)
        return [Bunsetsu([Token(digits), Token(lexicon.COUNTERS[entity.noun.surface]), Token("の")])]

    def _owner(self, entity: Entity, subject: Entity | None) -> tuple[list[Bunsetsu], Entity | None]:
        """Return a の phrase that fits: where somebody works, where a thing stands, whose it is."""
        of = ("の",)
        owned = entity.noun.semantic_class in _OWNED
        human = subject is not None and subject.noun.surface in lexicon.HUMANS
        if owned and human and subject is not entity and self.chance(0.4):
            return [Bunsetsu([Token("自分", subject), *map(Token, of)])], subject
        for classes, owners in _OWNERS:
            if entity.noun.surface in lexicon.members(classes):
                owner = self._other_entity(lexicon.members(owners))
                if owner is None or owner is entity or owner is subject:
                    return [], None
                return [self.noun_phrase(owner, of, ADJUNCT, plain=True)], owner
        return [], None

    def _relative_clause(self, entity: Entity, subject: Entity | None) -> list[Bunsetsu]:
        """Return a relative clause in which the entity is ga, o or ni."""
        case = self.choose((GA, GA, WO, WO, WO, NI))
        exclude = frozenset({"gone", "end"} if case == GA else {"gone", "move"})
        predicate = events.involving(self.discourse, entity, case, exclude)
        if predicate is None or case in predicate.optional:
            return []
        roles: dict[str, Filler] = {case: entity}
        speaker = subject or self.memory.topic
        shared = speaker is not None and speaker is not entity and self.chance(0.5)
        if shared and speaker is not None and case != GA and predicate.accepts(GA, speaker.noun):
            roles[GA] = speaker
        event = events.fill(self.discourse, predicate, roles)
        if event is None:
            return []
        own = roles.get(GA) is speaker  # the speaker's own acts are over: 歌手が招いた客, not 招いている
        lasts = not own and "auto" not in predicate.notes
        progressive = lasts and self.chance(0.8 if "state" in predicate.notes else 0.12)
        shape = ClauseShape(
            PLAIN if progressive else PAST, progressive=progressive, gap=entity, embedded=True
        )
        return [self.clause(event, shape)]


def _may_have_company(event: Event) -> bool:
    """Tell whether と can name a companion: an act that does not have somebody as its ni."""
    plain = event.voice == ACTIVE and not event.predicate.is_adjective
    return plain and event.predicate.frame.get(NI, _NOBODY).isdisjoint(lexicon.HUMANS)


def _found(memory: Memory, event: Event, case: str, others: list[Filler]) -> Entity | None:
    """Return whom a reader takes for the unsaid argument: the best ranked that the predicate takes."""
    for entity in memory.antecedents(case):
        if entity not in others and event.accepts(case, entity):
            return entity
    return None


def predicate_tokens(inflected: Inflected, annotation: Annotation) -> list[Token]:
    """Return the tokens of an inflected predicate, the annotation on the one that counts."""
    annotation.pos = inflected.pos
    return [
        Token(part, annotation=annotation if index == inflected.predicate else None)
        for index, part in enumerate(inflected.parts)
    ]


def nominal_predicate(what: Noun, subject: Filler, form: str) -> list[Token]:
    """Return noun + copula; the noun is the predicate, as the NAIST Text Corpus annotates it."""
    annotation = Annotation(TARGET, ACTIVE, {GA: subject})
    return [Token(what.surface, annotation=annotation), Token(conjugate("だ", NA_ADJECTIVE, form))]
