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
from typing import NamedTuple

from zarpipe.corpus.documents import (
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
# Other spellings of the three cases: taken as unknown attributes they would lose the argument in silence.
_MISSPELT_CASES = {"wo": "o", "GA": "ga", "Ga": "ga", "O": "o", "WO": "o", "NI": "ni", "Ni": "ni"}

_BUNSETSU = re.compile(r"\* (\d+) (-?\d+)([DPAI])(?: (.*))?")
_ATTRIBUTE = re.compile(r'([A-Za-z_][A-Za-z0-9_]*)="([^"]*)"')
_S_ID = re.compile(r"# S-ID: ?(\S*)")
_FIELDS = 8


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
    parts = [_attributes(part.strip(" "), separator) for part in text.split("&&")]
    ids = tuple(_entity("id", part["id"]) for part in parts if "id" in part)
    remarks = [remark for part in parts for remark in _remarks(part)]
    predicates = [part for part in parts if part.get("type") == PREDICATE_TYPE]
    if len(predicates) > 1:
        remarks.append(
            (
                "two predicates",
                "two predicates are annotated on one token (&&); it is not taken as a predicate",
            )
        )
    if len(predicates) != 1:
        return Annotation(ids, remarks=tuple(remarks))
    attributes = predicates[0]
    cases = tuple(
        (case, _entity(name, attributes[name]))
        for name, case in CASE_ATTRIBUTES.items()
        if name in attributes and attributes[name] not in EXOPHORA
    )
    return Annotation(ids, True, attributes.get("alt"), cases, tuple(remarks))


def _attributes(text: str, separator: str) -> dict[str, str]:
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
    for name, value in pairs:
        _check_attribute(name, value, attributes)
    return attributes


def _check_attribute(name: str, value: str, attributes: dict[str, str]) -> None:
    if (name in CASE_ATTRIBUTES and value not in EXOPHORA) or name == "id":
        _entity(name, value)
    if name in _MISSPELT_CASES and attributes.get("type") == PREDICATE_TYPE:
        raise ValueError(
            f"unknown case {name!r}; expected ga, o or ni (perhaps {_MISSPELT_CASES[name]!r} is meant)"
        )


def _entity(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit()):
        allowed = "a number" if name == "id" else "an entity number, exo1, exo2 or exog"
        raise ValueError(f'found {name}="{value}"; expected {allowed}')
    return int(value)


def _remarks(attributes: dict[str, str]) -> list[tuple[str, str]]:
    remarks = [
        ("unknown attribute", f"the attribute {name!r} is unknown and not read")
        for name in attributes
        if name not in _KNOWN
    ]
    kind = attributes.get("type")
    if kind is not None and kind not in _TYPES:
        remarks.append(
            ("unknown type", f'found type="{kind}"; expected pred, noun or event. Not taken as a predicate')
        )
    return remarks


_NOTHING = Annotation()


class _Reader:
    """Reads the lines of one document; holds the sentence that is open."""

    def __init__(self, doc_id: str, path: str, own_bunsetsu: OwnBunsetsu, tab_separated: bool) -> None:
        self.document = Document(doc_id)
        self.path = path
        self.own_bunsetsu = own_bunsetsu
        self.tab_separated = tab_separated
        self.entities: set[int] = set()
        self.unresolved: list[tuple[int, str, int]] = []
        self.sent_id: str | None = None
        self.start: int | None = None
        self._begin()

    def _begin(self) -> None:
        """Start an empty sentence."""
        self.sent_id = None
        self.start = None
        self.tokens: list[str] = []
        self.lemmas: list[str] = []
        self.pos: list[str] = []
        self.pos_sub: list[str] = []
        self.bunsetsu: list[int] = []
        self.heads: list[int] = []
        self.bunsetsu_lines: list[int] = []
        self.mentions: dict[int, list[int]] = {}
        self.predicates: list[tuple[int, int, Annotation]] = []

    def read(self, lines: list[str], first_line: int) -> None:
        """Read all lines; the last sentence has to be closed."""
        morpheme = self._tab_morpheme if self.tab_separated else self._raw_morpheme
        while lines and not lines[-1].strip(" \t"):
            lines.pop()
        for number, line in enumerate(lines, first_line):
            if line[:1] in _SPECIAL and self._special(line.rstrip(" \t"), number):
                continue
            morpheme(line, number)
        if self.start is not None:
            raise self._problem(
                self.start,
                "this sentence is not closed: the document ends at line "
                f"{first_line + len(lines) - 1} without EOS; add the missing lines",
            )
        self._note_dangling()

    def _special(self, line: str, number: int) -> bool:
        """Handle a line that is not a morpheme; return False if it is one after all."""
        if line == "":
            return self._blank(number)
        if line == "EOS":
            self._end(number)
            return True
        if line.startswith("* "):
            return self._bunsetsu_line(line, number)
        if line.startswith("#"):
            return self._comment(line, number)
        return False

    def _blank(self, number: int) -> bool:
        if self.heads:
            raise self._problem(
                number, "found an empty line inside a sentence; expected a morpheme, a bunsetsu or EOS"
            )
        return True

    def _comment(self, line: str, number: int) -> bool:
        if self._has_morpheme_form(line):
            return False
        match = _S_ID.match(line)
        if match:
            if self.start is not None:
                raise self._problem(
                    number,
                    f"found a new S-ID inside the sentence that begins at line {self.start}; expected EOS "
                    "before it",
                )
            if not match[1]:
                raise self._problem(number, "found an S-ID line without identifier; expected # S-ID:NAME")
            self.sent_id = match[1]
            self.start = number
        return True

    def _bunsetsu_line(self, line: str, number: int) -> bool:
        match = _BUNSETSU.fullmatch(line)
        if match is None:
            if self._has_morpheme_form(line):
                return False
            raise self._problem(
                number,
                f"found {line!r}; expected a bunsetsu line such as '* 0 3D' (number, head, D, P, A or I)",
            )
        self._close_bunsetsu(number)
        if int(match[1]) != len(self.heads):
            raise self._problem(
                number, f"found bunsetsu number {match[1]}; expected {len(self.heads)} (numbers run from 0)"
            )
        if self.start is None:
            self.start = number
        self.heads.append(int(match[2]))
        self.bunsetsu_lines.append(number)
        return True

    def _close_bunsetsu(self, number: int) -> None:
        if self.heads and (not self.bunsetsu or self.bunsetsu[-1] != len(self.heads) - 1):
            raise self._problem(
                self.bunsetsu_lines[-1],
                f"bunsetsu {len(self.heads) - 1} has no morpheme before line {number}",
            )

    def _has_morpheme_form(self, line: str) -> bool:
        """Tell whether a line that begins with #, * or EOS is a morpheme: all columns, inside a bunsetsu."""
        if not self.heads:
            return False
        if self.tab_separated:
            return "\t" in line
        fields = line.split(" ")
        return len(fields) == _FIELDS and (fields[-1] == "_" or fields[-1].endswith('"'))

    def _raw_morpheme(self, line: str, number: int) -> None:
        fields = line.split(" ")
        if len(fields) != _FIELDS:
            fields = line.rstrip(" \t").split(" ")
        if len(fields) != _FIELDS or "" in fields:
            raise self._problem(
                number,
                f"found {len(fields)} columns ({_shown(line)}); expected {_FIELDS} non-empty ones "
                "separated by one "
                "blank: surface, reading, lemma, part of speech, sub part of speech, conjugation type and "
                "form, "
                "annotation",
            )
        surface, _, lemma, pos, pos_sub, _, _, annotation = fields
        self._add(surface, lemma, pos, pos_sub, "" if annotation == "_" else annotation, "/", number)

    def _tab_morpheme(self, line: str, number: int) -> None:
        columns = line.split("\t")
        features = columns[1].split(",") if len(columns) > 1 else []
        if not 3 <= len(columns) <= 4:
            columns = line.rstrip(" \t").split("\t")
        if not 3 <= len(columns) <= 4 or columns[0] == "":
            raise self._problem(
                number,
                f"found {len(columns)} columns ({_shown(line)}); expected 3 or 4 separated by tabs: "
                "surface, features, "
                "named entity, annotation",
            )
        if len(features) < 5 or "" in features[:2]:
            raise self._problem(
                number,
                f"found the features {columns[1]!r}; expected at least 5 separated by commas: part of "
                "speech, sub part "
                "of speech, conjugation type and form, lemma",
            )
        annotation = columns[3].strip(" ") if len(columns) == 4 else ""
        self._add(columns[0], features[4] or "*", features[0], features[1], annotation, " ", number)

    def _add(
        self, surface: str, lemma: str, pos: str, pos_sub: str, annotation: str, separator: str, number: int
    ) -> None:
        if not self.heads:
            raise self._problem(
                number,
                f"found the morpheme {surface!r} before any bunsetsu line; expected a line such as '* 0 3D'",
            )
        if annotation:
            self._annotate(annotation, separator, number)
        self.tokens.append(surface)
        self.lemmas.append(surface if lemma == "*" else lemma)
        self.pos.append(pos)
        self.pos_sub.append(pos_sub)
        self.bunsetsu.append(len(self.heads) - 1)

    def _annotate(self, text: str, separator: str, number: int) -> None:
        try:
            annotation = parse_annotation(text, separator)
        except ValueError as error:
            raise self._problem(number, str(error)) from None
        token = len(self.tokens)
        for entity in dict.fromkeys(annotation.ids):
            self.mentions.setdefault(entity, []).append(token)
        if annotation.is_predicate:
            self.predicates.append((token, number, annotation))
        for kind, message in annotation.remarks:
            self.document.remarks.append(Remark(kind, self.path, number, message))

    def _end(self, number: int) -> None:
        """Close the sentence at EOS."""
        if not self.tokens:
            raise self._problem(
                self.start or number,
                f"found an empty sentence (EOS at line {number}); expected bunsetsu and morphemes",
            )
        self._close_bunsetsu(number)
        check_tree(self.heads, self.bunsetsu_lines, self.path)
        sentences = self.document.sentences
        sentences.append(
            Sentence(
                self.sent_id or f"{self.document.doc_id}-{len(sentences) + 1:03d}",
                self.start or number,
                self.tokens,
                self.lemmas,
                self.pos,
                self.pos_sub,
                self.bunsetsu,
                self.heads,
                [self._predicate(*predicate) for predicate in self.predicates],
            )
        )
        self.entities.update(self.mentions)
        self._begin()

    def _predicate(self, token: int, number: int, annotation: Annotation) -> Predicate:
        arguments = []
        for case, entity in annotation.cases:
            mentions = self.mentions.get(entity)
            if mentions is None:
                self.unresolved.append((number, case, entity))
            else:
                arguments += arguments_of_case(
                    case, mentions, token, self.bunsetsu, self.heads, self.own_bunsetsu
                )
        return Predicate(token, annotation.alt, arguments)

    def _note_dangling(self) -> None:
        for number, case, entity in self.unresolved:
            if entity not in self.entities:
                message = (
                    f"the {case} argument is entity {entity}, which no token of the document "
                    "carries; not labelled"
                )
                self.document.remarks.append(Remark("id that names nothing", self.path, number, message))

    def _problem(self, number: int, message: str) -> FileProblem:
        return FileProblem(self.path, number, message)


_SPECIAL = frozenset({"", "*", "#", "E", " ", "\t"})


def _shown(line: str) -> str:
    return repr(line if len(line) <= 60 else line[:60] + "…")
