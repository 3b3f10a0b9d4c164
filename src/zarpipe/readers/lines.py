"""What the line formats of NTC and KNP share: the sentence that is being read, its name, and its end."""

from __future__ import annotations

import re

from zarpipe.errors import FileProblem
from zarpipe.readers.reading import Place
from zarpipe.task.documents import Predicate, Sentence, Token

_S_ID = re.compile(r"# S-ID: ?(\S*)")


def document_lines(text: str) -> list[str]:
    """Return the lines of a document without the blank ones at its end."""
    lines = text.split("\n")
    while lines and not lines[-1].strip(" \t"):
        lines.pop()
    return lines


class OpenSentence:
    """A sentence as its lines say: ``line`` is where it begins, ``bunsetsu`` that of each word."""

    def __init__(self) -> None:
        self.sent_id: str | None = None
        self.line: int | None = None
        self.words: list[Token] = []
        self.bunsetsu: list[int] = []
        self.heads: list[int] = []
        self.bunsetsu_lines: list[int] = []

    def add(self, word: Token) -> None:
        """Add a word to the last bunsetsu."""
        self.words.append(word)
        self.bunsetsu.append(len(self.heads) - 1)

    def closed(self, doc_id: str, number: int, predicates: list[Predicate], line: int = 1) -> Sentence:
        """Return the sentence, the ``number``-th of its document, which begins at a line if none says so."""
        name = self.sent_id or f"{doc_id}-{number:03d}"
        return Sentence(name, self.line or line, self.words, self.bunsetsu, self.heads, predicates)

    def begin_bunsetsu(self, head: int, number: int) -> None:
        """Begin a bunsetsu at a line."""
        if self.line is None:
            self.line = number
        self.heads.append(head)
        self.bunsetsu_lines.append(number)


class LineReader:
    """What the readers of one document share; ``open`` is the sentence that is not closed yet."""

    within = ""
    """What may stand in a sentence, for messages."""
    open: OpenSentence

    def __init__(self, place: Place) -> None:
        self.place = place

    def problem(self, number: int, message: str) -> FileProblem:
        """Return a problem of a line."""
        return self.place.problem(message, number)

    def blank(self, number: int) -> None:
        """Read an empty line."""
        if self.open.heads:
            raise self.problem(number, f"found an empty line inside a sentence; expected {self.within}")

    def comment(self, line: str, number: int) -> None:
        """Read a line that begins with ``#``; it may name the next sentence."""
        match = _S_ID.match(line)
        if match is None:
            return
        if self.open.line is not None:
            found = f"found a new S-ID inside the sentence that begins at line {self.open.line}"
            raise self.problem(number, f"{found}; expected EOS before it")
        if not match[1]:
            raise self.problem(number, "found an S-ID line without identifier; expected # S-ID:NAME")
        self.open.sent_id, self.open.line = match[1], number

    def refuse_empty(self, number: int) -> None:
        """Refuse a sentence without words at its EOS."""
        if not self.open.words:
            start = self.open.line or number
            found = f"found an empty sentence (lines {start} to {number})"
            raise self.problem(start, f"{found}; expected bunsetsu and morphemes")

    def refuse_unclosed(self, last_line: int) -> None:
        """Refuse a sentence that is still open at the end of the document."""
        if self.open.line is not None:
            found = f"this sentence is not closed: the document ends at line {last_line} without EOS"
            raise self.problem(self.open.line, f"{found}; add the missing lines")
