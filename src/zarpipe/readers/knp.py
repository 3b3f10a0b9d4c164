"""KNP format with ``<rel>`` tags: KWDLC, Wikipedia Annotated Corpus, Kyoto University Text Corpus.

The lines are told apart here, so that every fault has its file and line; rhoknp reads what stands in them
(morpheme columns with blanks and escapes, relation tags). Which word of a base phrase is its token:
`knp_phrases`. Which base phrases are arguments: `knp_arguments`.

A fault of the dependency tree leaves words and relations readable, so it is repaired and remarked:
`repair_tree`.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Literal

from rhoknp import Morpheme
from rhoknp.cohesion.rel import CASE_TYPES, COREF_TYPES, RelTagList

from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import FileProblem
from zarpipe.readers.knp_arguments import DEFAULT_RULES, Labeller, LabelRules
from zarpipe.readers.knp_phrases import AnnotatedSentence, BasePhrase
from zarpipe.readers.lines import document_lines, refuse_unclosed, sentence_id
from zarpipe.readers.trees import repair_tree
from zarpipe.task.documents import Document, OwnBunsetsu, Remark, Token

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
SETTINGS = ("predicates", "coreferent_mentions", "construction_mentions")

_BUNSETSU = re.compile(r"\*(?: (-?\d{1,9})[DPAI])?(?: (<.*>))?")
_BASE_PHRASE = re.compile(r"\+(?: (-?\d{1,9})[DPAI])?(?: (<.*>))?")
_MORPHEME_COLUMNS = 11
# No base phrase has such a number, and Python reads none of thousands of digits.
_LONG_ID = re.compile(r' id="\d{10}')
_AFTER_COLUMNS = re.compile(r"(?: (?:NIL|\"[^\"]*\"))?(?: (?:<.*>))?$")
_KNOWN_RELATIONS = frozenset([*CASE_TYPES, *COREF_TYPES])


def read(text: str, place: Place, how: Reading) -> Document:
    """Read one document as a conversion asks for it (`zarpipe.readers.table`)."""
    nominal = how.predicates == "verbal_and_nominal"
    rules = LabelRules(how.own_bunsetsu, nominal, how.coreferent_mentions, how.construction_mentions)
    return read_knp(text, place.doc_id, place.path, place.line, rules)


def read_knp(
    text: str,
    doc_id: str,
    path: str,
    first_line: int = 1,
    rules: LabelRules = DEFAULT_RULES,
) -> Document:
    """Read one document.

    Args:
        text: the document.
        doc_id: its identifier; sentences without S-ID are numbered after it.
        path: file, for messages.
        first_line: line of the file at which ``text`` begins.
        rules: how arguments are labelled.

    Raises:
        FileProblem: the text is not well-formed; names the line, what was found and what was expected.
    """
    reader = _Reader(doc_id, path)
    reader.read(document_lines(text), first_line)
    labeller = Labeller(doc_id, path, reader.sentences, rules)
    sentences = [labeller.sentence(number) for number in range(len(reader.sentences))]
    return Document(doc_id, sentences, reader.remarks, removed=labeller.removed)


@functools.lru_cache(maxsize=1 << 16)
def parse_morpheme(line: str) -> Token | None:
    """Return surface, lemma, part of speech and sub part of speech; None if it is no morpheme line."""
    try:
        morpheme = Morpheme.from_jumanpp(line)
    except (ValueError, AssertionError):
        return None
    lemma = morpheme.surf if morpheme.lemma == "*" else morpheme.lemma
    return Token(morpheme.surf, lemma, morpheme.pos, morpheme.subpos)


def parse_relations(features: str) -> RelTagList:
    """Parse the ``<rel>`` tags of a base phrase.

    Raises:
        ValueError: saying which tag is malformed (rhoknp would leave it out in silence).
    """
    if "<rel" not in features:
        return RelTagList()
    try:
        relations = RelTagList() if _LONG_ID.search(features) else RelTagList.from_fstring(features)
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


class _Reader:
    """Reads the lines of one document into sentences."""

    def __init__(self, doc_id: str, path: str) -> None:
        self.doc_id = doc_id
        self.path = path
        self.sentences: list[AnnotatedSentence] = []
        self.remarks: list[Remark] = []
        self.open = AnnotatedSentence()

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
        if not self.open.base_phrases[-1].words:
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
        sentence.base_phrases[-1].words.append(morpheme)
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
        self._repair_tree(sentence)
        self.sentences.append(sentence)
        self.open = AnnotatedSentence()

    def _repair_tree(self, sentence: AnnotatedSentence) -> None:
        """Repair the tree over the bunsetsu. That over the base phrases is not used, and only remarked."""
        sentence.heads, repairs = repair_tree(sentence.heads)
        for repair in repairs:
            line = sentence.bunsetsu_lines[repair.bunsetsu]
            self.remarks.append(Remark(repair.kind, self.path, line, repair.message, repaired=True))
        count = len(sentence.base_phrases)
        for phrase, head in zip(sentence.base_phrases, sentence.base_phrase_heads, strict=True):
            if not -1 <= head < count:
                kind = "base phrase head out of range"
                message = (
                    f"found the base phrase head {head}, but the sentence has base phrases 0 to {count - 1}; "
                    "read as a root (-1)"
                )
                self.remarks.append(Remark(kind, self.path, phrase.line, message, repaired=True))

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
