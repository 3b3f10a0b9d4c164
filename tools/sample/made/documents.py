"""Documents of both kinds on the dates of the Taira split, and unlabelled text."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from made import lexicon
from made.discourse import Discourse
from made.sentences import make_sentence
from made.tree import Sentence
from made.writer import document_text, plain_text

_SEED = 1
DOCUMENTS = {"train": 100, "dev": 40, "test": 40}
_SENTENCES = (6, 10)
_EDITORIAL_EVERY = 5  # one document of five is an editorial

# Days (articles) and months (editorials) of each split of Taira et al. (2008).
_DAYS = {
    "train": tuple(f"9501{day:02d}" for day in range(1, 12)),
    "dev": ("950112", "950113"),
    "test": tuple(f"9501{day:02d}" for day in range(14, 18)),
}
_MONTHS = {
    "train": tuple(f"95{month:02d}" for month in range(1, 9)),
    "dev": ("9509",),
    "test": ("9510", "9511", "9512"),
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands in the corpus: its file name and the number in its S-IDs."""

    file: str
    document_id: str
    editorial: bool


def write_documents(folder: Path) -> None:
    """Write the corpus: one file for each document."""
    for split, count in DOCUMENTS.items():
        for number, place in enumerate(places(split, count)):
            sentences = make_document(f"{_SEED}/{split}/{number}", place.editorial)
            (folder / place.file).write_text(document_text(place.document_id, sentences), encoding="utf-8")


def unlabelled_lines() -> Iterator[str]:
    """Yield the sentences of further documents without end, words separated by a space."""
    for number in itertools.count():
        document = make_document(f"{_SEED}/unlabelled/{number}", number % _EDITORIAL_EVERY == 0)
        yield from (plain_text(sentence) for sentence in document)


def make_document(seed: str, editorial: bool = False) -> list[Sentence]:
    """Make one document of six to ten sentences; the same seed gives the same document."""
    draw = random.Random(seed)  # noqa: S311 (no secrets here)
    scene = draw.choice(lexicon.POLITICAL_SCENES if editorial else lexicon.SCENES)
    discourse = Discourse(draw, scene)
    discourse.topic = discourse.new_entity(lexicon.LEADERS if editorial else lexicon.HUMANS)
    return [make_sentence(discourse, editorial) for _ in range(draw.randint(*_SENTENCES))]


def places(split: str, count: int) -> list[Place]:
    """Return ``count`` places of a split, spread over its days and months."""
    editorials = count // _EDITORIAL_EVERY
    days, months = _DAYS[split], _MONTHS[split]
    articles = [_article(days[index % len(days)], index // len(days)) for index in range(count - editorials)]
    return articles + [
        _editorial(months[index % len(months)], index // len(months)) for index in range(editorials)
    ]


def _article(day: str, number: int) -> Place:
    document_id = f"{day}{number + 1:03d}"
    return Place(f"{day}-{number:04d}-{document_id}.ntc", document_id, editorial=False)


def _editorial(month: str, number: int) -> Place:
    document_id = f"{month}{number + 1:02d}900"
    return Place(f"{month}ED-{number:04d}-{document_id}.ntc", document_id, editorial=True)
