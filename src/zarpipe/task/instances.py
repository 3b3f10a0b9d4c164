"""Instances = (sentence, target predicate), as flat arrays for masking, training and scoring."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zarpipe.arrays import Bool, Int8, Int64, expand
from zarpipe.task.cases import CASES, NONE_LABEL
from zarpipe.task.relations import position_category


@dataclass(frozen=True)
class Instances:
    """All instances of one split: n of them, N tokens in all (each sentence once per predicate)."""

    sentence: Int64  # [n] int64, row of the sentence in the corpus Parquet
    predicate: Int64  # [n] int64, token index of the target predicate
    offsets: Int64  # [n + 1] int64, first token of each instance in the flat arrays
    # [N] int8, number of the case in CASES, or NONE_LABEL; a later case overwrites an earlier one on a token.
    labels: Int8
    # [N, C] bool, whether the token is a mention of the argument of each of the C cases (nothing
    # overwritten).
    gold: Bool
    position_category: Int8  # [N] int8, numbers of Relation: where the token stands from the predicate
    is_predicate: Bool  # [N] bool, whether the token is any predicate of its sentence

    def __len__(self) -> int:
        return len(self.sentence)

    @property
    def lengths(self) -> Int64:
        """[n] int64, tokens of each instance."""
        return np.diff(self.offsets)

    def only(self, kept: Bool) -> Instances:
        """Return the instances that are kept ([n] bool), in order; ``sentence`` still counts all rows."""
        lengths, tokens = self.lengths, np.repeat(kept, self.lengths)
        return Instances(
            self.sentence[kept],
            self.predicate[kept],
            np.concatenate([[0], np.cumsum(lengths[kept])]),
            self.labels[tokens],
            self.gold[tokens],
            self.position_category[tokens],
            self.is_predicate[tokens],
        )


@dataclass(frozen=True)
class Annotations:
    """The annotated sentences of a split as ragged arrays: S sentences, P predicates, M mentions."""

    token_offsets: Int64  # [S + 1] int64, first token of each sentence
    bunsetsu: Int64  # [T] int64, bunsetsu number of each token within its sentence
    head_offsets: Int64  # [S + 1] int64, first bunsetsu of each sentence
    heads: Int64  # [B] int64, head bunsetsu of each bunsetsu, -1 for the root
    predicate_offsets: Int64  # [S + 1] int64, first predicate of each sentence
    predicates: Int64  # [P] int64, token of each predicate within its sentence
    mention_offsets: Int64  # [P + 1] int64, first mention of each predicate's arguments
    mentions: Int64  # [M] int64, token of each mention within its sentence
    mention_cases: Int64  # [M] int64, index in CASES of each mention's case


def make_instances(annotations: Annotations) -> Instances:
    """Compute the instances of a split, in text order."""
    a = annotations
    sentence = np.repeat(np.arange(len(a.predicate_offsets) - 1), np.diff(a.predicate_offsets))
    lengths = np.diff(a.token_offsets)[sentence]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    source = expand(a.token_offsets[sentence], lengths)
    instance = np.repeat(np.arange(len(sentence)), lengths)

    bunsetsu_of_token = a.bunsetsu[source]
    head_of_token = a.heads[a.head_offsets[sentence][instance] + bunsetsu_of_token]
    target = a.token_offsets[sentence] + a.predicates
    bunsetsu_of_predicate = a.bunsetsu[target]
    head_of_predicate = a.heads[a.head_offsets[sentence] + bunsetsu_of_predicate]
    category = position_category(
        bunsetsu_of_token, head_of_token, bunsetsu_of_predicate[instance], head_of_predicate[instance]
    )

    gold = _gold_mentions(a, offsets)
    labels = np.full(len(source), NONE_LABEL, np.int8)
    for case in range(len(CASES)):
        labels[gold[:, case]] = case
    predicate_tokens = np.zeros(len(a.bunsetsu), bool)
    predicate_tokens[target] = True
    return Instances(sentence, a.predicates, offsets, labels, gold, category, predicate_tokens[source])


def _gold_mentions(annotations: Annotations, offsets: Int64) -> Bool:
    """Scatter the arguments of each predicate to a [N, cases] table of mentions."""
    instance = np.repeat(np.arange(len(offsets) - 1), np.diff(annotations.mention_offsets))
    gold = np.zeros((int(offsets[-1]), len(CASES)), bool)
    gold[offsets[instance] + annotations.mentions, annotations.mention_cases] = True
    return gold
