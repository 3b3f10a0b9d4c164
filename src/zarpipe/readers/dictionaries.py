"""Which dictionary a file's features are of, in the CaboCha-style tab-separated form, and where the lemma is.

CaboCha writes the features of the dictionary that it was run with, separated by commas:

=======  ==========================================================================  ======================
tagset   features                                                                    unknown words
=======  ==========================================================================  ======================
juman    part of speech, sub part, conjugation type and form, **lemma**, reading,    the same
         representation
ipadic   part of speech, three sub parts, conjugation type and form, **lemma**,      without the readings
         reading, pronunciation
unidic   part of speech, three sub parts, conjugation type and form, reading of the  the first six
         lemma, **lemma**, and 9 to 21 more
=======  ==========================================================================  ======================

Most parts of speech tell which it is (特殊, 記号, 補助記号, ...). Where all that a document has are in more
than one dictionary, the number of features does.
"""

from __future__ import annotations

import contextlib
import csv
import functools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import FileProblem, any_of
from zarpipe.task.tagsets import TAGS, shown_tags

_LEAST_FEATURES = 5


class Dictionary(NamedTuple):
    """The features of one dictionary."""

    tagset: Tagset  # whose parts of speech they begin with
    lemma: int  # which of them, from 0, is the lemma; words with fewer are unknown ones
    unknown: int  # how many an unknown word has
    known: int  # the least that a known word has
    usual: int  # the most that one has where the dictionary's own format was kept
    quotes: bool  # whether a feature that contains a comma stands in double quotes

    def split(self, text: str) -> list[str]:
        """Split the features of a word at their commas."""
        return _split_quoted(text) if self.quotes else text.split(",")

    def width(self, shape: _Shape) -> int:
        """Return how many features a word has here."""
        return shape[2] if self.quotes else shape[1]

    def accepts(self, width: int) -> bool:
        """Tell whether a word may have so many features."""
        return width == self.unknown or width >= self.known

    def expects(self, width: int) -> bool:
        """Tell whether the dictionary itself gives so many."""
        return width == self.unknown or self.known <= width <= self.usual

    @property
    def shown(self) -> str:
        """What it is and how many features a word has."""
        also = f"{self.unknown} or " if self.unknown < self.known else ""
        return f"{TAGS[self.tagset].title} ({also}{self.known} to {self.usual} features)"


# In the order in which they are tried where more than one fits.
DICTIONARIES = (
    Dictionary("juman", lemma=4, unknown=5, known=5, usual=7, quotes=False),
    Dictionary("ipadic", lemma=6, unknown=7, known=7, usual=9, quotes=True),
    Dictionary("unidic", lemma=7, unknown=6, known=17, usual=29, quotes=True),
)


# A word's part of speech, and its features where quotes are characters as others, and where they hold one
# together.
_Shape = tuple[str, int, int]


def dictionary_of(lines: Sequence[str], first_line: int, path: str) -> Dictionary:
    """Return the dictionary of a document in the tab-separated form; ``path`` is for messages.

    Raises:
        FileProblem: a part of speech belongs to none of the dictionaries, or to another one than those before
            it, or the number of features fits none.
    """
    shapes = _shapes(lines, first_line)
    possible = list(DICTIONARIES)
    for (pos, _, _), line in shapes.items():
        fitting = [one for one in possible if pos in TAGS[one.tagset].all]
        if not fitting:
            raise FileProblem(path, line, _foreign(pos, possible))
        possible = fitting
    if len(possible) > 1:
        possible = [one for one in possible if all(one.expects(one.width(shape)) for shape in shapes)]
    if not possible:
        usual = f"expected those of {any_of(one.shown for one in DICTIONARIES)}"
        raise FileProblem(path, first_line, f"the numbers of features fit no dictionary; {usual}")
    dictionary = possible[0]
    for shape, line in shapes.items():
        if not dictionary.accepts(dictionary.width(shape)):
            found = f"found {dictionary.width(shape)} features of a {shape[0]}"
            expected = f"expected those of {dictionary.shown}, whose parts of speech the document has"
            raise FileProblem(path, line, f"{found}; {expected}")
    return dictionary


def _shapes(lines: Iterable[str], first_line: int) -> dict[_Shape, int]:
    """Return the different shapes of words, each with its first line.

    What is wrong with a line that is no morpheme is left to the reader's own checks.
    """
    shapes: dict[_Shape, int] = {}
    for number, line in enumerate(lines, first_line):
        columns = line.split("\t", 2)
        if len(columns) == 3:
            shape = _shape(columns[1])
            if shape[0] and shape[1] >= _LEAST_FEATURES:
                shapes.setdefault(shape, number)
    return shapes


@functools.lru_cache(maxsize=1 << 16)
def _shape(features: str) -> _Shape:
    plain = features.split(",")
    return plain[0], len(plain), len(_split_quoted(features))


def _split_quoted(features: str) -> list[str]:
    """Split at commas outside of double quotes."""
    if '"' in features:
        with contextlib.suppress(csv.Error):  # longer than any feature
            return next(csv.reader([features]))
    return features.split(",")


def _foreign(pos: str, possible: Sequence[Dictionary]) -> str:
    """Say what is wrong with a part of speech that none of the possible dictionaries has."""
    owners = [TAGS[one.tagset].title for one in DICTIONARIES if pos in TAGS[one.tagset].all]
    if owners:
        titles = any_of(TAGS[one.tagset].title for one in possible)
        found = f"found the part of speech {pos!r} of {any_of(owners)} in a document with others of {titles}"
        return f"{found}; expected the tags of one dictionary: analyse it again with one"
    all_tags = "; ".join(f"{tags.title}: {shown_tags(tags.all, 20)}" for tags in TAGS.values())
    return f"found the part of speech {pos!r}; expected one of a dictionary that is known ({all_tags})"
