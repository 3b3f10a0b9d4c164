"""Which base phrases are arguments: any annotation against a search that shares nothing with the reader."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from rhoknp.cohesion.rel import RelMode, RelTag

from zarpipe.readers.knp_arguments import CASE_RELATIONS, Labeller
from zarpipe.readers.knp_phrases import AnnotatedSentence, BasePhrase
from zarpipe.readers.reading import Place, Reading, reading
from zarpipe.task.documents import Argument, Removal

SENTENCES, PHRASES = 3, 4
KINDS = ("=", "=構", "=役", "=≒", "ガ", "ヲ", "ニ", "ト", "ガ≒")
REFERENTS = ("著者", "不特定:人", "不特定:物１", "なし")
PLACE = Place("d.knp", "d")
WORD = ("走る", "走る", "動詞", "*")
COPULA = ("だ", "だ", "判定詞", "*")
NOMINALISER = ("の", "の", "動詞", "*")  # a verb, so that it is a predicate as all are
COPULAR = {(0, 1), (1, 1), (2, 3)}  # base phrases with a copula
CLEFT = {(0, 2), (1, 3)}  # base phrases of の


@dataclass(frozen=True)
class Tag:
    """A relation from one base phrase to another, or to a referent outside the text."""

    source: tuple[int, int]
    kind: str
    target: tuple[int, int] | str
    mode: RelMode | None


phrases = st.tuples(st.integers(0, SENTENCES - 1), st.integers(0, PHRASES - 1))
tags = st.builds(
    Tag,
    phrases,
    st.sampled_from(KINDS),
    st.one_of(phrases, phrases, phrases, st.sampled_from(REFERENTS)),
    st.sampled_from([None, None, None, RelMode.AND, RelMode.OR, RelMode.AMBIGUOUS]),
)


def document(annotation: list[Tag]) -> list[AnnotatedSentence]:
    """Build sentences of one-word bunsetsu, all verbs, each depending on the next."""
    sentences = []
    for number in range(SENTENCES):
        sentence = AnnotatedSentence()
        sentence.sent_id, sentence.line = f"d-{number}", 1
        sentence.words = [WORD] * PHRASES
        sentence.bunsetsu = list(range(PHRASES))
        sentence.heads = [*range(1, PHRASES), -1]
        for index in range(PHRASES):
            relations = [_relation(tag) for tag in annotation if tag.source == (number, index)]
            words = [NOMINALISER if (number, index) in CLEFT else WORD]
            words += [COPULA] if (number, index) in COPULAR else []
            sentence.base_phrases.append(BasePhrase(1, index, relations, words))
        sentences.append(sentence)
    return sentences


def _relation(tag: Tag) -> RelTag:
    if isinstance(tag.target, str):
        return RelTag(tag.kind, tag.target, None, None, tag.mode)
    return RelTag(tag.kind, "走る", f"d-{tag.target[0]}", tag.target[1], tag.mode)


def reached(annotation: list[Tag], start, kinds) -> set:
    """Search everything that certain relations of these kinds join to ``start``, in both directions."""
    found = {start}
    while True:
        more = set()
        for tag in annotation:
            certain = tag.mode not in (RelMode.OR, RelMode.AMBIGUOUS)
            if tag.kind in kinds and certain and tag.target not in ("不特定:人", "なし"):
                ends = {tag.source, tag.target}
                more |= ends if ends & found else set()
        if more <= found:
            return found
        found |= more


def expected(annotation: list[Tag], predicate, case: str, rules: Reading) -> set[int] | Removal | None:
    """Apply the rules of the docs one by one."""
    own = [tag for tag in annotation if tag.source == predicate]
    targets = [tag.target for tag in own if tag.kind == case]
    meant: list = []
    for target in targets:
        meant = [] if target == "なし" else [*meant, target]
    if not meant:
        return Removal.OPTIONAL if set(targets) - {"なし"} else None
    identity = {"="} if rules.coreferent_mentions else set()
    construction = {"=", "=構", "=役"} if rules.coreferent_mentions else set()
    wide = construction if rules.construction_mentions == "document" else identity
    here: set = set()
    for target in meant:
        here |= {end for end in reached(annotation, target, wide) if end[0] == predicate[0]}
    if rules.construction_mentions == "sentence":
        cleft = bool(here & CLEFT)
        for mention in list(here):
            joined = {end for end in reached(annotation, mention, construction) if end[0] == predicate[0]}
            here |= joined if cleft else joined - COPULAR
    named = {target for target in meant if not isinstance(target, str)}
    if not here:
        return Removal.OTHER_SENTENCE if named else Removal.EXOPHORIC
    others = {tag.target for tag in own if tag.kind[0] != "=" and tag.kind.rstrip("≒") != case}
    here -= others - named
    if not here:
        return Removal.OTHER_CASE
    tokens = {index for _, index in here}
    if predicate[1] in tokens and (rules.own_bunsetsu == "drop_case" or len(tokens) == 1):
        return Removal.OWN_BUNSETSU
    return tokens - {predicate[1]}


def test_entity_with_a_mention_in_each_of_many_sentences():
    """A chain of 20,000 sentences, each with a mention and a predicate: work grows with the sentences."""
    sentences = []
    for number in range(20_000):
        sentence = AnnotatedSentence()
        sentence.sent_id, sentence.words = f"d-{number}", [WORD] * 2
        sentence.bunsetsu, sentence.heads = [0, 1], [1, -1]
        before = RelTag("=", "走る", f"d-{max(0, number - 1)}", 0, None)
        sentence.base_phrases = [
            BasePhrase(1, 0, [before] if number else [], [WORD]),
            BasePhrase(1, 1, [RelTag("ガ", "走る", "d-0", 0, None)], [WORD]),
        ]
        sentences.append(sentence)
    started = time.process_time()
    labeller = Labeller(PLACE, sentences, reading("knp"))
    found = [labeller.sentence(number).predicates[0].arguments for number in range(len(sentences))]
    assert found == [[Argument("NOM", 0, "DEP")]] * len(sentences)
    assert time.process_time() - started < 20


@settings(max_examples=400, deadline=None)
@given(
    st.lists(tags, max_size=24),
    st.builds(
        Reading,
        st.just("knp"),
        st.sampled_from(["drop_mention", "drop_case"]),
        st.just("verbal"),
        st.sampled_from([True, True, False]),
        st.sampled_from(["never", "sentence", "document"]),
    ),
)
def test_every_argument_is_labelled_or_removed_by_its_rule(annotation, rules):
    labeller = Labeller(PLACE, document(annotation), rules)
    removed: Counter[tuple[str, Removal]] = Counter()
    for number in range(SENTENCES):
        predicates = {predicate.token: predicate for predicate in labeller.sentence(number).predicates}
        for index in range(PHRASES):
            predicate = predicates.get(index)
            for relation, case in CASE_RELATIONS.items():
                wanted = expected(annotation, (number, index), relation, rules)
                if isinstance(wanted, Removal):
                    removed[case, wanted] += 1
                    wanted = None
                arguments = predicate.arguments if predicate else []
                assert {one.token for one in arguments if one.case == case} == (wanted or set())
    assert labeller.removed == removed
