"""Making the sample: documents of both kinds on the dates of the Taira split, and unlabelled text."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from zarpipe.config import SampleConfig
from zarpipe.errors import ZarpipeError
from zarpipe.files import announce_replacement, hidden_folder, whole_text
from zarpipe.formats.sample import MARK, write_mark
from zarpipe.sample import lexicon
from zarpipe.sample.discourse import Discourse
from zarpipe.sample.sentences import make_sentence
from zarpipe.sample.tree import Sentence
from zarpipe.sample.writer import ENCODING, document_text, plain_text

_SENTENCES = (6, 10)
_EDITORIAL_EVERY = 5  # one document of five is an editorial
_FIRST_EDITORIAL = 900

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


def make_sample(config: SampleConfig, output: Path) -> None:
    """Write ``output/dat/ntc/knp/*.ntc`` (EUC-JP) and ``output/unlabelled.txt`` (UTF-8).

    A sample that stands there is replaced as a whole.

    Raises:
        ZarpipeError: ``output/dat`` exists and is not a sample, or cannot be written.
    """
    target = output / "dat"
    if _is_foreign(target):
        raise ZarpipeError(
            f"{target}: exists and was not made by `zarpipe sample`; it is left as it is. "
            "Choose another --output, or remove that folder yourself"
        )
    with whole_text(output / "unlabelled.txt") as text:
        text.writelines(f"{line}\n" for line in unlabelled_lines(config))
    with hidden_folder(target) as hidden:
        _write_documents(config, hidden)
        announce_replacement(target / MARK)
        if target.exists():
            shutil.rmtree(target)
        hidden.rename(target)


def _is_foreign(target: Path) -> bool:
    """Tell whether something stands there that is no sample (an empty folder is nothing)."""
    if not target.exists() or (target / MARK).is_file():
        return False
    return not target.is_dir() or any(target.iterdir())


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


def unlabelled_lines(config: SampleConfig) -> Iterator[str]:
    """Yield the sentences of further documents by the same maker, tokens separated by a space."""
    return islice(_endless_lines(config.seed), config.unlabelled_sentences)


def _endless_lines(seed: int) -> Iterator[str]:
    number = 0
    while True:
        document = make_document(f"{seed}/unlabelled/{number}", number % _EDITORIAL_EVERY == 0)
        yield from (plain_text(sentence) for sentence in document)
        number += 1


def _write_documents(config: SampleConfig, folder: Path) -> None:
    documents = folder / "ntc" / "knp"
    documents.mkdir(parents=True)
    counts = {
        "train": config.train_documents,
        "dev": config.dev_documents,
        "test": config.test_documents,
    }
    for split, count in counts.items():
        for number, place in enumerate(places(split, count)):
            sentences = make_document(f"{config.seed}/{split}/{number}", place.editorial)
            text = document_text(place.document_id, sentences)
            (documents / place.file).write_bytes(text.encode(ENCODING))
    write_mark(folder, config.model_dump())


def _article(day: str, number: int) -> Place:
    # 900 to 999 and 90100 to 99999 are editorials' numbers: articles of a day go on at 1000.
    of_day = number + 1 if number < _FIRST_EDITORIAL - 1 else number + 101
    document_id = f"{day}{of_day:03d}"
    return Place(f"{day}-{number:04d}-{document_id}.ntc", document_id, editorial=False)


def _editorial(month: str, number: int) -> Place:
    of_day = _FIRST_EDITORIAL + number // 28
    document_id = f"{month}{number % 28 + 1:02d}{of_day if of_day < 1000 else 89_100 + of_day}"
    return Place(f"{month}ED-{number:04d}-{document_id}.ntc", document_id, editorial=True)
