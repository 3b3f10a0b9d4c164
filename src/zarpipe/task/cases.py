"""The argument cases that are resolved: the one table that everything else reads.

A case is added by one more entry in `CASES`. Labels, widths of arrays, columns, thresholds, readers, tables
and the colours of pages follow from it (docs/extending/case.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Colour = Literal["red", "blue", "green", "magenta", "cyan", "yellow"]


@dataclass(frozen=True)
class Case:
    """An argument case."""

    name: str  # as it stands in files and tables
    ntc: str  # its attribute in the NAIST Text Corpus
    knp: str  # its type in the `<rel>` tags of the KNP format
    # First and last threshold that are tried on dev, in steps of 0.01 (Section 3.2 of the paper, and the
    # authors' code for the bounds).
    thresholds: tuple[float, float]
    gloss: str
    colour: Colour  # on pages and in a terminal; one that no other case has

    @property
    def column(self) -> str:
        """Its name in column names: ``nom``."""
        return self.name.lower()


CASES = (
    Case("NOM", "ga", "ガ", (0.10, 0.70), "nominative, が ga", "red"),
    Case("ACC", "o", "ヲ", (0.20, 0.85), "accusative, を o", "blue"),
    Case("DAT", "ni", "ニ", (0.00, 0.60), "dative, に ni", "green"),
)

CASE_NAMES = tuple(case.name for case in CASES)

# Labels of tokens: the cases in their order, then NONE.
NONE_LABEL = len(CASES)
LABELS = len(CASES) + 1


def case_named(name: str) -> Case:
    """Return the case of a name in `CASE_NAMES`."""
    return CASES[CASE_NAMES.index(name)]
