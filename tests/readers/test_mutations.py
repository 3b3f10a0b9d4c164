"""Damaged documents: never a traceback, never counts that the text does not have.

The counts are taken from the text by rules of a few lines that share nothing with the readers.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zarpipe.errors import FileProblem
from zarpipe.readers.convert import read_document
from zarpipe.readers.reading import Place, reading
from zarpipe.readers.text import decode

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


@functools.cache
def content(path: Path) -> bytes:
    return path.read_bytes()


@st.composite
def damaged(draw, files: list[Path]) -> tuple[Path, bytes]:
    """Draw a good document with one to three mutations of bytes, characters or lines."""
    path = draw(st.sampled_from(files))
    mutated = content(path)
    for _ in range(draw(st.integers(1, 3))):
        mutated = draw(st.sampled_from([_line_mutation, _byte_mutation, _piece_mutation]))(draw, mutated)
    return path, mutated


def _line_mutation(draw, mutated: bytes) -> bytes:
    lines = mutated.split(b"\n")
    at = draw(st.integers(0, len(lines) - 1))
    kind = draw(st.sampled_from(["delete", "repeat", "swap", "cut"]))
    if kind == "delete":
        del lines[at]
    elif kind == "repeat":
        lines.insert(at, lines[at])
    elif kind == "swap":
        lines[at : at + 2] = reversed(lines[at : at + 2])
    else:
        lines = lines[:at]
    return b"\n".join(lines)


def _byte_mutation(draw, mutated: bytes) -> bytes:
    at = draw(st.integers(0, max(0, len(mutated) - 1)))
    byte = draw(st.binary(min_size=0, max_size=1))
    return mutated[:at] + byte + mutated[at + 1 :]


def _piece_mutation(draw, mutated: bytes) -> bytes:
    lines = mutated.split(b"\n")
    at = draw(st.integers(0, len(lines) - 1))
    piece = draw(st.sampled_from(PIECES)).encode()
    if draw(st.booleans()):
        lines.insert(at, piece)
    else:
        words = lines[at].split(b" ")
        words[draw(st.integers(0, len(words) - 1))] = piece
        lines[at] = b" ".join(words)
    return b"\n".join(lines)


def text_of(mutated: bytes) -> str:
    return decode(mutated, "a")


def check_line(problem: FileProblem, mutated: bytes) -> None:
    assert problem.line is not None
    assert 1 <= problem.line <= mutated.count(b"\n") + 1


def annotation(line: str) -> str:
    return "".join(line.split("\t")[3:4]) if "\t" in line else line.split(" ")[-1]


@SETTINGS
@given(damaged(NTC_FILES))
def test_damaged_ntc(case):
    path, mutated = case
    try:
        document = read_document(mutated, Place(str(path), path.stem), reading("ntc"))
    except FileProblem as problem:
        check_line(problem, mutated)
        return
    lines = [line.rstrip(" \t") for line in text_of(mutated).split("\n")]
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
    try:
        document = read_document(mutated, Place(str(path), path.stem), reading("knp"))
    except FileProblem as problem:
        check_line(problem, mutated)
        return
    lines = text_of(mutated).split("\n")
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
    try:
        document = read_document(data, Place("a", "a"), reading(corpus_format))
    except FileProblem:
        return
    assert document.sentences
