"""Raw text: the lines of a stream as they come, and sentences by rule, each with its place in the text.

A sentence ends with its line, and at 。 ？ ！ and their like, with the closing brackets and quotes behind
them. Within brackets that are closed in the same line nothing ends a sentence. Where such a bracket closes
right behind one of these characters the sentence ends with the bracket, unless hiragana or a comma goes on:
「行くよ。」と言った is one sentence, 「行くよ。」男は帰った are two.

What is longer than `LONGEST_SENTENCE` is cut.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple, Protocol

from zarpipe.errors import FileProblem
from zarpipe.readers.text import EXTENDED_EUC_JP, misleading_encoding

ENCODINGS = {"utf-8": ("utf-8", "strict"), "euc-jp": EXTENDED_EUC_JP, "shift_jis": ("cp932", "strict")}
"""Encodings of raw text by name: Python's codec, and what it does with bytes that it does not know."""

_BYTE_ORDER_MARK = "\ufeff"
_READ_BYTES = 1 << 16
_LONGEST_LINE = 1 << 24
_SAMPLE_BYTES = 4

_LINE_ENDS = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_OPENING = "「『（(【〈《［[｛{〔“｢"
_CLOSING = "」』）)】〉》］]｝}〕”｣"
_OPENED_BY = dict(zip(_CLOSING, _OPENING, strict=True))
_CLOSES = frozenset(_CLOSING + "’\"'")
_ENDS = frozenset("。｡．？！?!‼⁇⁈⁉")
# Behind a number, or within Latin text, these are part of it: ３．１４, Yahoo!ニュース, Ｊ．Ｋ．ローリング.
_PERHAPS_ENDS = frozenset("．?!？！")
_LATIN = re.compile("[0-9A-Za-z０-９Ａ-Ｚａ-ｚ]")
_FULL_WIDTH_LETTER = re.compile("[Ａ-Ｚａ-ｚ]")
LONGEST_SENTENCE = 1000
"""Characters of a sentence; what goes on without an end is read in pieces, each a sentence."""
_COMMAS = "、，,;；"
_GOES_ON = re.compile("[\u3041-\u309f、，､,・…‥―—ー〜～]")


class Span(NamedTuple):
    """A part of a text: its first character, and the one behind its last."""

    start: int
    end: int


class Line(NamedTuple):
    """A line of a stream, with its end, and the number of characters before it."""

    text: str
    start: int


class ByteStream(Protocol):
    """What a file, or standard input, gives in bytes."""

    def read1(self, size: int, /) -> bytes:
        """Return what is there, without waiting for more; nothing at the end."""


def lines(stream: ByteStream, encoding: str, name: str) -> Iterator[list[Line]]:
    """Yield the lines of a stream, at each time all that have come: no line waits for a later one.

    A byte-order mark at the beginning is no character of the text. Raises ZarpipeError with the position of
    bytes that the encoding, a name in ENCODINGS, does not have, and for a line that is longer than a text.
    """
    decoder = _Decoder(encoding, name)
    begun: list[bytes] = []
    size = 0
    while content := stream.read1(_READ_BYTES):
        whole, newline, rest = content.rpartition(b"\n")
        if newline:
            yield decoder.lines(b"".join([*begun, whole, newline]))
            begun, size = [], 0
        begun.append(rest)
        size += len(rest)
        if size > _LONGEST_LINE:
            raise decoder.problem(f"found a line of more than {_LONGEST_LINE >> 20} MiB; expected text")
    if size:
        yield decoder.lines(b"".join(begun))


class _Decoder:
    """Decodes the lines of a stream, one after the other, and knows the place of each."""

    def __init__(self, encoding: str, name: str) -> None:
        self._encoding, self._name = encoding, name
        self._bytes = self._characters = self._lines = 0

    def problem(self, message: str) -> FileProblem:
        """Return a problem of the next line."""
        return FileProblem(self._name, self._lines + 1, message)

    def lines(self, content: bytes) -> list[Line]:
        """Return the lines of some bytes that end with one."""
        if (problem := misleading_encoding(content, self._name, self._lines + 1)) is not None:
            raise problem
        return [self._line(one) for one in io.BytesIO(content)]

    def _line(self, content: bytes) -> Line:
        try:
            text = content.decode(*ENCODINGS[self._encoding])
        except UnicodeDecodeError as error:
            found = content[error.start : error.start + _SAMPLE_BYTES].removesuffix(b"\n").hex(" ").upper()
            others = " or ".join(f"--encoding {name}" for name in ENCODINGS if name != self._encoding)
            raise self.problem(
                f"found bytes that are not {self._encoding.upper()} (byte {self._bytes + error.start + 1}: "
                f"{found}); convert the text, or say what it is: {others}"
            ) from error
        if not self._lines:
            text = text.removeprefix(_BYTE_ORDER_MARK)
        line = Line(text, self._characters)
        self._bytes += len(content)
        self._characters += len(text)
        self._lines += 1
        return line


def sentence_spans(text: str) -> Iterator[Span]:
    """Yield the sentences of a text, without the blanks around them; what is blank is none."""
    start = 0
    for line_end in _LINE_ENDS.finditer(text):
        yield from _spans_of_line(text, start, line_end.start())
        start = line_end.end()
    yield from _spans_of_line(text, start, len(text))


def _spans_of_line(text: str, start: int, stop: int) -> Iterator[Span]:
    line = text[start:stop]
    begin = 0
    for end in _with_cuts(line, chain(_sentence_ends(line), [len(line)])):
        sentence = line[begin:end]
        if stripped := sentence.strip():
            first = start + begin + len(sentence) - len(sentence.lstrip())
            yield Span(first, first + len(stripped))
        begin = end


def _with_cuts(line: str, ends: Iterable[int]) -> Iterator[int]:
    """Yield ends of sentences and, in a longer one, those of its pieces: behind a comma, if there is one."""
    begin = 0
    for end in ends:
        while end - begin > LONGEST_SENTENCE:
            commas = (line.rfind(one, begin + 1, begin + LONGEST_SENTENCE) for one in _COMMAS)
            begin = max(commas) + 1 or begin + LONGEST_SENTENCE
            yield begin
        yield end
        begin = end


def _sentence_ends(line: str) -> Iterator[int]:
    """Yield where sentences end within a line: the number of characters up to each end."""
    closed = _closed_brackets(line)
    depth = place = 0
    while place < len(line):
        ends = not depth and _is_end(line, place)
        depth += closed.get(place, 0)
        place += 1
        if ends:
            # With what closes behind it, if nothing of the sentence opened that.
            while place < len(line) and (
                _is_end(line, place) or (line[place] in _CLOSES and place not in closed)
            ):
                place += 1
            yield place
        elif not depth and closed.get(place - 1) == -1 and _ends_with_bracket(line, place):
            yield place


def _is_end(line: str, place: int) -> bool:
    if line[place] not in _ENDS:
        return False
    if line[place] not in _PERHAPS_ENDS:
        return True
    before, behind = line[place - 1 : place], line[place + 1 : place + 2]
    if line[place] == "．":
        # Of a number, or in or behind an initial; at the end of a longer word it is a full stop.
        of_word = _LATIN.match(behind) or not _LATIN.match(line[place - 2 : place - 1])
        return not (before.isdigit() or (_LATIN.match(before) and of_word))
    if line[place] in "？！":
        return not (_FULL_WIDTH_LETTER.match(before) and behind.isalnum())
    if before.isalnum():
        return not (before.isascii() and behind.isalnum())
    # As in an address: example.jp/?p=1
    return not (before and before in "/&=_-" and _LATIN.match(behind))


def _ends_with_bracket(line: str, place: int) -> bool:
    """Tell whether a sentence ends with the bracket before ``place``."""
    last = place - 1
    while last >= 0 and line[last] in _CLOSES:
        last -= 1
    if last < 0 or line[last] not in _ENDS:
        return False
    return place == len(line) or not (_GOES_ON.match(line, place) or line[place] in _ENDS | _CLOSES)


def _closed_brackets(line: str) -> dict[int, int]:
    """Return the places of brackets that have their partner: 1 for one that opens, -1 for one that closes."""
    open_brackets: list[int] = []
    waiting: Counter[str] = Counter()
    closed: dict[int, int] = {}
    for place, character in enumerate(line):
        if character in _OPENING:
            open_brackets.append(place)
            waiting[character] += 1
        elif waiting[opener := _OPENED_BY.get(character, "")]:
            while line[partner := open_brackets.pop()] != opener:
                waiting[line[partner]] -= 1  # never closed
            waiting[opener] -= 1
            closed[partner], closed[place] = 1, -1
    return closed
