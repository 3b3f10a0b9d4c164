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

from rhoknp import Morpheme
from rhoknp.cohesion.rel import CASE_TYPES, COREF_TYPES, RelTagList

from zarpipe.config.pos_sets import Tagset
from zarpipe.readers.knp_arguments import Labeller
from zarpipe.readers.knp_phrases import AnnotatedSentence, BasePhrase
from zarpipe.readers.lines import LineReader, document_lines
from zarpipe.readers.reading import Place, Reading, SplitRule
from zarpipe.readers.trees import repair_tree
from zarpipe.task.documents import Document, OwnBunsetsu, Remark, Token

ENDINGS: tuple[str, ...] = (".knp",)
FOLDERS: tuple[str, ...] = ()
TAGSET: Tagset = "juman"
SPLIT: SplitRule = "folders"
# A copular predicate corefers with its own subject (学生だ = 太郎), so that dropping the case would lose a
# fifth of KWDLC's nominatives.
OWN_BUNSETSU: OwnBunsetsu = "drop_mention"
SETTINGS: tuple[str, ...] = ("predicates", "coreferent_mentions", "construction_mentions")

_BUNSETSU = re.compile(r"\*(?: (-?\d{1,9})[DPAI])?(?: (<.*>))?")
_BASE_PHRASE = re.compile(r"\+(?: (-?\d{1,9})[DPAI])?(?: (<.*>))?")
_MORPHEME_COLUMNS = 11
# No base phrase has such a number, and Python reads none of thousands of digits.
_LONG_ID = re.compile(r' id="\d{10}')
_AFTER_COLUMNS = re.compile(r"(?: (?:NIL|\"[^\"]*\"))?(?: (?:<.*>))?$")
_KNOWN_RELATIONS = frozenset([*CASE_TYPES, *COREF_TYPES])


def read(text: str, place: Place, how: Reading) -> Document:
    """Read one document. Raises FileProblem if it is not well-formed."""
    reader = _Reader(place)
    reader.read(document_lines(text))
    labeller = Labeller(place, reader.sentences, how)
    sentences = [labeller.sentence(number) for number in range(len(reader.sentences))]
    return Document(place.doc_id, sentences, reader.remarks, removed=labeller.removed)


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


class _Reader(LineReader):
    """Reads the lines of one document into sentences."""

    within = "a morpheme, * line, + line or EOS"
    open: AnnotatedSentence

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.sentences: list[AnnotatedSentence] = []
        self.remarks: list[Remark] = []
        self.open = AnnotatedSentence()

    def read(self, lines: list[str]) -> None:
        """Read all lines; the last sentence has to be closed."""
        for number, line in enumerate(lines, self.place.line):
            self._line(line, number)
        self.refuse_unclosed(self.place.line + len(lines) - 1)

    def _line(self, line: str, number: int) -> None:
        """Tell the kind of a line. What has the columns of a morpheme is one, however it begins."""
        bare = line.rstrip(" \t")
        if bare == "":
            self.blank(number)
        elif bare == "EOS":
            self._end(number)
        elif line[0] == "*" and (match := _BUNSETSU.fullmatch(bare)):
            self._bunsetsu(match, number)
        elif line[0] == "+" and (match := _BASE_PHRASE.fullmatch(bare)):
            self._base_phrase(match, number)
        elif morpheme := parse_morpheme(line) or parse_morpheme(bare):
            self._morpheme(morpheme, number)
        elif line[0] == "#":
            self.comment(bare, number)
        elif line.startswith("@ ") and parse_morpheme(line[2:]):
            return  # another analysis of the morpheme before
        else:
            raise self.problem(number, _misread(bare))

    def _bunsetsu(self, match: re.Match[str], number: int) -> None:
        self._close(number)
        if match[1] is None:
            raise self.problem(number, "this bunsetsu line names no head; expected one such as '* 3D'")
        self.open.begin_bunsetsu(int(match[1]), number)

    def _base_phrase(self, match: re.Match[str], number: int) -> None:
        if not self.open.heads:
            raise self.problem(number, "found a + line before any bunsetsu; expected a line such as '* 3D'")
        if self._bunsetsu_has_base_phrase():
            self._close(number)
        if match[1] is None:
            raise self.problem(number, "this base phrase line names no head; expected one such as '+ 3D'")
        try:
            relations = parse_relations(match[2] or "")
        except ValueError as error:
            raise self.problem(number, str(error)) from None
        for tag in relations:
            if tag.type not in _KNOWN_RELATIONS:
                found = f"found the unknown case or relation {tag.type!r}"
                raise self.problem(number, f"{found}; expected one such as ガ, ヲ, ニ or =")
        self.open.base_phrases.append(BasePhrase(number, len(self.open.words), relations, head=int(match[1])))

    def _bunsetsu_has_base_phrase(self) -> bool:
        phrases = self.open.base_phrases
        return bool(phrases) and phrases[-1].line > self.open.bunsetsu_lines[-1]

    def _close(self, number: int) -> None:
        """Check that the bunsetsu and base phrase before line ``number`` are not empty."""
        if not self.open.heads:
            return
        if not self._bunsetsu_has_base_phrase():
            message = f"the bunsetsu has no base phrase; expected a + line before line {number}"
            raise self.problem(self.open.bunsetsu_lines[-1], message)
        if not self.open.base_phrases[-1].words:
            message = f"the base phrase has no morpheme; expected at least one before line {number}"
            raise self.problem(self.open.base_phrases[-1].line, message)

    def _morpheme(self, morpheme: Token, number: int) -> None:
        found = f"found the morpheme {morpheme[0]!r}"
        if not self.open.heads:
            raise self.problem(number, f"{found} before any bunsetsu; expected a line such as '* 3D'")
        if not self._bunsetsu_has_base_phrase():
            raise self.problem(number, f"{found}; expected a + line between it and the * line")
        self.open.base_phrases[-1].words.append(morpheme)
        self.open.add(morpheme)

    def _end(self, number: int) -> None:
        self.refuse_empty(number)
        self._close(number)
        self._repair_tree(self.open)
        self.sentences.append(self.open)
        self.open = AnnotatedSentence()

    def _repair_tree(self, sentence: AnnotatedSentence) -> None:
        """Repair the tree over the bunsetsu. That over the base phrases is not used, and only remarked."""
        sentence.heads, repairs = repair_tree(sentence.heads)
        for repair in repairs:
            self._repaired(repair.kind, sentence.bunsetsu_lines[repair.bunsetsu], repair.message)
        last = len(sentence.base_phrases) - 1
        for phrase in sentence.base_phrases:
            if not -1 <= phrase.head <= last:
                there = f"the sentence has base phrases 0 to {last}; read as a root (-1)"
                message = f"found the base phrase head {phrase.head}, but {there}"
                self._repaired("base phrase head out of range", phrase.line, message)

    def _repaired(self, kind: str, line: int, message: str) -> None:
        self.remarks.append(Remark(kind, self.place.path, line, message, repaired=True))


def _misread(line: str) -> str:
    if line.startswith(("* ", "+ ")):
        kind = "bunsetsu" if line[0] == "*" else "base phrase"
        return (
            f"found {line[:60]!r}; expected a {kind} line such as '{line[0]} 3D' (head, then D, P, A or I, "
            "then tags in <>)"
        )
    columns = len(_AFTER_COLUMNS.sub("", line).split(" "))
    return (
        f"found {columns} columns ({line[:60]!r}); expected the {_MORPHEME_COLUMNS} of a morpheme line, "
        "separated by one blank (surface, reading, lemma, then part of speech, sub part of speech, "
        "conjugation type and form, each with its number), and after them at most NIL or meanings in quotes "
        "and tags in <>"
    )
