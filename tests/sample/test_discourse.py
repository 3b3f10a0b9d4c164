"""What is said and what is not: voices, the ranking of antecedents, selectional restrictions."""

from __future__ import annotations

import random

import pytest

from zarpipe.sample import events, lexicon
from zarpipe.sample.discourse import Discourse, Memory
from zarpipe.sample.events import Event
from zarpipe.sample.grammar import ClauseShape, Grammar, particle
from zarpipe.sample.lexicon import GA, NI, WO
from zarpipe.sample.morphology import CAUSATIVE, PASSIVE
from zarpipe.sample.tree import Entity, sentence_of


def entity(noun: str) -> Entity:
    return Entity(lexicon.NOUNS[noun], known=True)


def verb(name: str):
    return next(verb for verb in lexicon.VERBS if verb.name == name)


@pytest.fixture
def cast():
    return {name: entity(noun) for name, noun in {"boss": "社長", "clerk": "社員", "letter": "手紙"}.items()}


def test_surface_cases_of_the_voices(cast):
    boss, clerk, letter = cast["boss"], cast["clerk"], cast["letter"]
    scold = {GA: boss, WO: clerk}
    assert Event(verb("叱る"), scold).arguments() == {GA: boss, WO: clerk}
    assert Event(verb("叱る"), scold, PASSIVE).arguments() == {GA: clerk, NI: boss}
    read = Event(verb("読む"), {GA: clerk, WO: letter}, CAUSATIVE, boss)
    assert read.arguments() == {GA: boss, NI: clerk, WO: letter}
    rest = Event(verb("休む"), {GA: clerk}, CAUSATIVE, boss)
    assert rest.arguments() == {GA: boss, WO: clerk}
    handed = Event(verb("渡す"), {WO: letter, NI: clerk}, PASSIVE)
    assert handed.arguments() == {GA: letter, NI: clerk}


def test_restrictions_follow_the_voice(cast):
    passive = Event(verb("読む"), {GA: cast["clerk"], WO: cast["letter"]}, PASSIVE)
    assert passive.accepts(GA, cast["letter"])
    assert not passive.accepts(GA, cast["clerk"])
    assert passive.accepts(NI, cast["clerk"])


def test_ranking_of_antecedents(cast):
    place, adjunct = entity("駅"), entity("友人")
    memory = Memory(topic=cast["boss"])
    memory.mention(cast["clerk"], GA)
    memory.mention(cast["letter"], WO)
    memory.mention(place, NI)
    memory.mention(adjunct, "adjunct")
    assert memory.antecedents(GA)[:2] == [cast["boss"], cast["clerk"]]
    assert memory.antecedents(WO)[0] is cast["letter"]
    assert memory.antecedents(NI)[0] is place
    assert memory.antecedents(NI)[-1] is cast["boss"]


def test_a_thing_in_other_hands_cannot_be_used(cast):
    letter = cast["letter"]
    events.take_effect(Event(verb("渡す"), {GA: cast["boss"], WO: letter, NI: cast["clerk"]}))
    assert letter.holder is cast["clerk"]
    assert not events.possible(verb("読む"), cast["boss"], letter)
    assert events.possible(verb("読む"), cast["clerk"], letter)
    assert events.possible(verb("受け取る"), cast["boss"], letter)


def test_what_is_eaten_is_gone():
    bread = entity("パン")
    events.take_effect(Event(verb("食べる"), {GA: entity("客"), WO: bread}))
    assert bread.gone


def test_clause_has_its_said_arguments_before_it():
    discourse = Discourse(random.Random(0), lexicon.SCENES[0])
    grammar = Grammar(discourse, Memory())
    boss, letter = entity("社長"), entity("手紙")
    node = grammar.clause(Event(verb("読む"), {GA: boss, WO: letter}), ClauseShape(bare=True))
    tokens = list(sentence_of(node).tokens())
    assert {token.entity for token in tokens} - {None} == {boss, letter}
    assert tokens[-1].annotation.arguments == {GA: boss, WO: letter}
    assert tokens[-1].morpheme.surface == "読んだ"


def test_gap_and_phrase_are_not_said_again():
    discourse = Discourse(random.Random(0), lexicon.SCENES[0])
    grammar = Grammar(discourse, Memory())
    boss, letter = entity("社長"), entity("手紙")
    event = Event(verb("読む"), {GA: boss, WO: letter})
    node = grammar.clause(event, ClauseShape(unsaid_subject=boss, gap=letter, embedded=True))
    assert [unit.tokens[0].morpheme.surface for unit in node.walk()] == ["読んだ"]


def test_topic_is_called_self_when_it_comes_again():
    discourse = Discourse(random.Random(0), lexicon.SCENES[0])
    grammar = Grammar(discourse, Memory())
    boss = entity("社長")
    grammar.topic_phrase(boss, "は")
    again = grammar.noun_phrase(boss, (particle("を"),), WO)
    assert again.tokens[0].morpheme.surface == "自分"
    assert again.tokens[0].entity is boss


def test_a_sentence_that_comes_to_nothing_leaves_no_trace():
    discourse = Discourse(random.Random(0), lexicon.SCENES[0])
    known = discourse.new_entity(lexicon.HUMANS)
    before = discourse.state()
    discourse.new_entity(lexicon.HUMANS)
    known.known, discourse.topic = True, known
    discourse.lemmas.append("読む")
    discourse.restore(before)
    assert discourse.entities == [known]
    assert (known.known, discourse.topic, discourse.lemmas) == (False, None, [])
