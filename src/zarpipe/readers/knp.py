"""KNP format with ``<rel>`` tags: KWDLC, Wikipedia Annotated Corpus, Kyoto University Text Corpus.

The lines are told apart here, so that every fault has its file and line; rhoknp reads what stands in them
(morpheme columns with blanks and escapes, relation tags). The rules:

* A *predicate* is a base phrase with a ガ, ヲ or ニ relation that contains a verb, an adjective or a copula
  (する after a サ変名詞 is a verb); on request also without one (nominal predicates). Indirect relations
  (ガ≒) do not count.
* The token of a predicate and of a mention is the *content word* of the base phrase: its last noun, verb,
  adjective, adverb, demonstrative, interjection, conjunction, adnominal or unknown word; never a prefix,
  bracket or particle.
* A *mention* of an argument is the base phrase that the relation names, if it is in the predicate's sentence,
  and (on request off) every base phrase of that sentence that corefers with it through ``=`` relations
  (``=構`` and ``=役`` too, ≒ and uncertain ones not, as in rhoknp).
* Several relations of one case: with ``mode="AND"`` the targets fill the case together, with ``"OR"`` and
  ``"？"`` they are alternatives. Each target in the sentence is a mention in all three, so that any is right.
* A target without sentence id (著者, 読者, 不特定:人, なし, 前文, 後文) is exophoric or nothing: no mention,
  whatever stands beside it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from rhoknp import Morpheme
from rhoknp.cohesion.exophora import ExophoraReferent
from rhoknp.cohesion.rel import CASE_TYPES, COREF_TYPES, RelMode, RelTag, RelTagList

from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import FileProblem
from zarpipe.readers.lines import document_lines, refuse_unclosed, sentence_id
from zarpipe.readers.trees import check_tree
from zarpipe.task.cases import CASES
from zarpipe.task.documents import (
    Argument,
    Document,
    OwnBunsetsu,
    Predicate,
    Remark,
    Sentence,
    Token,
    arguments_of_case,
)

if TYPE_CHECKING:
    from zarpipe.readers.convert import Reading
    from zarpipe.readers.scan import Place

ENDINGS = (".knp",)
FOLDERS = ()
TAGSET: Tagset = "juman"
SPLIT: Literal["folders"] = "folders"
# A copular predicate corefers with its own subject (学生だ = 太郎), so that dropping the case would lose a
# fifth of KWDLC's nominatives.
OWN_BUNSETSU: OwnBunsetsu = "drop_mention"
SETTINGS = ("predicates", "coreferent_mentions")

CASE_RELATIONS = {case.knp: case.name for case in CASES}
# Parts of speech that make a base phrase verbal, and those that can be its content word.
PREDICATE_POS = frozenset({"動詞", "形容詞", "判定詞"})
CONTENT_POS = frozenset(
    {"名詞", "動詞", "形容詞", "副詞", "指示詞", "感動詞", "接続詞", "連体詞", "未定義語"}
)
# Without a content word: the last of these, in this order of preference.
_LESSER_POS = (
    frozenset({"接尾辞"}),
    frozenset({"判定詞", "助動詞"}),
    frozenset({"接頭辞"}),
    frozenset({"助詞"}),
)

_BUNSETSU = re.compile(r"\*(?: (-1|\d+)[DPAI])?(?: (<.*>))?")
_BASE_PHRASE = re.compile(r"\+(?: (-1|\d+)[DPAI])?(?: (<.*>))?")
_MORPHEME_COLUMNS = 11
_AFTER_COLUMNS = re.compile(r"(?: (?:NIL|\"[^\"]*\"))?(?: (?:<.*>))?$")
_KNOWN_RELATIONS = frozenset([*CASE_TYPES, *COREF_TYPES])


@dataclass
class BasePhrase:
    """A base phrase under construction: where it stands, its tokens, its relations."""

    line: int
    first_token: int
    relations: Sequence[RelTag]
    pos: list[str] = field(default_factory=list)

    @property
    def content_word(self) -> int:
        """Token of the content word."""
        return self.first_token + content_word(self.pos)

    @property
    def is_verbal(self) -> bool:
        """Whether it contains a verb, an adjective or a copula."""
        return not PREDICATE_POS.isdisjoint(self.pos)


def content_word(pos: Sequence[str]) -> int:
    """Return which morpheme of a base phrase is its content word, from their parts of speech."""
    for group in (CONTENT_POS, *_LESSER_POS):
        for index in reversed(range(len(pos))):
            if pos[index] in group:
                return index
    return 0


def read(text: str, place: Place, how: Reading) -> Document:
    """Read one document as a conversion asks for it (`zarpipe.readers.table`)."""
    return read_knp(
        text,
        place.doc_id,
        place.path,
        place.line,
        own_bunsetsu=how.own_bunsetsu,
        nominal=how.predicates == "verbal_and_nominal",
        coreferent_mentions=how.coreferent_mentions,
    )


def read_knp(
    text: str,
    doc_id: str,
    path: str,
    first_line: int = 1,
    own_bunsetsu: OwnBunsetsu = "drop_mention",
    nominal: bool = False,
    coreferent_mentions: bool = True,
) -> Document:
    """Read one document.

    Args:
        text: the document.
        doc_id: its identifier; sentences without S-ID are numbered after it.
        path: file, for messages.
        first_line: line of the file at which ``text`` begins.
        own_bunsetsu: what a mention in the predicate's own bunsetsu does to the argument's other mentions.
        nominal: whether base phrases without verb, adjective and copula can be predicates.
        coreferent_mentions: whether coreferent base phrases of the sentence are mentions too.

    Raises:
        FileProblem: the text is not well-formed; names the line, what was found and what was expected.
    """
    reader = _Reader(doc_id, path)
    reader.read(document_lines(text), first_line)
    resolver = _Resolver(reader, own_bunsetsu, nominal, coreferent_mentions)
    sentences = [resolver.sentence(index) for index in range(len(reader.sentences))]
    return Document(doc_id, sentences, reader.remarks)


@functools.lru_cache(maxsize=1 << 16)
def parse_morpheme(line: str) -> Token | None:
    """Return surface, lemma, part of speech and sub part of speech; None if it is no morpheme line."""
    try:
        morpheme = Morpheme.from_jumanpp(line)
    except (ValueError, AssertionError):
        return None
    lemma = morpheme.surf if morpheme.lemma == "*" else morpheme.lemma
    return morpheme.surf, lemma, morpheme.pos, morpheme.subpos


def parse_relations(features: str) -> RelTagList:
    """Parse the ``<rel>`` tags of a base phrase.

    Raises:
        ValueError: saying which tag is malformed (rhoknp would leave it out in silence).
    """
    if "<rel" not in features:
        return RelTagList()
    try:
        relations = RelTagList.from_fstring(features)
    except ValueError as error:
        found = str(error).split(" is ")[0]  # rhoknp's modes are an enumeration
        raise ValueError(f"found a <rel> tag with the mode {found}; expected mode AND, OR or ？") from None
    damaged = len(relations) != features.count("<rel") or any('"' in tag.target for tag in relations)
    if damaged:
        raise ValueError(
            f'found a malformed <rel> tag in {features!r}; expected <rel type="ガ" target="太郎" sid="ID" '
            'id="0"/>, mode="AND|OR|？" after type, and sid and id together or not at all'
        )
    return relations


class _Sentence:
    """A sentence as its lines say, before relations are looked up."""

    def __init__(self) -> None:
        self.sent_id: str | None = None
        self.line: int | None = None
        self.words: list[Token] = []
        self.bunsetsu: list[int] = []
        self.heads: list[int] = []
        self.bunsetsu_lines: list[int] = []
        self.base_phrases: list[BasePhrase] = []
        self.base_phrase_heads: list[int] = []


class _Reader:
    """Reads the lines of one document into sentences."""

    def __init__(self, doc_id: str, path: str) -> None:
        self.doc_id = doc_id
        self.path = path
        self.sentences: list[_Sentence] = []
        self.remarks: list[Remark] = []
        self.open = _Sentence()

    def read(self, lines: list[str], first_line: int) -> None:
        """Read all lines; the last sentence has to be closed."""
        for number, line in enumerate(lines, first_line):
            self._line(line, number)
        refuse_unclosed(self.open.line, first_line + len(lines) - 1, self.path)

    def _line(self, line: str, number: int) -> None:
        """Tell the kind of a line. What has the columns of a morpheme is one, however it begins."""
        bare = line.rstrip(" \t")
        if bare == "":
            self._blank(number)
        elif bare == "EOS":
            self._end(number)
        elif line[0] == "*" and (match := _BUNSETSU.fullmatch(bare)):
            self._bunsetsu(match, number)
        elif line[0] == "+" and (match := _BASE_PHRASE.fullmatch(bare)):
            self._base_phrase(match, number)
        elif morpheme := parse_morpheme(line) or parse_morpheme(bare):
            self._morpheme(morpheme, number)
        elif line[0] == "#":
            self._comment(bare, number)
        elif line.startswith("@ ") and parse_morpheme(line[2:]):
            return  # another analysis of the morpheme before
        else:
            raise self._problem(number, _misread(bare))

    def _blank(self, number: int) -> None:
        if self.open.heads:
            raise self._problem(
                number, "found an empty line inside a sentence; expected a morpheme, * line, + line or EOS"
            )

    def _comment(self, line: str, number: int) -> None:
        sent_id = sentence_id(line, number, self.open.line, self.path)
        if sent_id is not None:
            self.open.sent_id, self.open.line = sent_id, number

    def _bunsetsu(self, match: re.Match[str], number: int) -> None:
        self._close(number)
        if match[1] is None:
            raise self._problem(number, "this bunsetsu line names no head; expected one such as '* 3D'")
        if self.open.line is None:
            self.open.line = number
        self.open.heads.append(int(match[1]))
        self.open.bunsetsu_lines.append(number)

    def _base_phrase(self, match: re.Match[str], number: int) -> None:
        if not self.open.heads:
            raise self._problem(number, "found a + line before any bunsetsu; expected a line such as '* 3D'")
        if self._bunsetsu_has_base_phrase():
            self._close(number)
        if match[1] is None:
            raise self._problem(number, "this base phrase line names no head; expected one such as '+ 3D'")
        try:
            relations = parse_relations(match[2] or "")
        except ValueError as error:
            raise self._problem(number, str(error)) from None
        for tag in relations:
            if tag.type not in _KNOWN_RELATIONS:
                raise self._problem(
                    number,
                    f"found the unknown case or relation {tag.type!r}; expected one such as ガ, ヲ, ニ or =",
                )
        self.open.base_phrases.append(BasePhrase(number, len(self.open.words), relations))
        self.open.base_phrase_heads.append(int(match[1]))

    def _bunsetsu_has_base_phrase(self) -> bool:
        phrases = self.open.base_phrases
        return bool(phrases) and phrases[-1].line > self.open.bunsetsu_lines[-1]

    def _close(self, number: int) -> None:
        """Check that the bunsetsu and base phrase before line ``number`` are not empty."""
        if not self.open.heads:
            return
        if not self._bunsetsu_has_base_phrase():
            raise self._problem(
                self.open.bunsetsu_lines[-1],
                f"the bunsetsu has no base phrase; expected a + line before line {number}",
            )
        if not self.open.base_phrases[-1].pos:
            raise self._problem(
                self.open.base_phrases[-1].line,
                f"the base phrase has no morpheme; expected at least one before line {number}",
            )

    def _morpheme(self, morpheme: Token, number: int) -> None:
        if not self.open.heads:
            raise self._problem(
                number,
                f"found the morpheme {morpheme[0]!r} before any bunsetsu; expected a line such as '* 3D'",
            )
        if not self._bunsetsu_has_base_phrase():
            raise self._problem(
                number, f"found the morpheme {morpheme[0]!r}; expected a + line between it and the * line"
            )
        sentence = self.open
        sentence.base_phrases[-1].pos.append(morpheme[2])
        sentence.words.append(morpheme)
        sentence.bunsetsu.append(len(sentence.heads) - 1)

    def _end(self, number: int) -> None:
        sentence = self.open
        if not sentence.words:
            start = sentence.line or number
            raise self._problem(
                start, f"found an empty sentence (lines {start} to {number}); expected bunsetsu and morphemes"
            )
        self._close(number)
        self._root_own_heads(sentence)
        check_tree(sentence.heads, sentence.bunsetsu_lines, self.path)
        count = len(sentence.base_phrases)
        for phrase, head in zip(sentence.base_phrases, sentence.base_phrase_heads, strict=True):
            if head >= count:
                raise self._problem(
                    phrase.line,
                    f"found the base phrase head {head}; expected -1 or one of the {count} base phrases of "
                    "the "
                    "sentence, from 0",
                )
        self.sentences.append(sentence)
        self.open = _Sentence()

    def _root_own_heads(self, sentence: _Sentence) -> None:
        """Read a bunsetsu that is its own head as a root (KWDLC has one). No relation changes by that."""
        for number, head in enumerate(sentence.heads):
            if head == number:
                sentence.heads[number] = -1
                message = f"bunsetsu {number} is its own head; read as a root (-1)"
                self.remarks.append(Remark("own head", self.path, sentence.bunsetsu_lines[number], message))

    def _problem(self, number: int, message: str) -> FileProblem:
        return FileProblem(self.path, number, message)


def _misread(line: str) -> str:
    if line.startswith(("* ", "+ ")):
        kind = "bunsetsu" if line[0] == "*" else "base phrase"
        return (
            f"found {line[:60]!r}; expected a {kind} line such as '{line[0]} 3D' (head, then D, P, A or I, "
            "then tags "
            "in <>)"
        )
    columns = len(_AFTER_COLUMNS.sub("", line).split(" "))
    return (
        f"found {columns} columns ({line[:60]!r}); expected the {_MORPHEME_COLUMNS} of a morpheme line, "
        "separated by "
        "one blank (surface, reading, lemma, then part of speech, sub part of speech, conjugation type and "
        "form, "
        "each with its number), and after them at most NIL or meanings in quotes and tags in <>"
    )


class _Resolver:
    """Looks up the relations of a document's sentences."""

    def __init__(
        self, reader: _Reader, own_bunsetsu: OwnBunsetsu, nominal: bool, coreferent_mentions: bool
    ) -> None:
        self.reader = reader
        self.own_bunsetsu = own_bunsetsu
        self.nominal = nominal
        self.index = {
            sentence.sent_id: number for number, sentence in reversed(list(enumerate(reader.sentences)))
        }
        self.entities = _Entities()
        if coreferent_mentions:
            self._join_coreferent()

    def sentence(self, number: int) -> Sentence:
        """Return a sentence with its predicates."""
        sentence = self.reader.sentences[number]
        predicates = [
            Predicate(phrase.content_word, None, self._arguments(number, phrase))
            for phrase in sentence.base_phrases
            if self._is_predicate(phrase)
        ]
        return Sentence(
            sentence.sent_id or f"{self.reader.doc_id}-{number + 1:03d}",
            sentence.line or 1,
            sentence.words,
            sentence.bunsetsu,
            sentence.heads,
            predicates,
        )

    def _is_predicate(self, phrase: BasePhrase) -> bool:
        if not any(tag.type in CASE_RELATIONS for tag in phrase.relations):
            return False
        return self.nominal or phrase.is_verbal

    def _arguments(self, number: int, predicate: BasePhrase) -> list[Argument]:
        sentence = self.reader.sentences[number]
        arguments = []
        for relation_type, case in CASE_RELATIONS.items():
            phrases: set[int] = set()
            for tag in predicate.relations:
                target = self._target(tag, number, predicate) if tag.type == relation_type else None
                if target is not None and target[0] == number:
                    phrases.update(index for inside, index in self.entities.of(target) if inside == number)
            mentions = sorted(sentence.base_phrases[index].content_word for index in phrases)
            arguments += arguments_of_case(
                case, mentions, predicate.content_word, sentence.bunsetsu, sentence.heads, self.own_bunsetsu
            )
        return arguments

    def _target(self, tag: RelTag, number: int, phrase: BasePhrase) -> tuple[int, int] | None:
        """Return (sentence, base phrase) that a relation names; None for exophora and what is not there."""
        if tag.sid is None or tag.base_phrase_index is None:
            return None
        sentence = number if tag.sid == "" else self.index.get(tag.sid)
        if sentence is None:
            raise self._nothing(phrase, f"sentence {tag.sid}, which is not in the document", tag)
        count = len(self.reader.sentences[sentence].base_phrases)
        if tag.base_phrase_index >= count:
            raise self._nothing(
                phrase, f"base phrase {tag.base_phrase_index} of {tag.sid}, which has {count}", tag
            )
        return sentence, tag.base_phrase_index

    def _nothing(self, phrase: BasePhrase, named: str, tag: RelTag) -> FileProblem:
        return FileProblem(
            self.reader.path,
            phrase.line,
            f"the relation {tag.type} with target {tag.target!r} names {named}; expected sid and id of a "
            "base phrase "
            "of the document",
        )

    def _join_coreferent(self) -> None:
        for number, sentence in enumerate(self.reader.sentences):
            for index, phrase in enumerate(sentence.base_phrases):
                for tag in phrase.relations:
                    if not _is_identity(tag):
                        continue
                    target = self._target(tag, number, phrase) or _referent(tag)
                    if target is not None:
                        self.entities.join((number, index), target)


def _referent(tag: RelTag) -> str | None:
    """Return the exophoric referent of a relation if there is only one of it in a document (著者)."""
    referent = ExophoraReferent(tag.target)
    return referent.text if referent.is_singleton() else None


def _is_identity(tag: RelTag) -> bool:
    """Tell whether a relation says that both base phrases are the same entity, without doubt."""
    certain = tag.mode not in (RelMode.OR, RelMode.AMBIGUOUS)
    return tag.type.startswith("=") and not tag.type.endswith("≒") and certain


class _Entities:
    """Groups of coreferent base phrases (sentence, index); exophoric referents join them by name."""

    def __init__(self) -> None:
        self._groups: dict[tuple[int, int] | str, set[tuple[int, int] | str]] = {}

    def join(self, one: tuple[int, int], other: tuple[int, int] | str) -> None:
        """Make two of the same entity."""
        merged = self._groups.get(one, {one}) | self._groups.get(other, {other})
        for member in merged:
            self._groups[member] = merged

    def of(self, mention: tuple[int, int]) -> list[tuple[int, int]]:
        """Return the base phrases of a mention's entity, itself included."""
        return [member for member in self._groups.get(mention, {mention}) if not isinstance(member, str)]
