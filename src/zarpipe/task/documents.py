"""A document as the readers give it, and the remarks that they make on the way."""

from __future__ import annotations

import enum
import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from zarpipe.config.pos_sets import Tagset
from zarpipe.task.projection import Projection
from zarpipe.task.relations import relation

OwnBunsetsu = Literal["drop_case", "drop_mention"]
ConstructionMentions = Literal["never", "sentence", "document"]

# surface, lemma, part of speech, sub part of speech
Token = tuple[str, str, str, str]


class Argument(NamedTuple):
    """One mention of an argument: ``case`` a name of `CASES`, ``relation`` one of `Relation`."""

    case: str
    token: int
    relation: str


# There are few different ones, and they are made by the hundred thousand.
_argument = functools.lru_cache(maxsize=4096)(Argument)


class Predicate(NamedTuple):
    """A target predicate: its token, voice as annotated, and the mentions of its arguments."""

    token: int
    alt: str | None
    arguments: list[Argument]


class Sentence(NamedTuple):
    """A sentence: T tokens in B bunsetsu.

    Attributes:
        sent_id: identifier, unique in the corpus.
        line: line of the file where it begins, from 1.
        words: T tokens; equal ones may be one object.
        bunsetsu: bunsetsu number of each token.
        heads: B head bunsetsu, -1 for the root.
        predicates: target predicates in text order.
    """

    sent_id: str
    line: int
    words: list[Token]
    bunsetsu: list[int]
    heads: list[int]
    predicates: list[Predicate]

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


class Remark(NamedTuple):
    """Something that a person should know although the document was read.

    Attributes:
        kind: groups equal ones.
        path: file.
        line: line of the file, from 1.
        message: what was found and what became of it.
        repaired: whether it is a fault of the annotation that was repaired.
    """

    kind: str
    path: str
    line: int
    message: str
    repaired: bool = False


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
    """A document.

    Attributes:
        doc_id: identifier.
        sentences: the sentences in text order.
        remarks: what was read but looks wrong.
        tagset: whose parts of speech it has; None where its format has only one.
        removed: (case, rule) -> annotated arguments that are not labelled.
        projection: what became of its annotation in the words of another dictionary; empty in gold words.
    """

    doc_id: str
    sentences: list[Sentence] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    tagset: Tagset | None = None
    removed: Counter[tuple[str, Removal]] = field(default_factory=Counter)
    projection: Counter[Projection] = field(default_factory=Counter)


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
    too, ``drop_mention`` keeps them (golden notes, D1).

    Args:
        case: name of the case.
        mentions: tokens, ascending.
        predicate: token of the predicate.
        bunsetsu: bunsetsu of each token.
        heads: head of each bunsetsu.
        own_bunsetsu: what a mention in the predicate's own bunsetsu does to the others.
    """
    own = bunsetsu[predicate]
    if len(mentions) == 1:  # by far the most frequent case
        place = bunsetsu[mentions[0]]
        return [] if place == own else [_argument(case, mentions[0], relation(own, place, heads).name)]
    others = [token for token in mentions if bunsetsu[token] != own]
    if len(others) < len(mentions) and own_bunsetsu == "drop_case":
        return []
    return [_argument(case, token, relation(own, bunsetsu[token], heads).name) for token in others]
