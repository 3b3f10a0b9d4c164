"""The tab-separated form of the NAIST Text Corpus, with the parts of speech of UniDic.

Layout: ``# S-ID:950101008-001``, then for each bunsetsu ``* 0 3D`` and its words in columns separated by a
tab: surface, UniDic's features (only part of speech, sub part and lemma are filled), named entity (``O``)
and, where a word has one, the annotation (tags ``key="value"`` in alphabetical order); then ``EOS``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from made.lexicon import CASES
from made.tree import Annotation, Entity, Filler, Sentence, Token

# Fields of UniDic 2.1: four of parts of speech, conjugation type and form, reading, lemma, and nine more.
_FEATURES = "{pos},{pos_sub},*,*,*,*,*,{lemma}" + ",*" * 9


def document_text(document_id: str, sentences: Sequence[Sentence]) -> str:
    """Return a document; ``document_id`` is the number in its S-IDs (950101008)."""
    numbers = entity_numbers(sentences)
    lines: list[str] = []
    for index, sentence in enumerate(sentences, start=1):
        lines.append(f"# S-ID:{document_id}-{index:03d}")
        lines.extend(_sentence_lines(sentence, numbers))
        lines.append("EOS")
    return "\n".join(lines) + "\n"


def entity_numbers(sentences: Sequence[Sentence]) -> dict[int, int]:
    """Number the entities that need an id, by first mention: ``id(entity)`` -> number from 1.

    An entity needs one when a predicate or event noun refers to it or when it is mentioned more than once.
    """
    tokens = [token for sentence in sentences for token in sentence.tokens()]
    mentions = Counter(id(token.entity) for token in tokens if token.entity is not None)
    referred = {
        id(filler)
        for token in tokens
        if token.annotation is not None
        for filler in token.annotation.arguments.values()
        if isinstance(filler, Entity)
    }
    wanted = (key for key, count in mentions.items() if count > 1 or key in referred)
    return {key: number for number, key in enumerate(wanted, start=1)}


def _sentence_lines(sentence: Sentence, numbers: dict[int, int]) -> Iterable[str]:
    places = _mention_places(sentence)
    for number, (unit, head) in enumerate(zip(sentence.bunsetsu, sentence.heads, strict=True)):
        yield f"* {number} {head}{unit.link if head >= 0 else 'D'}"
        for token in unit.tokens:
            yield "\t".join(
                [token.surface, _features(token), "O", *_tags(token, number, sentence, places, numbers)]
            )


def _features(token: Token) -> str:
    lemma, pos, pos_sub = token.tags
    return _FEATURES.format(pos=pos, pos_sub=pos_sub, lemma=lemma)


def _mention_places(sentence: Sentence) -> dict[int, list[int]]:
    """Return the bunsetsu numbers of each entity's mentions, by ``id(entity)``."""
    places: dict[int, list[int]] = {}
    for number, unit in enumerate(sentence.bunsetsu):
        for token in unit.tokens:
            if token.entity is not None:
                places.setdefault(id(token.entity), []).append(number)
    return places


def _tags(
    token: Token, number: int, sentence: Sentence, places: dict[int, list[int]], numbers: dict[int, int]
) -> list[str]:
    """Return the last column; nothing for a word without annotation."""
    tags: dict[str, str] = {}
    if token.entity is not None and id(token.entity) in numbers:
        tags["id"] = str(numbers[id(token.entity)])
    if token.annotation is not None:
        tags |= _annotation_tags(token.annotation, number, sentence, places, numbers)
    return [" ".join(f'{key}="{value}"' for key, value in sorted(tags.items()))] if tags else []


def _annotation_tags(
    annotation: Annotation,
    number: int,
    sentence: Sentence,
    places: dict[int, list[int]],
    numbers: dict[int, int],
) -> dict[str, str]:
    tags = {"type": annotation.kind}
    if annotation.voice is not None:
        tags["alt"] = annotation.voice
    for case in CASES:
        filler = annotation.arguments.get(case)
        if filler is not None:
            tags[case] = filler if isinstance(filler, str) else str(numbers[id(filler)])
            tags[f"{case}_type"] = _relation(filler, number, sentence.heads, places)
    return tags


def _relation(filler: Filler, number: int, heads: tuple[int, ...], places: dict[int, list[int]]) -> str:
    """Return ``dep`` when a mention is in a direct dependency with the predicate, else ``zero``."""
    if isinstance(filler, str):
        return "zero"
    linked = any(heads[place] == number or heads[number] == place for place in places.get(id(filler), ()))
    return "dep" if linked else "zero"


def plain_text(sentence: Sentence) -> str:
    """Return a sentence as its tokens separated by one space."""
    return " ".join(token.surface for token in sentence.tokens())
