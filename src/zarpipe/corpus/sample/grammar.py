"""From events to bunsetsu: noun phrases, clauses, and which arguments stay unsaid."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from zarpipe.corpus.sample import events, lexicon
from zarpipe.corpus.sample.discourse import Discourse, Memory
from zarpipe.corpus.sample.events import Event
from zarpipe.corpus.sample.lexicon import GA, NI, O
from zarpipe.corpus.sample.morphology import (
    ADNOMINAL,
    COPULA,
    PAST,
    PLAIN,
    Inflected,
    Morpheme,
    Word,
    conjugate,
    inflect,
)
from zarpipe.corpus.sample.tree import EVENT_NOUN, TARGET, Annotation, Bunsetsu, Entity, Filler, Token

Choice = TypeVar("Choice")

ADJUNCT = "adjunct"
COPULA_WORD = Word("だ", "だ", "判定詞", COPULA)

# How often an argument that the reader finds again is left out, and one that he has to guess.
_UNSAID_WHEN_RECOVERABLE = {GA: 0.95, O: 0.78, NI: 0.72}
_UNSAID_FROM_SENTENCE_BEFORE = {GA: 0.30, O: 0.40, NI: 0.40}
_UNSAID_ANYWAY = {GA: 0.03, O: 0.08, NI: 0.08}

_PARTICLES = {
    "は": "副助詞",
    "も": "副助詞",
    "だけ": "副助詞",
    "が": "格助詞",
    "を": "格助詞",
    "に": "格助詞",
    "で": "格助詞",
    "と": "格助詞",
    "へ": "格助詞",
    "から": "格助詞",
    "の": "接続助詞",
}


def particle(surface: str, pos_sub: str | None = None) -> Morpheme:
    """Return a particle; ``pos_sub`` where the same kana is several of them (が, と)."""
    return Morpheme(surface, surface, surface, "助詞", pos_sub or _PARTICLES[surface])


def symbol(surface: str) -> Morpheme:
    """Return a punctuation mark or bracket."""
    kinds = {"、": "読点", "。": "句点", "「": "括弧始", "（": "括弧始", "」": "括弧終", "）": "括弧終"}
    return Morpheme(surface, surface, surface, "特殊", kinds.get(surface, "記号"))


def noun(surface: str, reading: str, pos_sub: str = "普通名詞") -> Morpheme:
    """Return a noun."""
    return Morpheme(surface, reading, surface, "名詞", pos_sub)


COMMA, FULL_STOP = symbol("、"), symbol("。")
_THAT = Morpheme("その", "その", "その", "指示詞", "連体詞形態指示詞")
_IT = Morpheme("それ", "それ", "それ", "指示詞", "名詞形態指示詞")
_SELF = noun("自分", "じぶん")
_HONORIFICS = (
    Morpheme("さん", "さん", "さん", "接尾辞", "名詞性名詞接尾辞"),
    Morpheme("氏", "し", "氏", "接尾辞", "名詞性名詞接尾辞"),
)


@dataclass(slots=True)
class ClauseShape:
    """How a clause is to look.

    Attributes:
        form: form of the predicate's last morpheme.
        tail: what follows it in its bunsetsu (connective, quotation mark).
        negative, progressive: polarity and aspect.
        gap: the entity that the clause modifies, when it is a relative clause.
        unsaid: entities that must not be said here (the topic, which has a phrase of its own).
        embedded: the clause is part of another clause; its subjects do not become the sentence's.
        case_marks: particles that replace が, を, に.
    """

    form: str = PAST
    tail: tuple[Morpheme, ...] = ()
    negative: bool = False
    progressive: bool = False
    gap: Entity | None = None
    unsaid: tuple[Entity, ...] = ()
    embedded: bool = False
    case_marks: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Grammar:
    """Makes the phrases of one sentence. ``memory`` fills as it goes, in text order."""

    discourse: Discourse
    memory: Memory

    def clause(self, event: Event, shape: ClauseShape) -> Bunsetsu:
        """Return the bunsetsu of the predicate with those of its said arguments and adjuncts before it."""
        arguments = event.arguments()
        said = {
            case: filler
            for case, filler in arguments.items()
            if isinstance(filler, Entity) and self._is_said(event, case, filler, shape)
        }
        modifiers = self._argument_phrases(event, said, shape)
        for case, filler in arguments.items():
            if case not in said and isinstance(filler, Entity):
                self.memory.mention(filler, ADJUNCT if shape.embedded else case)
        self._note(event)
        inflected = inflect(event.predicate.word, shape.form, event.voice, shape.negative, shape.progressive)
        tokens = predicate_tokens(inflected, Annotation(TARGET, event.voice, arguments))
        tokens += [Token(morpheme) for morpheme in shape.tail]
        return Bunsetsu(tokens, modifiers)

    def noun_phrase(
        self,
        entity: Entity,
        marks: tuple[Morpheme, ...],
        role: str,
        subject: Entity | None = None,
        plain: bool = False,
    ) -> Bunsetsu:
        """Return the bunsetsu of a mention with its modifiers.

        Args:
            entity: who or what is mentioned; known afterwards.
            marks: particles after the noun.
            role: its case in the clause, for the memory.
            subject: subject of the clause, the antecedent of 自分.
            plain: no modifiers.
        """
        first, again = not entity.known, self.memory.has(entity)
        entity.known = True
        modifiers: list[Bunsetsu] = []
        if first and not plain:
            modifiers = self._modifiers(entity, subject)
        elif not first and self._chance(0.35 if again else 0.15):
            modifiers = [Bunsetsu([Token(_THAT)])] if entity.name is None else []
        head = self._head_tokens(entity, first, again, bool(modifiers))
        self.memory.mention(entity, role)
        return Bunsetsu(head + [Token(mark) for mark in marks], modifiers)

    def topic_phrase(self, entity: Entity, mark: str) -> Bunsetsu:
        """Return the sentence's topic phrase (は, も, or が)."""
        comma = (COMMA,) if self._chance(0.35) else ()
        self.memory.topic = entity
        return self.noun_phrase(entity, (particle(mark), *comma), GA)

    def time_phrase(self) -> Bunsetsu:
        """Return an adverbial of time."""
        if self._chance(0.3):
            surface, reading = self._choose(lexicon.TIMES_WITH_NI)
            marks = [Token(particle("に"))] if self._chance(0.7) else []
        else:
            surface, reading = self._choose(lexicon.TIMES)
            marks = []
        comma = [Token(COMMA)] if self._chance(0.4) else []
        return Bunsetsu([Token(noun(surface, reading, "時相名詞")), *marks, *comma])

    def adverb(self) -> Bunsetsu:
        """Return an adverb of manner."""
        surface, reading = self._choose(lexicon.ADVERBS)
        return Bunsetsu([Token(Morpheme(surface, reading, surface, "副詞"))])

    # Which arguments are said

    def _is_said(self, event: Event, case: str, entity: Entity, shape: ClauseShape) -> bool:
        if entity is shape.gap or entity in shape.unsaid:
            return False
        if self.memory.has(entity):
            found = self._finds_again(self.memory, event, case)
            rate = _UNSAID_WHEN_RECOVERABLE[case] if found is entity else _UNSAID_ANYWAY[case]
        elif self.discourse.before.has(entity) and self._finds_again(self.memory, event, case) is None:
            found = self._finds_again(self.discourse.before, event, case)
            rate = _UNSAID_FROM_SENTENCE_BEFORE[case] if found is entity else 0.0
        else:
            rate = 0.0
        return not self._chance(rate)

    def _finds_again(self, memory: Memory, event: Event, case: str) -> Entity | None:
        """Return whom a reader takes for the unexpressed argument: the best ranked that the predicate takes."""
        others = [filler for role, filler in event.arguments().items() if role != case]
        for entity in memory.antecedents(case):
            if entity not in others and event.accepts(case, entity):
                return entity
        return None

    # Arguments and adjuncts

    def _argument_phrases(self, event: Event, said: dict[str, Entity], shape: ClauseShape) -> list[Bunsetsu]:
        order = self._order(event, said)
        subject = event.arguments().get(GA)
        speaker = subject if isinstance(subject, Entity) else None
        phrases = [] if shape.gap is not None else self._adjuncts(event, shape)
        for case in order:
            mark = shape.case_marks.get(case) or self._mark(case, shape)
            role = ADJUNCT if shape.embedded else case
            phrases.append(
                self.noun_phrase(said[case], (particle(mark),), role, speaker, plain=shape.gap is not None)
            )
        if shape.gap is None and self._chance(0.12):
            phrases.insert(len(phrases) if self._chance(0.6) else 0, self.adverb())
        return phrases

    def _order(self, event: Event, said: dict[str, Entity]) -> list[str]:
        """Return the cases in the order in which they are said: ga first, then ni and o; some scrambled."""
        order = [case for case in (GA, NI, O) if case in said]
        if "cargo" in event.predicate.notes or self._chance(0.3):
            order = [case for case in (GA, O, NI) if case in said]
        if self._chance(0.1):
            self.discourse.random.shuffle(order)
        return order

    def _mark(self, case: str, shape: ClauseShape) -> str:
        if shape.gap is not None and case == GA:
            return "の" if self._chance(0.15) else "が"
        if case == O and self._chance(0.05):
            return "も"
        return {GA: "が", O: "を", NI: "に"}[case]

    def _adjuncts(self, event: Event, shape: ClauseShape) -> list[Bunsetsu]:
        phrases = []
        if shape.embedded is False and NI not in event.predicate.frame and self._chance(0.12):
            place = self._adjunct_entity(lexicon.PLACES)
            if place is not None and event.predicate.frame.get(O) is not None:
                phrases.append(self.noun_phrase(place, (particle("で"),), ADJUNCT))
        if "got" in event.predicate.notes and self._chance(0.3):
            giver = self._adjunct_entity(lexicon.HUMANS, event)
            if giver is not None:
                phrases.append(self.noun_phrase(giver, (particle("から"),), ADJUNCT))
        elif self._chance(0.05) and GA in event.roles and not shape.embedded:
            companion = self._adjunct_entity(lexicon.HUMANS, event)
            agent = event.roles[GA]
            if companion is not None and isinstance(agent, Entity) and agent.noun.surface in lexicon.HUMANS:
                phrases.append(self.noun_phrase(companion, (particle("と"),), ADJUNCT))
        return phrases

    def _adjunct_entity(self, nouns: frozenset[str], event: Event | None = None) -> Entity | None:
        taken = [] if event is None else list(event.arguments().values())
        if self._chance(0.5):
            for entity in self.discourse.living():
                if entity.noun.surface in nouns and entity not in taken and not self.memory.has(entity):
                    return entity
        return self.discourse.new_entity(nouns)

    # Inside a noun phrase

    def _head_tokens(self, entity: Entity, first: bool, again: bool, modified: bool) -> list[Token]:
        if entity.name is not None:
            tokens = [Token(noun(*entity.name, "人名"), entity)]
            return tokens + ([Token(self._choose(_HONORIFICS))] if self._chance(0.4) else [])
        if entity.noun.anaphor is not None and not first and not modified and self._chance(0.5):
            return [Token(noun(*entity.noun.anaphor), entity)]
        thing = entity.noun.surface not in lexicon.HUMANS | lexicon.PLACES | lexicon.ORGANISATIONS
        if not first and not modified and thing and self._chance(0.35 if again else 0.12):
            return [Token(_IT, entity)]
        return [Token(noun(entity.noun.surface, entity.noun.reading, entity.noun.pos_sub), entity)]

    def _modifiers(self, entity: Entity, subject: Entity | None) -> list[Bunsetsu]:
        draw = self.discourse.random.random()
        if entity.name is not None:
            role = Bunsetsu(
                [Token(noun(entity.noun.surface, entity.noun.reading)), Token(particle("の"))],
                self._owner(entity, subject) if draw < 0.3 else [],
            )
            return [role]
        if draw < 0.13:
            return self._adjective(entity)
        if draw < 0.30:
            return self._relative_clause(entity, subject)
        if draw < 0.48:
            return self._owner(entity, subject)
        if draw < 0.52:
            return self._number(entity)
        return []

    def _adjective(self, entity: Entity) -> list[Bunsetsu]:
        options = events.adjectives_of(entity.noun.surface)
        if not options:
            return []
        event = Event(self._choose(options), {GA: entity})
        return [self.clause(event, ClauseShape(form=ADNOMINAL, gap=entity, embedded=True))]

    def _number(self, entity: Entity) -> list[Bunsetsu]:
        if entity.noun.surface not in lexicon.COUNTERS:
            return []
        digits = str(self.discourse.random.randint(3, 20)).translate(
            str.maketrans("0123456789", "０１２３４５６７８９")
        )
        surface, reading = lexicon.COUNTERS[entity.noun.surface]
        counter = Morpheme(surface, reading, surface, "接尾辞", "名詞性名詞助数辞")
        return [Bunsetsu([Token(noun(digits, digits, "数詞")), Token(counter), Token(particle("の"))])]

    def _owner(self, entity: Entity, subject: Entity | None) -> list[Bunsetsu]:
        """Return a の phrase that fits: the organisation of a person, the place of a building, the owner."""
        name = entity.noun.semantic_class
        mark = (particle("の"),)
        if name in _OWNED and subject is not None and subject is not entity and self._chance(0.35):
            return [Bunsetsu([Token(_SELF, subject), *map(Token, mark)])]
        for classes, owners in _OWNERS:
            if entity.noun.surface in lexicon.members(classes):
                owner = self._adjunct_entity(lexicon.members(owners))
                if owner is None or owner is entity or owner is subject:
                    return []
                return [self.noun_phrase(owner, mark, ADJUNCT, plain=True)]
        return []

    def _relative_clause(self, entity: Entity, subject: Entity | None) -> list[Bunsetsu]:
        case = self._choose((GA, O, O, O, NI))
        predicate = events.involving(self.discourse, entity, case, frozenset({"gone"}))
        if predicate is None or (case == NI and NI in predicate.optional):
            return []
        roles: dict[str, Filler] = {case: entity}
        speaker = subject or self.memory.topic
        if case != GA and speaker is not None and speaker is not entity and self._chance(0.5):
            if predicate.accepts(GA, speaker.noun):
                roles[GA] = speaker
        event = events.fill(self.discourse, predicate, roles)
        if event is None:
            return []
        progressive = "state" in predicate.notes or self._chance(0.15)
        form = PLAIN if progressive else PAST
        shape = ClauseShape(form=form, progressive=progressive, gap=entity, embedded=True)
        return [self.clause(event, shape)]

    # Bookkeeping

    def _note(self, event: Event) -> None:
        verbal_noun = event.predicate.word.verbal_noun
        self.discourse.lemmas.append(verbal_noun[0] if verbal_noun else event.predicate.word.lemma)
        events.take_effect(event)

    def _chance(self, probability: float) -> bool:
        return self.discourse.random.random() < probability

    def _choose(self, options: tuple[Choice, ...]) -> Choice:
        return self.discourse.random.choice(options)


# What a person can call his own, and who stands before の: (classes of the owned, classes of the owner).
_OWNED = frozenset({"thing", "writing", "document", "home", "vehicle", "animal", "opinion", "painting"})
_OWNERS = (
    ("business", "company"),
    ("worker driver doctor scholar media cook", "company society 病院 facility city"),
    ("official police", "city"),
    ("learner", "大学 学校 city"),
    ("company society authority facility building festival", "city"),
    ("plan opinion 報告書 論文", "agent"),
    ("thing vehicle animal document writing", "human"),
)


def predicate_tokens(inflected: Inflected, annotation: Annotation) -> list[Token]:
    """Return the tokens of an inflected predicate, the annotation on the one that counts."""
    return [
        Token(morpheme, annotation=annotation if index == inflected.predicate else None)
        for index, morpheme in enumerate(inflected.morphemes)
    ]


def nominal_predicate(entity: Entity, subject: Filler, form: str) -> list[Token]:
    """Return noun + copula; the noun is the predicate, as the NAIST Text Corpus annotates it."""
    annotation = Annotation(TARGET, "active", {GA: subject})
    return [
        Token(noun(entity.noun.surface, entity.noun.reading), annotation=annotation),
        Token(conjugate("だ", "だ", "判定詞", COPULA, form)),
    ]


def event_annotation(subject: Entity) -> Annotation:
    """Return the annotation of an event noun (計画 of somebody): not a target, whatever it carries."""
    return Annotation(EVENT_NOUN, None, {GA: subject})
