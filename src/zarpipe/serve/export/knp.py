"""The KNP format with ``<rel>`` tags, as KWDLC has it.

The corpus Parquet has no base phrases. Each bunsetsu is cut where the annotation needs it, so that every
predicate and every mention is the content word of a base phrase of its own, by the same rule by which the
KNP reader finds it (`zarpipe.readers.knp_phrases`). Readings and conjugations are not in the Parquet either.
What the columns mean, and what is lost: docs/export.md.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable, Iterator, Sequence

from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import ZarpipeError
from zarpipe.readers.knp import parse_morpheme
from zarpipe.readers.knp_arguments import NO_ARGUMENT
from zarpipe.readers.knp_phrases import content_word
from zarpipe.task.cases import CASES, case_named
from zarpipe.task.documents import Predicate, Sentence, Token

_log = logging.getLogger(__name__)

# What stands for a blank in a lemma, since columns end at blanks.
PLACEHOLDER = "␣"
# JUMAN's numbers of the parts of speech, as in KWDLC; tags of other dictionaries have none (0).
_POS_NUMBERS = {
    "特殊": 1,
    "動詞": 2,
    "形容詞": 3,
    "判定詞": 4,
    "助動詞": 5,
    "名詞": 6,
    "指示詞": 7,
    "副詞": 8,
    "助詞": 9,
    "接続詞": 10,
    "連体詞": 11,
    "感動詞": 12,
    "接頭辞": 13,
    "接尾辞": 14,
    "未定義語": 15,
}
# As Juman++ escapes them.
_WORD_ESCAPES = {" ": r"\␣", "\t": r"\t"}
_FEATURE_ESCAPES = str.maketrans({'"': "”", "<": "＜", ">": "＞"})


def write(sentences: Iterable[Sentence], tagset: Tagset) -> Iterator[str]:  # noqa: ARG001 (as all)
    """Yield each sentence, closed by EOS. A blank in a lemma (UniDic: フォートワース-Fort Worth) becomes ␣.

    Raises:
        ZarpipeError: the format cannot hold a sentence's name or a word.
    """
    changed = 0
    for sentence in sentences:
        yield "\n".join([*_lines(sentence), "EOS"]) + "\n"
        changed += sum(_formatted(word) is None for word in sentence.words)
    if changed:
        _log.warning("lemmas with blanks, which are written as %s: %s", PLACEHOLDER, f"{changed:,}")


def base_phrases(words: Sequence[Token], marked: Sequence[int]) -> list[range]:
    """Cut a bunsetsu into base phrases so that each marked word is the content word of one.

    ``words``: of the bunsetsu; ``marked``: predicates and mentions among them, ascending. Returns the
    tokens of each base phrase; together all of them, in order.
    """
    phrases: list[range] = []
    start = 0
    for place, mark in enumerate(marked):
        behind = marked[place + 1] if place + 1 < len(marked) else len(words)
        if not _is_content_word(words, start, mark + 1, mark):
            phrases.append(range(start, mark))
            start = mark
        stop = next(end for end in range(behind, mark, -1) if _is_content_word(words, start, end, mark))
        phrases.append(range(start, stop))
        start = stop
    if start < len(words):
        phrases.append(range(start, len(words)))
    return phrases


def _is_content_word(words: Sequence[Token], start: int, stop: int, token: int) -> bool:
    return start + content_word(words[start:stop]) == token


def _lines(sentence: Sentence) -> Iterator[str]:
    yield _name_line(sentence)
    phrases = _phrases(sentence)
    phrase_of = {token: number for number, phrase in enumerate(phrases) for token in phrase}
    predicates = {predicate.token: predicate for predicate in sentence.predicates}
    last_of = {sentence.bunsetsu[phrase[0]]: number for number, phrase in enumerate(phrases)}
    last_of[-1] = -1
    for number, phrase in enumerate(phrases):
        own = sentence.bunsetsu[phrase[0]]
        if not phrase[0] or sentence.bunsetsu[phrase[0] - 1] != own:
            yield f"* {sentence.heads[own]}D"
        head = last_of[sentence.heads[own]] if number == last_of[own] else number + 1
        found = [predicates[token] for token in phrase if token in predicates]
        features = "".join(_features(sentence, predicate, phrase_of) for predicate in found)
        yield f"+ {head}D {features}".rstrip()
        for token in phrase:
            yield _word_line(sentence.words[token], sentence.sent_id)


def _name_line(sentence: Sentence) -> str:
    if not sentence.sent_id or any(character.isspace() or character == '"' for character in sentence.sent_id):
        raise ZarpipeError(
            f"sentence {sentence.sent_id!r}: the KNP format cannot hold its name; expected one without "
            "blanks and quotes. Export the corpus as conllu or json"
        )
    return f"# S-ID:{sentence.sent_id}"


def _phrases(sentence: Sentence) -> list[range]:
    """Return the base phrases of a sentence."""
    marked = {predicate.token for predicate in sentence.predicates}
    marked.update(argument.token for predicate in sentence.predicates for argument in predicate.arguments)
    phrases: list[range] = []
    for own, tokens in enumerate(sentence.phrases):
        if not tokens:
            raise ZarpipeError(
                f"sentence {sentence.sent_id!r}: bunsetsu {own} has no token, which the KNP format cannot "
                "hold; export the corpus as conllu or json"
            )
        first = tokens[0]
        words = [sentence.words[token] for token in tokens]
        here = [token - first for token in tokens if token in marked]
        phrases += [range(first + phrase.start, first + phrase.stop) for phrase in base_phrases(words, here)]
    return phrases


def _features(sentence: Sentence, predicate: Predicate, phrase_of: dict[int, int]) -> str:
    """Return the tags of a predicate.

    The mentions of one argument are alternatives (mode ？): a reader finds each of them. A predicate without
    an argument has なし, since the format knows predicates by their relations.
    """
    tags = []
    for case, mentions in predicate.by_case().items():
        for number, mention in enumerate(mentions):
            mode = ' mode="？"' if number else ""
            target = sentence.words[mention.token][0].translate(_FEATURE_ESCAPES)
            place = f'sid="{sentence.sent_id}" id="{phrase_of[mention.token]}"'
            tags.append(f'<rel type="{case_named(case).knp}"{mode} target="{target}" {place}/>')
    if not tags:
        tags.append(f'<rel type="{CASES[0].knp}" target="{NO_ARGUMENT}"/>')
    if predicate.alt is not None:
        if "\n" in predicate.alt:
            raise _cannot_hold(sentence.sent_id, f"the voice {predicate.alt!r}")
        tags.append(f"<alt:{predicate.alt.translate(_FEATURE_ESCAPES)}>")
    tags += [
        f"<probability:{one.case}={one.probability!r}>"
        for one in predicate.arguments
        if one.probability is not None
    ]
    return "".join(tags)


def _word_line(word: Token, sent_id: str) -> str:
    line = _formatted(word) or _formatted(word._replace(lemma=word.lemma.replace(" ", PLACEHOLDER)))
    if line is None:
        surface, lemma, pos, sub = word
        raise _cannot_hold(sent_id, f"the word {surface!r} (lemma {lemma!r}, {pos}, {sub})")
    return line


def _cannot_hold(sent_id: str, what: str) -> ZarpipeError:
    return ZarpipeError(
        f"sentence {sent_id!r}: the KNP format cannot hold {what}; export the corpus as conllu or json"
    )


@functools.lru_cache(maxsize=1 << 16)
def _formatted(word: Token) -> str | None:
    """Return a morpheme line that is read as this word; None if there is none.

    The surface stands for the reading, which the Parquet does not have.
    """
    surface, lemma, pos, sub = word
    surface, lemma = _WORD_ESCAPES.get(surface, surface), _WORD_ESCAPES.get(lemma, lemma)
    line = f"{surface} {surface} {lemma} {pos} {_POS_NUMBERS.get(pos, 0)} {sub} 0 * 0 * 0"
    return line if "\n" not in line and parse_morpheme(line) == word else None
