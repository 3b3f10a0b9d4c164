"""NAIST Text Corpus 1.5: the distributed form (``.ntc``) and the CaboCha-style tab-separated form.

Distributed form::

    # S-ID:950101008-001 KNP:96/10/11 MOD:98/02/01
    * 0 3D
    大家 おおや * 名詞 普通名詞 * * id="1"
    は は * 助詞 副助詞 * * _
    EOS

eight fields separated by one ASCII blank (surface, reading, lemma or ``*``, part of speech, sub part of
speech, conjugation type, conjugation form, annotation; the full-width space is a token). Tab form::

    * 0 3D 0/1 1.100647
    大家<TAB>名詞,普通名詞,*,*,大家,おおや,代表表記:大家/おおや<TAB>O<TAB>id="1"
    EOS

The rules for predicates and arguments are those of the golden reader cases: a predicate is a token with
``type="pred"``; ``ga``, ``o``, ``ni`` (the attributes in `zarpipe.task.cases`) name an entity; every token of
the sentence with that ``id`` is a mention.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import any_of
from zarpipe.readers.dictionaries import DICTIONARIES, Dictionary, dictionary_of
from zarpipe.readers.lines import LineReader, OpenSentence, document_lines
from zarpipe.readers.reading import Place, Reading, SplitRule
from zarpipe.readers.trees import check_tree
from zarpipe.task.cases import CASES
from zarpipe.task.documents import (
    Argument,
    Document,
    OwnBunsetsu,
    Predicate,
    Remark,
    Removal,
    Token,
    arguments_of_case,
)

ENDINGS: tuple[str, ...] = (".ntc", ".txt", ".tab", ".cabocha", ".tsv")
# Where NTC 1.5's distribution keeps the annotation on JUMAN morphemes.
FOLDERS: tuple[str, ...] = ("dat/ntc/knp", "ntc/knp", "knp")
TAGSET: Tagset = "juman"
SPLIT: SplitRule = "taira"
OWN_BUNSETSU: OwnBunsetsu = "drop_case"
SETTINGS: tuple[str, ...] = ()

CASE_ATTRIBUTES = {case.ntc: case.name for case in CASES}
EXOPHORA = frozenset({"exo1", "exo2", "exog"})
PREDICATE_TYPE = "pred"
_TYPES = frozenset({"pred", "noun", "event"})
_KNOWN = {"id", "type", "alt", "eq", "ana_id", "ant_id"} | {
    attribute for name in CASE_ATTRIBUTES for attribute in (name, f"{name}_type")
}
_ENTITY_ATTRIBUTES = frozenset({"id", *CASE_ATTRIBUTES})
# Other spellings of the cases: taken as unknown attributes they would lose the argument in silence.
_MISSPELT_CASES = {"wo": "o", "Wo": "o", "WO": "o"} | {
    spelling: name for name in CASE_ATTRIBUTES for spelling in (name.upper(), name.capitalize())
}

_BUNSETSU = re.compile(r"\* ([0-9]{1,9}) (-?[0-9]{1,9})[DPAI](?: .*)?\Z")
_ENTITY = re.compile(r"[0-9]{1,18}")
_ATTRIBUTE = re.compile(r'([A-Za-z_][A-Za-z0-9_]*)="([^"]*)"')
_FIELDS = 8
# Different words, lines and annotations that are kept in memory, some 60 MB.
_REMEMBERED = 1 << 16


class Annotation(NamedTuple):
    """What one morpheme's annotation says."""

    ids: tuple[int, ...] = ()  # entity ids that the token carries
    is_predicate: bool = False  # whether it is a target predicate
    alt: str | None = None  # voice as annotated
    # (case, entity id) of the predicate's arguments that are not exophoric.
    cases: tuple[tuple[str, int], ...] = ()
    remarks: tuple[tuple[str, str], ...] = ()  # (kind, message) of what was read but looks wrong
    exophoric: tuple[str, ...] = ()  # cases whose argument is outside the text


def read(text: str, place: Place, how: Reading) -> Document:
    """Read one document in either form. Raises FileProblem if it is not well-formed."""
    lines = document_lines(text)
    form, tagset = _DISTRIBUTED, TAGSET
    if is_tab_separated(lines):
        tagset = dictionary_of(lines, place.line, place.path).tagset
        form = _TAB_SEPARATED[tagset]
    if len(form.known) > _REMEMBERED:
        form.known.clear()
    return _Reader(place, tagset, how.own_bunsetsu, form).read(lines)


def is_tab_separated(lines: Iterable[str]) -> bool:
    """Tell the form of a document by its first morpheme line."""
    for line in lines:
        if line and not line.startswith(("* ", "# ", "EOS")):
            return "\t" in line
    return False


@functools.lru_cache(_REMEMBERED)
def parse_annotation(text: str, separator: str) -> Annotation:
    """Parse the annotation of a morpheme: ``key="value"`` joined with ``separator`` (``/`` or a blank).

    ``&&`` joins two annotations of one token (tab form). All their ids count; the cases are those of the part
    that is a predicate. With two predicate parts the token is no predicate (golden notes, D6 to D8). Raises
    ValueError saying what was found and what was expected.
    """
    if not text.strip(" "):
        return Annotation()
    parts = [_attributes(part.strip(" "), separator) for part in text.split("&&")]
    ids = tuple(dict.fromkeys(int(part["id"]) for part in parts if "id" in part))
    remarks = [remark for part in parts for remark in _remarks(part)]
    predicates = [part for part in parts if part.get("type") == PREDICATE_TYPE]
    if len(predicates) > 1:
        message = "two predicates are annotated on one token (&&); it is not taken as a predicate"
        remarks.append(("two predicates", message))
    if len(predicates) != 1:
        return Annotation(ids, remarks=tuple(remarks))
    attributes = predicates[0]
    named = [(case, attributes[name]) for name, case in CASE_ATTRIBUTES.items() if name in attributes]
    cases = tuple((case, int(value)) for case, value in named if value not in EXOPHORA)
    exophoric = tuple(case for case, value in named if value in EXOPHORA)
    return Annotation(ids, True, attributes.get("alt"), cases, tuple(remarks), exophoric)


def _attributes(text: str, separator: str) -> dict[str, str]:
    """Return the attributes of one annotation; their values are checked."""
    pairs = _ATTRIBUTE.findall(text)
    written = [f'{name}="{value}"' for name, value in pairs]
    if separator.join(written) != text and " ".join(written) != " ".join(text.split(" ")):
        shown = "a blank" if separator == " " else repr(separator)
        raise ValueError(
            f'found the annotation {text!r}; expected key="value" with double quotes, joined with {shown}'
            + (", or _ for none" if separator == "/" else "")
        )
    attributes = dict(pairs)
    if len(attributes) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the attribute {twice!r} is given twice on one token; expected it once")
    for name in _ENTITY_ATTRIBUTES & attributes.keys():
        value = attributes[name]
        if not (_ENTITY.fullmatch(value) or (value in EXOPHORA and name != "id")):
            allowed = "a number" if name == "id" else "an entity number, exo1, exo2 or exog"
            raise ValueError(f'found {name}="{value}"; expected {allowed}')
    for name in _MISSPELT_CASES.keys() & attributes.keys():
        if attributes.get("type") == PREDICATE_TYPE:
            expected = f"{any_of(CASE_ATTRIBUTES)} (perhaps {_MISSPELT_CASES[name]!r} is meant)"
            raise ValueError(f"unknown case {name!r}; expected {expected}")
    return attributes


def _remarks(attributes: dict[str, str]) -> list[tuple[str, str]]:
    remarks = [
        ("unknown attribute", f"the attribute {name!r} is unknown and not read")
        for name in attributes.keys() - _KNOWN
    ]
    kind = attributes.get("type")
    if kind is not None and kind not in _TYPES:
        message = f'found type="{kind}"; expected pred, noun or event. Not taken as a predicate'
        remarks.append(("unknown type", message))
    return sorted(remarks)


class _Form(NamedTuple):
    """One of the two forms."""

    columns: str  # what separates the columns of a morpheme line
    attributes: str  # what separates the attributes of an annotation
    # Parses a morpheme line without its last column to a token, and whether that column is its annotation;
    # None for anything else.
    word: Callable[[str], tuple[Token, bool] | None]
    expected: Callable[[str], str]  # says what is wrong with a line that has to be a morpheme
    known: dict[str, Token]  # whole lines seen before that are a morpheme without annotation


class _Open(OpenSentence):
    """A sentence with its annotations: token, line, text."""

    def __init__(self) -> None:
        super().__init__()
        self.annotations: list[tuple[int, int, str]] = []


class _Reader(LineReader):
    """Reads the lines of one document."""

    within = "a morpheme, a bunsetsu or EOS"
    open: _Open

    def __init__(self, place: Place, tagset: Tagset, own_bunsetsu: OwnBunsetsu, form: _Form) -> None:
        super().__init__(place)
        self.document = Document(place.doc_id, tagset=tagset)
        self.own_bunsetsu = own_bunsetsu
        self.form = form
        self.entities: set[int] = set()
        self.unresolved: list[tuple[int, str, int]] = []
        self.open = _Open()

    def read(self, lines: list[str]) -> Document:
        """Read all lines; the last sentence has to be closed. Lines repeat: most are known as a whole."""
        known = self.form.known
        for number, line in enumerate(lines, self.place.line):
            token, sentence = known.get(line), self.open
            if token is not None and sentence.heads:
                sentence.words.append(token)
                sentence.bunsetsu.append(len(sentence.heads) - 1)
            else:
                self._line(line, number)
        self.refuse_unclosed(self.place.line + len(lines) - 1)
        self._note_dangling()
        return self.document

    def _line(self, line: str, number: int) -> None:
        """Tell the kind of a line. What has all columns of a morpheme in a bunsetsu is one."""
        bare = line.rstrip(" \t")
        before, _, last = bare.rpartition(self.form.columns)
        word = self.form.word(before)
        annotation = last if word and word[1] else "_"
        inside = self.open.heads
        if word and inside and annotation == "_":
            self.open.add(word[0])
            self.form.known[line] = word[0]
        elif word and inside and annotation[-1] == '"':
            self._annotated(word[0], annotation, number)
        elif bare[:2] == "* ":
            self._bunsetsu_line(bare, number)
        elif bare == "EOS":
            self._end(number)
        elif bare == "":
            self.blank(number)
        elif bare[0] == "#" and "\t" not in bare:
            self.comment(bare, number)
        elif word is None:
            raise self.problem(number, self.form.expected(bare))
        elif not inside:
            found = f"found the morpheme {word[0][0]!r} before any bunsetsu line"
            raise self.problem(number, f"{found}; expected a line such as '* 0 3D'")
        else:
            self._annotated(word[0], annotation, number)

    def _annotated(self, token: Token, annotation: str, number: int) -> None:
        self.open.annotations.append((len(self.open.words), number, annotation))
        self.open.add(token)

    def _bunsetsu_line(self, line: str, number: int) -> None:
        found = _bunsetsu(line)
        if found is None:
            expected = "a bunsetsu line such as '* 0 3D' (number, head, then D, P, A or I)"
            raise self.problem(number, f"found {line!r}; expected {expected}")
        following = len(self.open.heads)
        if following:
            self._close_bunsetsu(number)
        if found[0] != following:
            message = f"found bunsetsu number {found[0]}; expected {following} (numbers run from 0)"
            raise self.problem(number, message)
        self.open.begin_bunsetsu(found[1], number)

    def _close_bunsetsu(self, number: int) -> None:
        last = len(self.open.heads) - 1
        if not self.open.bunsetsu or self.open.bunsetsu[-1] != last:
            message = f"bunsetsu {last} has no morpheme before line {number}"
            raise self.problem(self.open.bunsetsu_lines[-1], message)

    def _end(self, number: int) -> None:
        """Close the sentence at EOS."""
        self.refuse_empty(number)
        self._close_bunsetsu(number)
        sentence, sentences = self.open, self.document.sentences
        check_tree(sentence.heads, sentence.bunsetsu_lines, self.place.path)
        predicates = self._predicates() if sentence.annotations else []
        sentences.append(sentence.closed(self.document.doc_id, len(sentences) + 1, predicates, number))
        self.open = _Open()

    def _predicates(self) -> list[Predicate]:
        """Return the predicates of the open sentence."""
        mentions: dict[int, list[int]] = {}
        targets: list[tuple[int, int, Annotation]] = []
        for token, number, text in self.open.annotations:
            try:
                annotation = parse_annotation(text, self.form.attributes)
            except ValueError as error:
                raise self.problem(number, str(error)) from None
            for entity in annotation.ids:
                mentions.setdefault(entity, []).append(token)
            if annotation.is_predicate:
                targets.append((token, number, annotation))
            for kind, message in annotation.remarks:
                self._remark(kind, number, message)
        self.entities.update(mentions)
        return [
            Predicate(token, annotation.alt, self._arguments(token, number, annotation, mentions))
            for token, number, annotation in targets
        ]

    def _arguments(
        self, token: int, number: int, annotation: Annotation, mentions: dict[int, list[int]]
    ) -> list[Argument]:
        bunsetsu, heads = self.open.bunsetsu, self.open.heads
        removed = self.document.removed
        removed.update((case, Removal.EXOPHORIC) for case in annotation.exophoric)
        arguments: list[Argument] = []
        for case, entity in annotation.cases:
            if entity not in mentions:
                self.unresolved.append((number, case, entity))
                removed[case, Removal.OTHER_SENTENCE] += 1
                continue
            labelled = arguments_of_case(case, mentions[entity], token, bunsetsu, heads, self.own_bunsetsu)
            if not labelled:
                removed[case, Removal.OWN_BUNSETSU] += 1
            arguments += labelled
        return arguments

    def _note_dangling(self) -> None:
        for number, case, entity in self.unresolved:
            if entity not in self.entities:
                message = f"the {case} argument is entity {entity}, which no token of the document carries"
                self._remark("id that names nothing", number, f"{message}; not labelled")

    def _remark(self, kind: str, number: int, message: str) -> None:
        self.document.remarks.append(Remark(kind, self.place.path, number, message))


@functools.lru_cache(_REMEMBERED)
def _bunsetsu(line: str) -> tuple[int, int] | None:
    """Return number and head of a bunsetsu line."""
    match = _BUNSETSU.match(line)
    return (int(match[1]), int(match[2])) if match else None


# Words repeat: with those seen before at hand, a line costs one split instead of eight columns.
@functools.lru_cache(_REMEMBERED)
def _distributed_word(before: str) -> tuple[Token, bool] | None:
    columns = before.split(" ")
    if len(columns) != _FIELDS - 1 or "" in columns:
        return None
    surface, _, lemma, pos, pos_sub, _, _ = columns
    return Token(surface, surface if lemma == "*" else lemma, pos, pos_sub), True


def _tab_word(dictionary: Dictionary) -> Callable[[str], tuple[Token, bool] | None]:
    """Return the parser of surface and features, and the named entity when an annotation follows it."""

    @functools.lru_cache(_REMEMBERED)
    def word(before: str) -> tuple[Token, bool] | None:
        columns = before.split("\t")
        features = dictionary.split(columns[1]) if 2 <= len(columns) <= 3 else []
        if not dictionary.accepts(len(features)) or not (columns[0] and features[0] and features[1]):
            return None
        surface, pos, pos_sub = columns[0], features[0], features[1]
        lemma = features[dictionary.lemma] if len(features) > dictionary.lemma else ""
        return Token(surface, surface if lemma in ("*", "") else lemma, pos, pos_sub), len(columns) == 3

    return word


def _expected_distributed(line: str) -> str:
    return (
        f"found {len(line.split(' '))} columns ({_shown(line)}); expected {_FIELDS} non-empty ones separated "
        "by one blank: surface, reading, lemma, part of speech, sub part of speech, conjugation type and "
        "form, annotation"
    )


def _expected_tab_separated(line: str) -> str:
    columns = line.split("\t")
    if 3 <= len(columns) <= 4 and columns[0]:
        usual = any_of(dictionary.shown for dictionary in DICTIONARIES)
        return (
            f"found the features {columns[1]!r}; expected those of {usual}, separated by commas, part of "
            "speech and sub part of speech first"
        )
    return (
        f"found {len(columns)} columns ({_shown(line)}); expected 3 or 4 separated by tabs: surface, "
        "features, named entity, annotation"
    )


def _shown(line: str) -> str:
    return repr(line if len(line) <= 60 else line[:60] + "…")


_DISTRIBUTED = _Form(" ", "/", _distributed_word, _expected_distributed, {})
_TAB_SEPARATED = {
    dictionary.tagset: _Form("\t", " ", _tab_word(dictionary), _expected_tab_separated, {})
    for dictionary in DICTIONARIES
}
