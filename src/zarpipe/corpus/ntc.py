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
``type="pred"``; ``ga``, ``o``, ``ni`` name an entity; every token of the sentence with that ``id`` is a
mention.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from zarpipe.corpus.documents import (
    Argument,
    Document,
    OwnBunsetsu,
    Predicate,
    Remark,
    Sentence,
    arguments_of_case,
    check_tree,
)
from zarpipe.errors import FileProblem

CASE_ATTRIBUTES = {"ga": "NOM", "o": "ACC", "ni": "DAT"}
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
# Other spellings of the three cases: taken as unknown attributes they would lose the argument in silence.
_MISSPELT_CASES = {"wo": "o", "GA": "ga", "Ga": "ga", "O": "o", "WO": "o", "NI": "ni", "Ni": "ni"}

_BUNSETSU = re.compile(r"\* (\d+) (-?\d+)([DPAI])(?: (.*))?")
_ATTRIBUTE = re.compile(r'([A-Za-z_][A-Za-z0-9_]*)="([^"]*)"')
_S_ID = re.compile(r"# S-ID: ?(\S*)")
_FIELDS = 8
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
    """

    ids: tuple[int, ...] = ()
    is_predicate: bool = False
    alt: str | None = None
    cases: tuple[tuple[str, int], ...] = ()
    remarks: tuple[tuple[str, str], ...] = ()


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
    reader = _Reader(doc_id, path, own_bunsetsu, tab_separated=is_tab_separated(text))
    reader.read(text.split("\n"), first_line)
    return reader.document


def is_tab_separated(text: str) -> bool:
    """Tell the form of a document by its first morpheme line."""
    for line in text.split("\n"):
        if line and not line.startswith(("* ", "# ", "EOS")):
            return "\t" in line
    return False


@functools.lru_cache(maxsize=1 << 16)
def parse_annotation(text: str, separator: str) -> Annotation:
    """Parse the annotation of a morpheme: ``key="value"`` joined with ``separator`` (``/`` or a blank).

    ``&&`` joins two annotations of one token (tab form). All their ids count; the cases are those of the part
    that is a predicate. With two predicate parts the token is no predicate (golden notes, D6 to D8).

    Raises:
        ValueError: saying what was found and what was expected.
    """
    texts = [part.strip(" ") for part in text.split("&&")] if "&&" in text else [text]
    parts = [_attributes(part, separator) for part in texts]
    ids = tuple(dict.fromkeys(int(part["id"]) for part in parts if "id" in part))
    remarks = [remark for part in parts for remark in _remarks(part)]
    predicates = [part for part in parts if part.get("type") == PREDICATE_TYPE]
    if len(predicates) > 1:
        message = "two predicates are annotated on one token (&&); it is not taken as a predicate"
        remarks.append(("two predicates", message))
    if len(predicates) != 1:
        return Annotation(ids, remarks=tuple(remarks))
    attributes = predicates[0]
    cases = tuple(
        (case, int(attributes[name]))
        for name, case in CASE_ATTRIBUTES.items()
        if name in attributes and attributes[name] not in EXOPHORA
    )
    return Annotation(ids, True, attributes.get("alt"), cases, tuple(remarks))


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
            raise ValueError(f"unknown case {name!r}; expected ga, o or ni (perhaps {meant!r} is meant)")
    return attributes


def _check_entity(name: str, value: str) -> None:
    if (value.isascii() and value.isdigit()) or (value in EXOPHORA and name != "id"):
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


# One morpheme: surface, reading, lemma, part of speech, sub part of speech, conjugation type and form,
# annotation. A line that does not have this form gives a row of another length.
Row = Sequence[str]


class _Open:
    """The sentence that is being read, as its lines say."""

    def __init__(self) -> None:
        self.sent_id: str | None = None
        self.start: int | None = None
        self.tokens: list[str] = []
        self.lemmas: list[str] = []
        self.pos: list[str] = []
        self.pos_sub: list[str] = []
        self.annotations: list[tuple[int, int, str]] = []  # token, line, text
        self.bunsetsu: list[int] = []
        self.heads: list[int] = []
        self.bunsetsu_lines: list[int] = []


class _Reader:
    """Reads the lines of one document."""

    def __init__(self, doc_id: str, path: str, own_bunsetsu: OwnBunsetsu, tab_separated: bool) -> None:
        self.document = Document(doc_id)
        self.path = path
        self.own_bunsetsu = own_bunsetsu
        self.tab_separated = tab_separated
        self.separator = " " if tab_separated else "/"
        self.entities: set[int] = set()
        self.unresolved: list[tuple[int, str, int]] = []
        self.open = _Open()

    def read(self, lines: list[str], first_line: int) -> None:
        """Read all lines; the last sentence has to be closed.

        The loop decides how fast a corpus is read: a well-formed morpheme passes through its first branch,
        everything else is looked at closely in ``_other_line``.
        """
        while lines and not lines[-1].strip(" \t"):
            lines.pop()
        tab_separated = self.tab_separated
        sentence = self.open
        bunsetsu = -1
        for number, line in enumerate(lines, first_line):
            row: Row = _tab_row(line) if tab_separated else line.split(" ")
            if len(row) != _FIELDS or row[0] in _NOT_PLAIN or bunsetsu < 0 or "  " in line or not row[7]:
                other = self._other_line(line, row, number)
                sentence = self.open
                bunsetsu = len(sentence.heads) - 1
                if other is None:
                    continue
                row = other
            surface, _, lemma, pos, pos_sub, _, _, annotation = row
            if annotation != "_":
                sentence.annotations.append((len(sentence.tokens), number, annotation))
            sentence.tokens.append(surface)
            sentence.lemmas.append(surface if lemma == "*" else lemma)
            sentence.pos.append(pos)
            sentence.pos_sub.append(pos_sub)
            sentence.bunsetsu.append(bunsetsu)
        if self.open.start is not None:
            raise self._problem(
                self.open.start,
                "this sentence is not closed: the document ends at line "
                f"{first_line + len(lines) - 1} without EOS; add the missing lines",
            )
        self._note_dangling()

    def _other_line(self, line: str, row: Row, number: int) -> Row | None:
        """Handle a line that may not be a morpheme; return its row if it is one.

        What has all columns of a morpheme inside a bunsetsu is one, however it begins.
        """
        bare = line.rstrip(" \t")
        if bare != line:
            row = self._row(bare)
        if len(row) == _FIELDS and self._is_morpheme(row):
            return row
        if bare[:2] == "* ":
            self._bunsetsu_line(bare, number)
        elif bare == "EOS":
            self._end(number)
        elif bare == "":
            self._blank(number)
        elif bare[0] == "#" and "\t" not in bare:
            self._comment(bare, number)
        else:
            return self._checked(row, bare, number)
        return None

    def _row(self, line: str) -> Row:
        return _tab_row(line) if self.tab_separated else line.split(" ")

    def _is_morpheme(self, row: Row) -> bool:
        """Tell whether a line has all its columns filled, the last one with an annotation, in a bunsetsu."""
        if not self.open.heads or "" in row:
            return False
        return row[-1] == "_" or row[-1].endswith('"')

    def _checked(self, row: Row, line: str, number: int) -> Row:
        """Return the row of a line that has to be a morpheme."""
        if len(row) != _FIELDS or "" in row:
            raise self._problem(number, _columns_expected(line, self.tab_separated))
        if not self.open.heads:
            raise self._problem(
                number,
                f"found the morpheme {row[0]!r} before any bunsetsu line; expected a line such as '* 0 3D'",
            )
        return row

    def _blank(self, number: int) -> None:
        if self.open.heads:
            raise self._problem(
                number, "found an empty line inside a sentence; expected a morpheme, a bunsetsu or EOS"
            )

    def _comment(self, line: str, number: int) -> None:
        match = _S_ID.match(line)
        if match is None:
            return
        if self.open.start is not None:
            raise self._problem(
                number,
                f"found a new S-ID inside the sentence that begins at line {self.open.start}; "
                "expected EOS before it",
            )
        if not match[1]:
            raise self._problem(number, "found an S-ID line without identifier; expected # S-ID:NAME")
        self.open.sent_id = match[1]
        self.open.start = number

    def _bunsetsu_line(self, line: str, number: int) -> None:
        sentence = self.open
        parsed = _parse_bunsetsu(line)
        if parsed is None:
            raise self._problem(
                number,
                f"found {line!r}; expected a bunsetsu line such as '* 0 3D' (number, head, then D, P, A or "
                "I)",
            )
        self._close_bunsetsu(number)
        if parsed[0] != len(sentence.heads):
            raise self._problem(
                number,
                f"found bunsetsu number {parsed[0]}; expected {len(sentence.heads)} (numbers run from 0)",
            )
        if sentence.start is None:
            sentence.start = number
        sentence.heads.append(parsed[1])
        sentence.bunsetsu_lines.append(number)

    def _close_bunsetsu(self, number: int) -> None:
        last = len(self.open.heads) - 1
        if last >= 0 and (not self.open.bunsetsu or self.open.bunsetsu[-1] != last):
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
                sentence.lemmas,
                sentence.pos,
                sentence.pos_sub,
                sentence.bunsetsu,
                sentence.heads,
                self._predicates(),
            )
        )
        self.open = _Open()

    def _predicates(self) -> list[Predicate]:
        """Return the predicates of the open sentence."""
        mentions: dict[int, list[int]] = {}
        targets: list[tuple[int, int, Annotation]] = []
        for token, number, text in self.open.annotations:
            annotation = self._annotation(text, number)
            for entity in annotation.ids:
                mentions.setdefault(entity, []).append(token)
            if annotation.is_predicate:
                targets.append((token, number, annotation))
        self.entities.update(mentions)
        return [
            Predicate(token, annotation.alt, self._arguments(token, number, annotation, mentions))
            for token, number, annotation in targets
        ]

    def _annotation(self, text: str, number: int) -> Annotation:
        try:
            annotation = parse_annotation(text, self.separator)
        except ValueError as error:
            raise self._problem(number, str(error)) from None
        for kind, message in annotation.remarks:
            self.document.remarks.append(Remark(kind, self.path, number, message))
        return annotation

    def _arguments(
        self, token: int, number: int, annotation: Annotation, mentions: dict[int, list[int]]
    ) -> list[Argument]:
        sentence = self.open
        arguments = []
        for case, entity in annotation.cases:
            tokens = mentions.get(entity)
            if tokens is None:
                self.unresolved.append((number, case, entity))
            else:
                arguments += arguments_of_case(
                    case, tokens, token, sentence.bunsetsu, sentence.heads, self.own_bunsetsu
                )
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


def _tab_row(line: str) -> Row:
    """Return the row of a tab-separated morpheme line; an empty one when the line has another form."""
    columns = line.split("\t")
    if len(columns) > 4:
        columns = line.rstrip(" \t").split("\t")
    if not 3 <= len(columns) <= 4:
        return ()
    features = columns[1].split(",")
    if len(features) < 5 or not (columns[0] and features[0] and features[1]):
        return ()
    annotation = columns[3].strip(" ") if len(columns) == 4 else ""
    lemma = features[4] or "*"
    return (columns[0], "*", lemma, features[0], features[1], "*", "*", annotation or "_")


def _columns_expected(line: str, tab_separated: bool) -> str:
    if not tab_separated:
        return (
            f"found {len(line.split(' '))} columns ({_shown(line)}); expected {_FIELDS} non-empty ones "
            "separated by one blank: surface, reading, lemma, part of speech, sub part of speech, "
            "conjugation "
            "type and form, annotation"
        )
    columns = line.split("\t")
    if 3 <= len(columns) <= 4 and columns[0]:
        return (
            f"found the features {columns[1]!r}; expected at least 5 separated by commas: part of speech, "
            "sub "
            "part of speech, conjugation type and form, lemma"
        )
    return (
        f"found {len(columns)} columns ({_shown(line)}); expected 3 or 4 separated by tabs: surface, "
        "features, "
        "named entity, annotation"
    )


@functools.lru_cache(maxsize=1 << 12)
def _parse_bunsetsu(line: str) -> tuple[int, int] | None:
    match = _BUNSETSU.fullmatch(line)
    return (int(match[1]), int(match[2])) if match else None


def _shown(line: str) -> str:
    return repr(line if len(line) <= 60 else line[:60] + "…")
