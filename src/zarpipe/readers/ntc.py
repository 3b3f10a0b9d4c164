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
from typing import TYPE_CHECKING, Literal, NamedTuple

from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import FileProblem, any_of
from zarpipe.readers.dictionaries import DICTIONARIES, Dictionary, dictionary_of
from zarpipe.readers.lines import document_lines, refuse_unclosed, sentence_id
from zarpipe.readers.trees import check_tree
from zarpipe.task.cases import CASES
from zarpipe.task.documents import (
    Argument,
    Document,
    OwnBunsetsu,
    Predicate,
    Remark,
    Removal,
    Sentence,
    Token,
    arguments_of_case,
)

if TYPE_CHECKING:
    from zarpipe.readers.convert import Reading
    from zarpipe.readers.scan import Place

ENDINGS = (".ntc", ".txt", ".tab", ".cabocha", ".tsv")
# Where NTC 1.5's distribution keeps the annotation on JUMAN morphemes.
FOLDERS = ("dat/ntc/knp", "ntc/knp", "knp")
TAGSET: Tagset = "juman"
SPLIT: Literal["taira"] = "taira"
OWN_BUNSETSU: OwnBunsetsu = "drop_case"
SETTINGS = ()

CASE_ATTRIBUTES = {case.ntc: case.name for case in CASES}
EXOPHORA = frozenset({"exo1", "exo2", "exog"})
PREDICATE_TYPE = "pred"
_TYPES = frozenset({"pred", "noun", "event"})
_KNOWN = frozenset(
    {
        "id",
        "type",
        "alt",
        "eq",
        "ana_id",
        "ant_id",
        *CASE_ATTRIBUTES,
        *(f"{name}_type" for name in CASE_ATTRIBUTES),
    }
)
_ENTITY_ATTRIBUTES = frozenset({"id", *CASE_ATTRIBUTES})
# Other spellings of the cases: taken as unknown attributes they would lose the argument in silence.
_MISSPELT_CASES = {"wo": "o", "Wo": "o", "WO": "o"} | {
    spelling: name for name in CASE_ATTRIBUTES for spelling in (name.upper(), name.capitalize())
}

_BUNSETSU = re.compile(r"\* ([0-9]{1,9}) (-?[0-9]{1,9})[DPAI](?: .*)?\Z")
_ENTITY = re.compile(r"[0-9]{1,18}")
_ATTRIBUTE = re.compile(r'([A-Za-z_][A-Za-z0-9_]*)="([^"]*)"')
_FIELDS = 8
# Different words and annotations that are kept in memory, some 60 MB.
_REMEMBERED = 1 << 16
# Surfaces that other kinds of lines begin with.
_NOT_PLAIN = frozenset({"#", "*", "EOS", ""})


class Annotation(NamedTuple):
    """What one morpheme's annotation says.

    Attributes:
        ids: entity ids that the token carries.
        is_predicate: whether it is a target predicate.
        alt: voice as annotated.
        cases: (case, entity id) of the predicate's arguments that are not exophoric.
        remarks: (kind, message) of what was read but looks wrong.
        exophoric: cases whose argument is outside the text.
    """

    ids: tuple[int, ...] = ()
    is_predicate: bool = False
    alt: str | None = None
    cases: tuple[tuple[str, int], ...] = ()
    remarks: tuple[tuple[str, str], ...] = ()
    exophoric: tuple[str, ...] = ()


def read(text: str, place: Place, how: Reading) -> Document:
    """Read one document as a conversion asks for it (`zarpipe.readers.table`)."""
    return read_ntc(text, place.doc_id, place.path, place.line, how.own_bunsetsu)


def read_ntc(
    text: str, doc_id: str, path: str, first_line: int = 1, own_bunsetsu: OwnBunsetsu = "drop_case"
) -> Document:
    """Read one document in either form.

    Args:
        text: the document.
        doc_id: its identifier; sentences without S-ID are numbered after it.
        path: file, for messages.
        first_line: line of the file at which ``text`` begins.
        own_bunsetsu: what a mention in the predicate's own bunsetsu does to the argument's other mentions.

    Raises:
        FileProblem: the text is not well-formed; names the line, what was found and what was expected.
    """
    _forget()
    lines = document_lines(text)
    form, tagset = _DISTRIBUTED, TAGSET
    if is_tab_separated(lines):
        tagset = dictionary_of(lines, first_line, path).tagset
        form = _TAB_SEPARATED[tagset]
    reader = _Reader(doc_id, path, own_bunsetsu, form)
    reader.document.tagset = tagset
    reader.read(lines, first_line)
    return reader.document


def is_tab_separated(lines: Iterable[str]) -> bool:
    """Tell the form of a document by its first morpheme line."""
    for line in lines:
        if line and not line.startswith(("* ", "# ", "EOS")):
            return "\t" in line
    return False


def parse_annotation(text: str, separator: str) -> Annotation:
    """Parse the annotation of a morpheme: ``key="value"`` joined with ``separator`` (``/`` or a blank).

    ``&&`` joins two annotations of one token (tab form). All their ids count; the cases are those of the part
    that is a predicate. With two predicate parts the token is no predicate (golden notes, D6 to D8).

    Raises:
        ValueError: saying what was found and what was expected.
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
        _check_entity(name, attributes[name])
    for name in _MISSPELT_CASES.keys() & attributes.keys():
        if attributes.get("type") == PREDICATE_TYPE:
            meant = _MISSPELT_CASES[name]
            raise ValueError(
                f"unknown case {name!r}; expected {any_of(CASE_ATTRIBUTES)} (perhaps {meant!r} is meant)"
            )
    return attributes


def _check_entity(name: str, value: str) -> None:
    if _ENTITY.fullmatch(value) or (value in EXOPHORA and name != "id"):
        return
    allowed = "a number" if name == "id" else "an entity number, exo1, exo2 or exog"
    raise ValueError(f'found {name}="{value}"; expected {allowed}')


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


class _Word(NamedTuple):
    """A morpheme without its annotation.

    Attributes:
        token: surface, lemma, part of speech, sub part of speech.
        plain: whether no other kind of line begins with its surface.
        annotated: whether the line's last column is its annotation.
    """

    token: Token
    plain: bool
    annotated: bool


class _Form(NamedTuple):
    """One of the two forms.

    Attributes:
        columns: what separates the columns of a morpheme line.
        word: parses a morpheme line without its last column; None for anything else.
        bunsetsu: parses a bunsetsu line to number and head; None for anything else.
        only_bunsetsu: the same, but None too for what could be a morpheme.
        annotation: parses an annotation.
        expected: says what is wrong with a line that has to be a morpheme.
        known_tokens: whole lines seen before that are a morpheme without annotation and nothing else.
    """

    columns: str
    word: Callable[[str], _Word | None]
    bunsetsu: Callable[[str], tuple[int, int] | None]
    only_bunsetsu: Callable[[str], tuple[int, int] | None]
    annotation: Callable[[str], Annotation]
    expected: Callable[[str], str]
    known_tokens: dict[str, Token]


class _Open:
    """The sentence that is being read, as its lines say."""

    def __init__(self) -> None:
        self.sent_id: str | None = None
        self.start: int | None = None
        self.tokens: list[Token] = []
        self.bunsetsu: list[int] = []  # of each token
        self.annotations: list[tuple[int, int, str]] = []  # token, line, text
        self.heads: list[int] = []
        self.bunsetsu_lines: list[int] = []


class _Reader:
    """Reads the lines of one document."""

    def __init__(self, doc_id: str, path: str, own_bunsetsu: OwnBunsetsu, form: _Form) -> None:
        self.document = Document(doc_id)
        self.path = path
        self.own_bunsetsu = own_bunsetsu
        self.form = form
        self.entities: set[int] = set()
        self.unresolved: list[tuple[int, str, int]] = []
        self.open = _Open()

    def read(self, lines: list[str], first_line: int) -> None:
        """Read all lines; the last sentence has to be closed.

        The loop decides how fast a corpus is read. Lines repeat, so that most are known as a whole; what is
        new is looked at closely in ``_new_line``.
        """
        known_tokens, parse_bunsetsu = self.form.known_tokens, self.form.only_bunsetsu
        sentence = self.open
        tokens, bunsetsu, heads = sentence.tokens, sentence.bunsetsu, sentence.heads
        for number, line in enumerate(lines, first_line):
            if heads:
                token = known_tokens.get(line)
                if token is not None:
                    tokens.append(token)
                    bunsetsu.append(len(heads) - 1)
                    continue
                found = parse_bunsetsu(line) if line[:2] == "* " else None
                if found and found[0] == len(heads) and bunsetsu and bunsetsu[-1] == found[0] - 1:
                    heads.append(found[1])
                    sentence.bunsetsu_lines.append(number)
                    continue
            self._new_line(line, number)
            if self.open is not sentence:
                sentence = self.open
                tokens, bunsetsu, heads = sentence.tokens, sentence.bunsetsu, sentence.heads
        refuse_unclosed(self.open.start, first_line + len(lines) - 1, self.path)
        self._note_dangling()

    def _new_line(self, line: str, number: int) -> None:
        """Handle a line that is not known: an annotated morpheme, or one that will be known the next time."""
        if line == "EOS":
            self._end(number)
            return
        if line[:7] == "# S-ID:" and not self.open.heads and "\t" not in line:
            self._comment(line, number)
            return
        before, _, last = line.rpartition(self.form.columns)
        word = self.form.word(before)
        if word is not None and word.plain and last and self.open.heads:
            if last == "_" or not word.annotated:
                self.form.known_tokens[line] = word.token
                last = "_"
            self._add(word, last, number)
        elif word is None and (found := self.form.bunsetsu(line)):
            self._bunsetsu_line(line, found, number)
        else:
            self._other_line(line, number)

    def _other_line(self, line: str, number: int) -> None:
        """Handle a line of any kind.

        What has all columns of a morpheme inside a bunsetsu is one, however it begins.
        """
        bare = line.rstrip(" \t")
        word, annotation = self._morpheme(bare)
        if word and self.open.heads and (annotation == "_" or annotation.endswith('"')):
            self._add(word, annotation, number)
        elif bare[:2] == "* ":
            self._bunsetsu_line(bare, self.form.bunsetsu(bare), number)
        elif bare == "EOS":
            self._end(number)
        elif bare == "":
            if self.open.heads:
                expected = "a morpheme, a bunsetsu or EOS"
                raise self._problem(number, f"found an empty line inside a sentence; expected {expected}")
        elif bare[0] == "#" and "\t" not in bare:
            self._comment(bare, number)
        elif word is None or not annotation:
            raise self._problem(number, self.form.expected(bare))
        elif not self.open.heads:
            raise self._problem(
                number,
                f"found the morpheme {word.token[0]!r} before any bunsetsu line; expected a line such as "
                "'* 0 3D'",
            )
        else:
            self._add(word, annotation, number)

    def _morpheme(self, line: str) -> tuple[_Word | None, str]:
        """Return the word of a line and its annotation, ``_`` for none; no word if it is no morpheme."""
        before, _, last = line.rpartition(self.form.columns)
        word = self.form.word(before)
        return word, last if word and word.annotated else "_"

    def _add(self, word: _Word, annotation: str, number: int) -> None:
        if annotation != "_":
            self.open.annotations.append((len(self.open.tokens), number, annotation))
        self.open.tokens.append(word.token)
        self.open.bunsetsu.append(len(self.open.heads) - 1)

    def _comment(self, line: str, number: int) -> None:
        sent_id = sentence_id(line, number, self.open.start, self.path)
        if sent_id is not None:
            self.open.sent_id, self.open.start = sent_id, number

    def _bunsetsu_line(self, line: str, found: tuple[int, int] | None, number: int) -> None:
        sentence = self.open
        if found is None:
            raise self._problem(
                number,
                f"found {line!r}; expected a bunsetsu line such as '* 0 3D' (number, head, then D, P, A or "
                "I)",
            )
        if sentence.heads:
            self._close_bunsetsu(number)
        elif sentence.start is None:
            sentence.start = number
        if found[0] != len(sentence.heads):
            raise self._problem(
                number,
                f"found bunsetsu number {found[0]}; expected {len(sentence.heads)} (numbers run from 0)",
            )
        sentence.heads.append(found[1])
        sentence.bunsetsu_lines.append(number)

    def _close_bunsetsu(self, number: int) -> None:
        last = len(self.open.heads) - 1
        if not self.open.bunsetsu or self.open.bunsetsu[-1] != last:
            raise self._problem(
                self.open.bunsetsu_lines[-1], f"bunsetsu {last} has no morpheme before line {number}"
            )

    def _end(self, number: int) -> None:
        """Close the sentence at EOS."""
        sentence = self.open
        if not sentence.tokens:
            start = sentence.start or number
            raise self._problem(
                start, f"found an empty sentence (lines {start} to {number}); expected bunsetsu and morphemes"
            )
        self._close_bunsetsu(number)
        check_tree(sentence.heads, sentence.bunsetsu_lines, self.path)
        sentences = self.document.sentences
        sentences.append(
            Sentence(
                sentence.sent_id or f"{self.document.doc_id}-{len(sentences) + 1:03d}",
                sentence.start or number,
                sentence.tokens,
                sentence.bunsetsu,
                sentence.heads,
                self._predicates() if sentence.annotations else [],
            )
        )
        self.open = _Open()

    def _predicates(self) -> list[Predicate]:
        """Return the predicates of the open sentence."""
        mentions: dict[int, list[int]] = {}
        targets: list[tuple[int, int, Annotation]] = []
        parse, number = self.form.annotation, 0
        try:
            for token, number, text in self.open.annotations:
                annotation = parse(text)
                for entity in annotation.ids:
                    mentions.setdefault(entity, []).append(token)
                if annotation.is_predicate:
                    targets.append((token, number, annotation))
                if annotation.remarks:
                    self._note(annotation.remarks, number)
        except ValueError as error:
            raise self._problem(number, str(error)) from None
        self.entities.update(mentions)
        return [
            Predicate(token, annotation.alt, self._arguments(token, number, annotation, mentions))
            for token, number, annotation in targets
        ]

    def _note(self, remarks: tuple[tuple[str, str], ...], number: int) -> None:
        self.document.remarks += (Remark(kind, self.path, number, message) for kind, message in remarks)

    def _arguments(
        self, token: int, number: int, annotation: Annotation, mentions: dict[int, list[int]]
    ) -> list[Argument]:
        bunsetsu, heads = self.open.bunsetsu, self.open.heads
        removed = self.document.removed
        removed.update((case, Removal.EXOPHORIC) for case in annotation.exophoric)
        arguments: list[Argument] = []
        for case, entity in annotation.cases:
            tokens = mentions.get(entity)
            if tokens is None:
                self.unresolved.append((number, case, entity))
                removed[case, Removal.OTHER_SENTENCE] += 1
                continue
            labelled = arguments_of_case(case, tokens, token, bunsetsu, heads, self.own_bunsetsu)
            if not labelled:
                removed[case, Removal.OWN_BUNSETSU] += 1
            arguments += labelled
        return arguments

    def _note_dangling(self) -> None:
        for number, case, entity in self.unresolved:
            if entity not in self.entities:
                message = (
                    f"the {case} argument is entity {entity}, which no token of the document carries; not "
                    "labelled"
                )
                self.document.remarks.append(Remark("id that names nothing", self.path, number, message))

    def _problem(self, number: int, message: str) -> FileProblem:
        return FileProblem(self.path, number, message)


# Words repeat: with those seen before at hand, a line costs one split instead of eight columns.
@functools.cache
def _distributed_word(before: str) -> _Word | None:
    columns = before.split(" ")
    if len(columns) != _FIELDS - 1 or "" in columns:
        return None
    surface, _, lemma, pos, pos_sub, _, _ = columns
    token = Token(surface, surface if lemma == "*" else lemma, pos, pos_sub)
    return _Word(token, surface not in _NOT_PLAIN, True)


def _tab_word(dictionary: Dictionary) -> functools._lru_cache_wrapper[_Word | None]:
    """Return the parser of surface and features, and the named entity when an annotation follows it."""

    @functools.cache
    def word(before: str) -> _Word | None:
        columns = before.split("\t")
        features = dictionary.split(columns[1]) if 2 <= len(columns) <= 3 else []
        if not dictionary.accepts(len(features)) or not (columns[0] and features[0] and features[1]):
            return None
        surface, pos, pos_sub = columns[0], features[0], features[1]
        lemma = features[dictionary.lemma] if len(features) > dictionary.lemma else ""
        lemma = surface if lemma in ("*", "") else lemma
        return _Word(Token(surface, lemma, pos, pos_sub), surface not in _NOT_PLAIN, len(columns) == 3)

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


@functools.cache
def _distributed_bunsetsu(line: str) -> tuple[int, int] | None:
    """Return number and head of a bunsetsu line."""
    match = _BUNSETSU.match(line)
    return (int(match[1]), int(match[2])) if match else None


@functools.cache
def _distributed_only_bunsetsu(line: str) -> tuple[int, int] | None:
    before, _, _ = line.rpartition(" ")
    return _distributed_bunsetsu(line) if _distributed_word(before) is None else None


def _tab_bunsetsu(line: str) -> tuple[int, int] | None:
    """Return number and head of a bunsetsu line, which goes on with the parser's own numbers."""
    return _distributed_bunsetsu(" ".join(line.split(" ", 3)[:3])) if line[:2] == "* " else None


def _tab_only_bunsetsu(line: str) -> tuple[int, int] | None:
    return _tab_bunsetsu(line) if "\t" not in line else None


@functools.cache
def _distributed_annotation(text: str) -> Annotation:
    return parse_annotation(text, "/")


@functools.cache
def _tab_annotation(text: str) -> Annotation:
    return parse_annotation(text, " ")


def _forget() -> None:
    """Keep the memory of what was parsed before bounded."""
    for parsed in (
        _distributed_word,
        *_TAB_WORDS.values(),
        _distributed_bunsetsu,
        _distributed_only_bunsetsu,
        _distributed_annotation,
        _tab_annotation,
    ):
        if parsed.cache_info().currsize > _REMEMBERED:
            parsed.cache_clear()
    for form in (_DISTRIBUTED, *_TAB_SEPARATED.values()):
        if len(form.known_tokens) > _REMEMBERED:
            form.known_tokens.clear()


_DISTRIBUTED = _Form(
    " ",
    _distributed_word,
    _distributed_bunsetsu,
    _distributed_only_bunsetsu,
    _distributed_annotation,
    _expected_distributed,
    {},
)
_TAB_WORDS = {dictionary.tagset: _tab_word(dictionary) for dictionary in DICTIONARIES}
_TAB_SEPARATED = {
    tagset: _Form(
        "\t",
        word,
        _tab_bunsetsu,
        _tab_only_bunsetsu,
        _tab_annotation,
        _expected_tab_separated,
        {},
    )
    for tagset, word in _TAB_WORDS.items()
}


def _shown(line: str) -> str:
    return repr(line if len(line) <= 60 else line[:60] + "…")
