"""A document as the readers give it, and the remarks that they make on the way."""

from __future__ import annotations

import enum
import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise, repeat
from typing import Any, Literal, NamedTuple

from zarpipe.config.pos_sets import Tagset
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.projection import Projection
from zarpipe.task.relations import Relation, relation

OwnBunsetsu = Literal["drop_case", "drop_mention"]
ConstructionMentions = Literal["never", "sentence", "document"]

UNKNOWN_RELATION = "UNKNOWN"
"""What stands for the relation of an argument in a text without heads: it is not known to be omitted."""


class Token(NamedTuple):
    """A word."""

    surface: str
    lemma: str
    pos: str
    pos_sub: str


class Argument(NamedTuple):
    """One mention of an argument."""

    case: str  # a name of `CASES`
    token: int
    # A name of `Relation`, or UNKNOWN_RELATION. Gold arguments are DEP or ZAR; a decision may also lie in the
    # predicate's own bunsetsu.
    relation: str
    probability: float | None = None  # what a tagger gives it; None for gold, and where a system gives none


# There are few different ones, and they are made by the hundred thousand.
_argument = functools.lru_cache(maxsize=4096)(Argument)


class Candidate(NamedTuple):
    """A word that may be the argument of a case."""

    token: int
    probability: float  # the mean of the taggers'
    votes: int  # how many taggers decide for it by themselves, each by its own threshold


class Considered(NamedTuple):
    """Among what a case of a predicate was decided."""

    case: str
    threshold: float
    candidates: list[Candidate]  # the most probable words, and all that have a vote; falling probability
    none: int  # how many taggers decide for no argument


class Predicate(NamedTuple):
    """A target predicate."""

    token: int
    alt: str | None  # voice as annotated
    arguments: list[Argument]  # the mentions of its arguments
    # That it is a predicate, where a tagger has found it; None where it was given.
    probability: float | None = None
    considered: Sequence[Considered] = ()  # what each case was decided among, where that is asked for

    def by_case(self) -> dict[str, list[Argument]]:
        """Return the mentions of each case that has any, in the order of the cases."""
        found = {case: [one for one in self.arguments if one.case == case] for case in CASE_NAMES}
        return {case: mentions for case, mentions in found.items() if mentions}


class Sentence(NamedTuple):
    """A sentence: T tokens in B bunsetsu. Read, analysed, shown and exported alike."""

    sent_id: str  # identifier, unique in the corpus
    line: int  # line of the file where it begins, from 1; 0 where there are no lines
    words: list[Token]  # T tokens; equal ones may be one object
    bunsetsu: list[int]  # bunsetsu number of each token; empty where they are not known
    heads: list[int]  # B head bunsetsu, -1 for the root; empty where they are not known
    predicates: list[Predicate]
    doc_id: str = ""  # its document, where it goes without one
    start: int = 0  # its first character in the source text

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Sentence:
        """Return the sentence of a row of a corpus Parquet."""
        words = map(Token, row["tokens"], row["lemmas"], row["pos"], row["pos_sub"])
        predicates = [
            Predicate(one["token"], one["alt"], [Argument(**mention) for mention in one["arguments"]])
            for one in row["predicates"]
        ]
        return cls(
            row["sent_id"], 0, list(words), row["bunsetsu"], row["heads"], predicates, row.get("doc_id", "")
        )

    @property
    def tokens(self) -> list[str]:
        """The surfaces."""
        return [word[0] for word in self.words]

    @property
    def lemmas(self) -> list[str]:
        """The base forms."""
        return [word[1] for word in self.words]

    @property
    def pos(self) -> list[str]:
        """The major parts of speech."""
        return [word[2] for word in self.words]

    @property
    def pos_sub(self) -> list[str]:
        """The sub parts of speech."""
        return [word[3] for word in self.words]

    @property
    def text(self) -> str:
        """Its characters."""
        return "".join(self.tokens)

    @property
    def end(self) -> int:
        """The character of the source text behind its last one."""
        return self.start + sum(map(len, self.tokens))

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Of each token its first character in the source text, and the one behind its last."""
        return list(pairwise(accumulate(map(len, self.tokens), initial=self.start)))

    def plain_words(self) -> list[dict[str, Any]]:
        """Return the words as plain values. Offsets count code points; the end is behind the last one."""
        return [
            {**word._asdict(), "start": start, "end": end, "bunsetsu": number}
            for word, (start, end), number in zip(
                self.words, self.spans, self.bunsetsu or repeat(None), strict=False
            )
        ]

    def to_json(self, tagset: Tagset | None = None) -> dict[str, Any]:
        """Return an analysed sentence as plain values, as `zarpipe analyse --format json` writes it.

        ``tagset``: whose parts of speech it has. docs/analyse.md describes the keys.
        """
        tokens = self.plain_words()
        places = [
            {"token": number, **{key: token[key] for key in ("surface", "start", "end")}}
            for number, token in enumerate(tokens)
        ]
        return {
            "doc_id": self.doc_id,
            "sent_id": self.sent_id,
            "text": self.text,
            "start": self.start,
            "end": self.end,
            "tagset": tagset,
            "tokens": tokens,
            "predicates": [_plain_predicate(predicate, places) for predicate in self.predicates],
        }

    @property
    def phrases(self) -> list[list[int]]:
        """The tokens of each bunsetsu; each by itself where bunsetsu are not known."""
        bunsetsu = self.bunsetsu or range(len(self.words))
        phrases: list[list[int]] = [[] for _ in self.heads or range(max(bunsetsu) + 1)]
        for token, number in enumerate(bunsetsu):
            phrases[number].append(token)
        return phrases

    def with_decisions(self, decisions: Iterator[tuple[Sequence[int], Sequence[float] | None]]) -> Sentence:
        """Return the sentence with decided arguments in the place of those that it has.

        Taken from ``decisions``, of this sentence's predicates and then of others: for each case the token,
        -1 for none, and the probability where the system gives them.
        """
        predicates = []
        for predicate in self.predicates:
            tokens, probabilities = next(decisions)
            of_cases = zip(CASE_NAMES, tokens, probabilities or repeat(None), strict=False)
            arguments = [
                Argument(case, token, self.relation(predicate.token, token), probability)
                for case, token, probability in of_cases
                if token >= 0
            ]
            predicates.append(predicate._replace(arguments=arguments))
        return self._replace(predicates=predicates)

    def relation(self, predicate: int, token: int) -> str:
        """Return the name of the relation of a decided argument to its predicate, by the heads."""
        if not self.heads:
            return UNKNOWN_RELATION
        own, other = self.bunsetsu[predicate], self.bunsetsu[token]
        return (Relation.OWN_BUNSETSU if own == other else relation(own, other, self.heads)).name


def _plain_predicate(predicate: Predicate, places: Sequence[dict[str, Any]]) -> dict[str, Any]:
    plain = {
        **places[predicate.token],
        "probability": predicate.probability,
        "arguments": [
            {"case": one.case, **places[one.token], "probability": one.probability}
            for one in predicate.arguments
        ],
    }
    if predicate.considered:
        plain["considered"] = [
            case._asdict() | {"candidates": [places[one.token] | one._asdict() for one in case.candidates]}
            for case in predicate.considered
        ]
    return plain


class Remark(NamedTuple):
    """Something that a person should know although the document was read."""

    kind: str  # groups equal ones
    path: str
    line: int  # from 1
    message: str  # what was found and what became of it
    repaired: bool = False  # whether it is a fault of the annotation that was repaired


class Removal(enum.Enum):
    """The rule by which an annotated argument is not labelled; the first one that applies."""

    OPTIONAL = "optional"
    """The annotation says that it is optional: なし beside 狭義 for 狭義に 言う."""
    EXOPHORIC = "outside the text"
    """It is nothing that the text mentions: 著者, 不特定:人."""
    OTHER_SENTENCE = "other sentence"
    """No mention stands in the predicate's sentence."""
    OTHER_CASE = "other case"
    """Its only mentions in the sentence fill another case of the predicate."""
    OWN_BUNSETSU = "own bunsetsu"
    """A mention stands in the predicate's own bunsetsu: 学生だ, which is its own subject."""


@dataclass
class Document:
    """A document."""

    doc_id: str
    sentences: list[Sentence] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)  # what was read but looks wrong
    tagset: Tagset | None = None  # whose parts of speech it has; None where its format has only one
    # (case, rule) -> annotated arguments that are not labelled.
    removed: Counter[tuple[str, Removal]] = field(default_factory=Counter)
    # What became of its annotation in the words of another dictionary; empty in gold words.
    projection: Counter[Projection] = field(default_factory=Counter)

    def to_json(self) -> list[dict[str, Any]]:
        """Return its sentences as plain values (`Sentence.to_json`)."""
        return [sentence.to_json(self.tagset) for sentence in self.sentences]


def arguments_of_case(
    case: str,
    mentions: Sequence[int],
    predicate: int,
    bunsetsu: Sequence[int],
    heads: Sequence[int],
    own_bunsetsu: OwnBunsetsu,
) -> list[Argument]:
    """Turn the mentions of one argument into labelled ones, each with its relation to the predicate.

    A mention in the predicate's own bunsetsu is never labelled. ``drop_case`` then drops the other mentions
    too, ``drop_mention`` keeps them (golden notes, D1). Mentions and the predicate are tokens, the former
    ascending.
    """
    own = bunsetsu[predicate]
    if len(mentions) == 1:  # by far the most frequent case
        place = bunsetsu[mentions[0]]
        return [] if place == own else [_argument(case, mentions[0], relation(own, place, heads).name)]
    others = [token for token in mentions if bunsetsu[token] != own]
    if len(others) < len(mentions) and own_bunsetsu == "drop_case":
        return []
    return [_argument(case, token, relation(own, bunsetsu[token], heads).name) for token in others]
