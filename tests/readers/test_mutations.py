"""Damaged documents: never a traceback, never counts that the text does not have.

The counts are taken from the text by rules of a few lines that share nothing with the readers.
"""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zarpipe.errors import FileProblem
from zarpipe.readers.convert import read_document
from zarpipe.readers.reading import Place, reading
from zarpipe.readers.text import decode
from zarpipe.task.documents import Document

TESTS = Path(__file__).parents[1]
READER = TESTS / "golden" / "reader"
SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

NTC_FILES = [*sorted((READER / "raw").iterdir())[:6], *sorted((READER / "tab").iterdir())[:6]]
KNP_FILES = sorted((TESTS / "cases").glob("0[236]-knp-*/**/knp/*.knp"))
# Lines and pieces that mean something in one of the formats.
PIECES = [
    "EOS",
    "* 0 -1D",
    "* -1D",
    "+ 0D",
    "# S-ID:x-1",
    "",
    " ",
    "\t",
    "_",
    '"',
    "&&",
    '/type="pred"',
    "*",
    "-1",
    "0",
]


@st.composite
def damaged(draw, files: list[Path]) -> tuple[Path, bytes]:
    """Draw a good document with one to three mutations of lines, words or bytes."""
    path = draw(st.sampled_from(files))
    mutated = path.read_bytes()
    for _ in range(draw(st.integers(1, 3))):
        lines = mutated.split(b"\n")
        at = draw(st.integers(0, len(lines) - 1))
        kind = draw(st.sampled_from(["delete", "repeat", "swap", "cut", "insert", "word", "byte"]))
        piece = draw(st.sampled_from(PIECES)).encode()
        if kind == "delete":
            del lines[at]
        elif kind == "repeat":
            lines.insert(at, lines[at])
        elif kind == "swap":
            lines[at : at + 2] = reversed(lines[at : at + 2])
        elif kind == "cut":
            lines = lines[:at]
        elif kind == "insert":
            lines.insert(at, piece)
        elif kind == "word":
            words = lines[at].split(b" ")
            words[draw(st.integers(0, len(words) - 1))] = piece
            lines[at] = b" ".join(words)
        else:
            place = draw(st.integers(0, len(lines[at])))
            lines[at] = lines[at][:place] + draw(st.binary(max_size=1)) + lines[at][place + 1 :]
        mutated = b"\n".join(lines)
    return path, mutated


def read(path: Path, mutated: bytes, corpus_format: str) -> Document | None:
    """Read a damaged document; None if it is refused, at one of its lines."""
    try:
        return read_document(mutated, Place(str(path), path.stem), reading(corpus_format))
    except FileProblem as problem:
        line = problem.line
    assert line is not None
    assert 1 <= line <= mutated.count(b"\n") + 1
    return None


def annotation(line: str) -> str:
    return "".join(line.split("\t")[3:4]) if "\t" in line else line.split(" ")[-1]


@SETTINGS
@given(damaged(NTC_FILES))
def test_damaged_ntc(case):
    path, mutated = case
    if (document := read(path, mutated, "ntc")) is None:
        return
    lines = [line.rstrip(" \t") for line in decode(mutated, "a").split("\n")]
    morphemes = [
        line
        for line in lines
        if line and line != "EOS" and not re.fullmatch(r"#[^\t]*|\* \d+ -?\d+[DPAI]( .*)?", line)
    ]
    morphemes += [line for line in lines if re.fullmatch(r"#( [^ ]+){6} (_|.*\")", line)]
    assert len(document.sentences) == lines.count("EOS")
    assert sum(len(sentence.tokens) for sentence in document.sentences) == len(morphemes)
    predicates = sum(annotation(line).count('type="pred"') == 1 for line in morphemes)
    assert sum(len(sentence.predicates) for sentence in document.sentences) == predicates


@SETTINGS
@given(damaged(KNP_FILES))
def test_damaged_knp(case):
    path, mutated = case
    if (document := read(path, mutated, "knp")) is None:
        return
    lines = decode(mutated, "a").split("\n")
    morphemes = [
        line for line in lines if re.search(r" \d+ [^ ]+ \d+ [^ ]+ \d+ [^ ]+ \d+( NIL)?$", line.rstrip())
    ]
    assert len(document.sentences) == sum(line.rstrip(" \t") == "EOS" for line in lines)
    assert sum(len(sentence.tokens) for sentence in document.sentences) == len(morphemes)
    verbal = sum('<rel type="' in line for line in lines)
    assert sum(len(sentence.predicates) for sentence in document.sentences) <= verbal


@SETTINGS
@given(st.binary(max_size=300), st.sampled_from(["ntc", "knp"]))
def test_any_bytes(data, corpus_format):
    document = read(Path("a"), data, corpus_format)
    assert document is None or document.sentences
