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

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import FileProblem, any_of
from zarpipe.task.tagsets import TAGS, shown_tags

_LEAST_FEATURES = 5


class Dictionary(NamedTuple):
    """The features of one dictionary.

    Attributes:
        tagset: whose parts of speech they begin with.
        lemma: which of them, from 0, is the lemma; words with fewer are unknown ones.
        unknown: how many an unknown word has.
        known: the least that a known word has.
        usual: the most that one has where the dictionary's own format was kept.
    """

    tagset: Tagset
    lemma: int
    unknown: int
    known: int
    usual: int

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
    Dictionary("juman", lemma=4, unknown=5, known=5, usual=7),
    Dictionary("ipadic", lemma=6, unknown=7, known=7, usual=9),
    Dictionary("unidic", lemma=7, unknown=6, known=17, usual=29),
)


class _Features(NamedTuple):
    """The features of a word: where they stand first, its part of speech, and how many they are."""

    line: int
    pos: str
    width: int


def split_features(text: str) -> list[str]:
    """Split features at their commas; UniDic puts a feature that contains one in double quotes."""
    return next(csv.reader([text])) if '"' in text else text.split(",")


def dictionary_of(lines: Sequence[str], first_line: int, path: str) -> Dictionary:
    """Return the dictionary of a document in the tab-separated form.

    Args:
        lines: its lines.
        first_line: number of the first in the file.
        path: file, for messages.

    Raises:
        FileProblem: a part of speech belongs to none of the dictionaries, or to another one than those before
            it, or the number of features fits none.
    """
    words = list(_features(lines, first_line))
    possible = list(DICTIONARIES)
    for word in _first_of_each_pos(words):
        fitting = [one for one in possible if word.pos in TAGS[one.tagset].all]
        if not fitting:
            raise FileProblem(path, word.line, _foreign(word.pos, possible))
        possible = fitting
    if len(possible) > 1:
        possible = [one for one in possible if all(one.expects(word.width) for word in words)]
    if not possible:
        usual = any_of(one.shown for one in DICTIONARIES)
        raise FileProblem(
            path, first_line, f"the numbers of features fit no dictionary; expected those of {usual}"
        )
    for word in words:
        if not possible[0].accepts(word.width):
            raise FileProblem(
                path,
                word.line,
                f"found {word.width} features of a {word.pos}; expected those of {possible[0].shown}, whose "
                "parts of speech the document has",
            )
    return possible[0]


def _features(lines: Iterable[str], first_line: int) -> Iterator[_Features]:
    """Yield different features once. Lines that are no morpheme are left to the reader's own checks."""
    seen = set()
    for number, line in enumerate(lines, first_line):
        columns = line.split("\t", 2)
        if len(columns) == 3 and columns[1] not in seen:
            seen.add(columns[1])
            features = split_features(columns[1])
            if len(features) >= _LEAST_FEATURES and features[0]:
                yield _Features(number, features[0], len(features))


def _first_of_each_pos(words: Iterable[_Features]) -> Iterable[_Features]:
    first: dict[str, _Features] = {}
    for word in words:
        first.setdefault(word.pos, word)
    return first.values()


def _foreign(pos: str, possible: Sequence[Dictionary]) -> str:
    """Say what is wrong with a part of speech that none of the possible dictionaries has."""
    owners = [TAGS[one.tagset].title for one in DICTIONARIES if pos in TAGS[one.tagset].all]
    if owners:
        titles = any_of(TAGS[one.tagset].title for one in possible)
        return (
            f"found the part of speech {pos!r} of {any_of(owners)} in a document with others of {titles}; "
            "expected the tags of one dictionary: analyse it again with one"
        )
    all_tags = "; ".join(f"{tags.title}: {shown_tags(tags.all, 20)}" for tags in TAGS.values())
    return f"found the part of speech {pos!r}; expected one of a dictionary that is known ({all_tags})"
