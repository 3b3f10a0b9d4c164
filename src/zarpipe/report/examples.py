"""Chooses the instances of Figure 4: where taggers trained with verb and with all_but_verb masking disagree.

The paper (Section 6) looks at what masking verbs, and masking everything but verbs, make of single sentences.
Here the taggers of both say which sentences are worth a look. The rule, for each alpha by itself:

* Instances come from the development set: no tagger was trained on them, and the test set stays untouched.
  They are masked with the numbers that would mask them if they were training instances.
* A tagger's answer for a case is that of most seeds; among equally many, that of the earliest seed.
* An instance is a candidate if it has a zero argument (ZAR) that exactly one of the taggers of
  ``masking-verb-{alpha}`` and ``masking-all_but_verb-{alpha}`` finds. The first such case is the disputed
  one. Where there is no such instance, arguments in a direct dependency (DEP) count too.
* Those come first in which both POS sets mask something and that have at most 30 tokens; then the first
  candidate of each document, then the second, and so on; then text order.
* They are taken by turns from those that ``all_but_verb`` gets right and those that ``verb`` gets right.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from zarpipe.arrays import Bool, Int64, any_of_each
from zarpipe.augment.masking import Masks, draw_masks, in_set
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.evaluate.evaluation import read_gold
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.corpus_tags import resolved_sets
from zarpipe.formats.predictions import Gold, read_decisions
from zarpipe.study.grid import FIGURE4_POS_SETS
from zarpipe.study.recipe import masking
from zarpipe.study.study import Study
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.instances import Instances
from zarpipe.task.relations import Relation
from zarpipe.task.tagsets import PosSet

SPLIT = "dev"
_READABLE_TOKENS = 30


@dataclass(frozen=True)
class Answer:
    """What a recipe's taggers say about one case of an instance: a token, None for none.

    ``right``: it is a gold mention, or there is none in gold either.
    """

    case: str
    token: int | None
    seeds: int
    right: bool


@dataclass(frozen=True)
class MaskedCopy:
    """An instance as one POS set masks it, and what the taggers trained that way say of the original.

    Answers are of the cases that have a gold argument or an answer; ``right``: about the disputed case.
    """

    pos_set: str
    masked: list[int]
    answers: list[Answer]
    right: bool


@dataclass(frozen=True)
class Example:
    """A chosen instance: its sentence, gold mentions by case, the disputed case, and a copy per POS set."""

    alpha: str
    doc_id: str
    sent_id: str
    tokens: list[str]
    predicate: int
    gold: dict[str, list[int]]
    case: str
    relation: str
    copies: list[MaskedCopy]


def choose_examples(study: Study) -> list[Example]:
    """Choose instances by the rule above, at most ``report.examples`` for each alpha."""
    split = _Split(study)
    count = study.config.report.examples
    return [
        split.example(instance, alpha, systems)
        for alpha in study.grid.alphas
        for systems in [split.systems(alpha)]
        for instance in split.chosen(systems, count)
    ]


@dataclass(frozen=True)
class _System:
    """Taggers of one recipe: their masks and answers for all n instances.

    Answers: [n, C] int64, token of each case, -1 for none; seeds: how many gave the answer.
    """

    pos_set: str
    masks: Masks
    answers: Int64
    seeds: Int64
    right: Bool


class _Split:
    """The development set."""

    def __init__(self, study: Study) -> None:
        self.study = study
        corpus = Path(study.jobs.corpus(SPLIT))
        self.table: pa.Table = read_corpus(corpus)
        self.gold: Gold = read_gold(corpus)
        names, definitions = study.grid.figure4_pos_sets(), study.config.pos_sets
        self.pos_sets = resolved_sets(self.table, corpus, names, definitions)
        instances = self.gold.instances
        is_dep = instances.gold & (instances.position_category == Relation.DEP)[:, None]
        self.has_gold = any_of_each(instances.gold, instances.offsets)
        self.is_zar = self.has_gold & ~any_of_each(is_dep, instances.offsets)

    def systems(self, alpha: str) -> dict[str, _System]:
        """Read what the taggers of each POS set of Figure 4 say, and draw its masks."""
        return {pos_set.name: self._system(pos_set, alpha) for pos_set in self.pos_sets}

    def _system(self, pos_set: PosSet, alpha: str) -> _System:
        study, augmentation = self.study, self.study.config.augmentation
        recipe = masking(pos_set.name, alpha).name
        decided = [
            read_decisions(study.decisions_of(recipe, seed, SPLIT).path, self.gold) for seed in study.seeds
        ]
        answers, votes = majority(np.stack(decided))
        tokens = InstanceTokens(self.table, self.gold.instances, "the corpus", {})
        masks = draw_masks(tokens, in_set(tokens, pos_set), float(alpha), augmentation)
        return _System(pos_set.name, masks, answers, votes, self._right(answers))

    def chosen(self, systems: dict[str, _System], count: int) -> list[int]:
        """Choose instances, in the order in which they are shown."""
        verb, others = (systems[pos_set] for pos_set in FIGURE4_POS_SETS)
        differ = self._disputed(systems)
        candidates = np.flatnonzero(differ.any(axis=1))
        both = (np.diff(verb.masks.offsets) > 0) & (np.diff(others.masks.offsets) > 0)
        short = self.gold.instances.lengths <= _READABLE_TOKENS
        documents = self.table["doc_id"].take(self.gold.instances.sentence[candidates]).to_pylist()
        seen: Counter[str] = Counter()
        order = []
        for instance, document in zip(candidates.tolist(), documents, strict=True):
            order.append((not (both[instance] and short[instance]), seen[document], instance))
            seen[document] += 1
        ranked = [instance for *_, instance in sorted(order)]
        case = differ.argmax(axis=1)
        by_winner = [
            [instance for instance in ranked if system.right[instance, case[instance]]]
            for system in (others, verb)
        ]
        # By turns; when one is used up, the rest of the other.
        turns = itertools.chain.from_iterable(itertools.zip_longest(*by_winner))
        return [instance for instance in turns if instance is not None][:count]

    def example(self, instance: int, alpha: str, systems: dict[str, _System]) -> Example:
        """Describe a chosen instance."""
        instances = self.gold.instances
        row = self.table.slice(int(instances.sentence[instance]), 1).to_pylist()[0]
        case = int(self._disputed(systems)[instance].argmax())
        here = instances.gold[instances.offsets[instance] : instances.offsets[instance + 1]]
        return Example(
            alpha,
            row["doc_id"],
            row["sent_id"],
            row["tokens"],
            int(instances.predicate[instance]),
            {
                name: np.flatnonzero(here[:, number]).tolist()
                for number, name in enumerate(CASE_NAMES)
                if here[:, number].any()
            },
            CASE_NAMES[case],
            (Relation.ZAR if self.is_zar[instance, case] else Relation.DEP).name,
            [self._copy(instance, case, system) for system in systems.values()],
        )

    def _disputed(self, systems: dict[str, _System]) -> Bool:
        """Tell which cases of which instances exactly one of Figure 4's systems gets right: [n, C]."""
        verb, others = (systems[pos_set] for pos_set in FIGURE4_POS_SETS)
        differ = verb.right != others.right
        zero: Bool = differ & self.is_zar
        return zero if zero.any() else differ & self.has_gold

    def _copy(self, instance: int, case: int, system: _System) -> MaskedCopy:
        start, end = system.masks.offsets[instance], system.masks.offsets[instance + 1]
        answers = [
            Answer(
                name,
                int(token) if (token := system.answers[instance, number]) >= 0 else None,
                int(system.seeds[instance, number]),
                bool(system.right[instance, number]),
            )
            for number, name in enumerate(CASE_NAMES)
            if self.has_gold[instance, number] or system.answers[instance, number] >= 0
        ]
        masked = system.masks.tokens[start:end].tolist()
        return MaskedCopy(system.pos_set, masked, answers, bool(system.right[instance, case]))

    def _right(self, answers: Int64) -> Bool:
        """Tell whether each answer is a gold mention, or no answer where gold has none: [n, C]."""
        instances: Instances = self.gold.instances
        rows = np.maximum(answers, 0) + instances.offsets[:-1, None]
        hit = (
            np.take_along_axis(instances.gold, rows, axis=0)
            if len(instances.gold)
            else np.zeros(answers.shape, bool)
        )
        right: Bool = np.where(answers >= 0, hit, ~self.has_gold)
        return right


def majority(decided: Int64) -> tuple[Int64, Int64]:
    """Return what most of k taggers decided, among equals the earliest, and how many: [k, ...] -> [...]."""
    votes = (decided[:, None] == decided[None]).sum(axis=1)
    first = votes.argmax(axis=0)[None]
    return np.take_along_axis(decided, first, axis=0)[0], np.take_along_axis(votes, first, axis=0)[0]
