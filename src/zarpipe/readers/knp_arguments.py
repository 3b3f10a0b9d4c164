"""Which base phrases of a sentence are the arguments of its predicates, from ``<rel>`` tags.

* A *predicate* is a base phrase with a ガ, ヲ or ニ relation that contains a verb, an adjective or a copula
  (する after a サ変名詞 is a verb); on request also without one (nominal predicates). Indirect relations
  (ガ≒) do not count.
* A *mention* of an argument is the base phrase that the relation names, and every base phrase that ``=``
  relations join to it anywhere in the document; those in the predicate's sentence are labelled. So an
  argument that is named in an earlier sentence is labelled where this one mentions it again, as in NTC.
  著者, 読者 and numbered referents (不特定:人１) are one entity each: 私 (= 著者) is a mention of ガ:著者.
* ``=構`` (apposition, copula) and ``=役`` (a name and its title) add mentions to an argument that the
  sentence has by the rule above. They bring none from another sentence: most of what they would bring
  describes the entity and is no argument (として, という, となる). So does what stands before a copula
  (プロトコルである): it is not added, unless の of a cleft stands for it (好きなのは魚です). Its topic is.
* A phrase that another case of the predicate names is no mention: it fills that case.
* Uncertain (``mode`` OR or ？) and near (≒) identity join nothing, as in rhoknp.
* Several relations of one case: with ``mode="AND"`` the targets fill the case together, with ``"OR"`` and
  ``"？"`` they are alternatives. Each target is a mention in all three, so that any is right.
* なし behind other targets marks these as optional (狭義に): they are not labelled, as in rhoknp; those that
  stand behind なし are. なし alone says that there is no argument.
"""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from collections.abc import Sequence

from rhoknp.cohesion.exophora import ExophoraReferent
from rhoknp.cohesion.rel import RelMode, RelTag

from zarpipe.errors import FileProblem
from zarpipe.readers.knp_phrases import AnnotatedSentence, BasePhrase
from zarpipe.readers.reading import Place, Reading
from zarpipe.task.cases import CASES
from zarpipe.task.documents import Argument, Predicate, Removal, Sentence, arguments_of_case

CASE_RELATIONS = {case.knp: case.name for case in CASES}
NO_ARGUMENT = "なし"

# A base phrase of a document: number of its sentence, its number in the sentence.
Phrase = tuple[int, int]


class Labeller:
    """Looks up the relations of a document's sentences.

    ``removed`` counts, by case and rule, the annotated arguments of the sentences asked for that are not
    labelled.
    """

    def __init__(self, place: Place, sentences: Sequence[AnnotatedSentence], how: Reading) -> None:
        self.place = place
        self.sentences = sentences
        self.how = how
        self.removed: Counter[tuple[str, Removal]] = Counter()
        self._numbers = {one.sent_id: number for number, one in reversed(list(enumerate(sentences)))}
        self._identical = _Entities()
        self._by_construction = _Entities()
        if how.coreferent_mentions:
            self._join_coreferent()

    def sentence(self, number: int) -> Sentence:
        """Return a sentence with its predicates."""
        sentence = self.sentences[number]
        predicates = [
            Predicate(phrase.content_word, None, self._arguments(number, phrase))
            for phrase in sentence.base_phrases
            if self._is_predicate(phrase)
        ]
        return sentence.closed(self.place.doc_id, number + 1, predicates)

    def _is_predicate(self, phrase: BasePhrase) -> bool:
        has_case = any(tag.type in CASE_RELATIONS for tag in phrase.relations)
        return has_case and (self.how.predicates == "verbal_and_nominal" or phrase.is_verbal)

    def _arguments(self, number: int, predicate: BasePhrase) -> list[Argument]:
        sentence = self.sentences[number]
        arguments: list[Argument] = []
        for relation, case in CASE_RELATIONS.items():
            found = self._mentions(number, predicate, relation)
            if found is None:
                continue
            labelled: list[Argument] = []
            if not isinstance(found, Removal):
                mentions = sorted(sentence.base_phrases[index].content_word for index in found)
                token, how = predicate.content_word, self.how.own_bunsetsu
                labelled = arguments_of_case(case, mentions, token, sentence.bunsetsu, sentence.heads, how)
            if not labelled:
                self.removed[case, found if isinstance(found, Removal) else Removal.OWN_BUNSETSU] += 1
            arguments += labelled
        return arguments

    def _mentions(self, number: int, predicate: BasePhrase, relation: str) -> set[int] | Removal | None:
        """Return the base phrases of the sentence that fill a case of a predicate.

        Instead, the rule by which there is none; None if the predicate has no argument of this case.
        """
        tags = [tag for tag in predicate.relations if tag.type == relation]
        begin = max((place for place, tag in enumerate(tags, 1) if _is_none(tag)), default=0)
        if begin == len(tags):
            return None if all(map(_is_none, tags)) else Removal.OPTIONAL
        meant = tags[begin:]
        named = {target for tag in meant if (target := self._target(tag, number, predicate)) is not None}
        entities: list[Phrase | str] = [*named, *filter(None, map(_referent, meant))]
        mentions: set[Phrase] = set().union(*(self._mentions_in(number, entity) for entity in entities))
        if not mentions:
            return Removal.OTHER_SENTENCE if named else Removal.EXOPHORIC
        mentions -= self._in_other_cases(number, predicate, relation) - named
        return {index for _, index in mentions} or Removal.OTHER_CASE

    def _in_other_cases(self, number: int, predicate: BasePhrase, relation: str) -> set[Phrase]:
        """Return the base phrases that other cases of a predicate name.

        What such a relation names may not be there: only for a case that is labelled is that a fault.
        """
        others: set[Phrase] = set()
        for tag in predicate.relations:
            if _is_other_case(tag, relation):
                with contextlib.suppress(FileProblem):
                    others.update(filter(None, [self._target(tag, number, predicate)]))
        return others

    def _mentions_in(self, number: int, entity: Phrase | str) -> set[Phrase]:
        """Return the base phrases of a sentence that mention what a relation names."""
        if self.how.construction_mentions == "document":
            return self._by_construction.of(entity, number)
        mentions = self._identical.of(entity, number)
        if self.how.construction_mentions == "sentence":
            added: set[Phrase] = set().union(
                *(self._by_construction.of(mention, number) for mention in mentions)
            )
            phrases = self.sentences[number].base_phrases
            is_cleft = any(phrases[index].is_nominaliser for _, index in mentions)
            return mentions | {one for one in added if is_cleft or not phrases[one[1]].has_copula}
        return mentions

    def _target(self, tag: RelTag, number: int, phrase: BasePhrase) -> Phrase | None:
        """Return the base phrase that a relation names; None if it names something outside the text."""
        if tag.sid is None or tag.base_phrase_index is None:
            return None
        sentence = number if tag.sid == "" else self._numbers.get(tag.sid)
        if sentence is None:
            raise self._nothing(phrase, f"sentence {tag.sid}, which is not in the document", tag)
        count = len(self.sentences[sentence].base_phrases)
        if tag.base_phrase_index >= count:
            named = f"base phrase {tag.base_phrase_index} of {tag.sid}, which has {count}"
            raise self._nothing(phrase, named, tag)
        return sentence, tag.base_phrase_index

    def _nothing(self, phrase: BasePhrase, named: str, tag: RelTag) -> FileProblem:
        found = f"the relation {tag.type} with target {tag.target!r} names {named}"
        expected = "expected sid and id of a base phrase of the document"
        return FileProblem(self.place.path, phrase.line, f"{found}; {expected}")

    def _join_coreferent(self) -> None:
        for number, sentence in enumerate(self.sentences):
            for index, phrase in enumerate(sentence.base_phrases):
                for tag in phrase.relations:
                    target = _is_identity(tag) and (self._target(tag, number, phrase) or _referent(tag))
                    if target:
                        self._by_construction.join((number, index), target)
                        if tag.type == "=":
                            self._identical.join((number, index), target)


def _is_none(tag: RelTag) -> bool:
    """Tell whether a relation says that there is no argument; the word なし of a text has a place."""
    return tag.target == NO_ARGUMENT and tag.sid is None


def _referent(tag: RelTag) -> str | None:
    """Return the referent outside the text, if there is only one of it in a document (著者)."""
    return _singleton(tag.target) if tag.sid is None else None


@functools.lru_cache(maxsize=4096)
def _singleton(target: str) -> str | None:
    if not ExophoraReferent.PAT.match(target):
        return None
    referent = ExophoraReferent(target)
    return referent.text if referent.is_singleton() else None


def _is_identity(tag: RelTag) -> bool:
    """Tell whether a relation says that both base phrases are the same entity, without doubt."""
    certain = tag.mode not in (RelMode.OR, RelMode.AMBIGUOUS)
    return tag.type.startswith("=") and not tag.type.endswith("≒") and certain


def _is_other_case(tag: RelTag, relation: str) -> bool:
    """Tell whether a relation is a case, of whatever kind, and not the given one (direct or indirect)."""
    return not tag.type.startswith("=") and tag.type.removesuffix("≒") != relation


class _Entity:
    """What corefers: base phrases by sentence, and all members with the referents outside the text."""

    def __init__(self, member: Phrase | str) -> None:
        self.members = [member]
        self.by_sentence = {} if isinstance(member, str) else {member[0]: {member}}


class _Entities:
    """The entities of a document; referents outside the text are known by their names."""

    def __init__(self) -> None:
        self._entities: dict[Phrase | str, _Entity] = {}

    def join(self, one: Phrase, other: Phrase | str) -> None:
        """Make two of the same entity. The smaller entity goes into the larger: long chains stay fast."""
        entities = [self._entities.setdefault(end, _Entity(end)) for end in (one, other)]
        smaller, larger = sorted(entities, key=lambda entity: len(entity.members))
        if smaller is larger:
            return
        larger.members += smaller.members
        for number, phrases in smaller.by_sentence.items():
            larger.by_sentence.setdefault(number, set()).update(phrases)
        for member in smaller.members:
            self._entities[member] = larger

    def of(self, mention: Phrase | str, number: int) -> set[Phrase]:
        """Return the base phrases of an entity in one sentence, the given mention included."""
        entity = self._entities.get(mention) or _Entity(mention)
        return entity.by_sentence.get(number, set())
