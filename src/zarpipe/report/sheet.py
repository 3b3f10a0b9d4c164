"""Which refilled sentences a person judges, so that the meter of changed antecedents is measured itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zarpipe.arrays import Int64
from zarpipe.files import text_digest
from zarpipe.report.antecedents import HeldOutDecisions, Words
from zarpipe.study.recipe import Variant
from zarpipe.study.study import Study
from zarpipe.task.antecedents import compare_decisions, rows_of
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.relations import Relation


@dataclass(frozen=True)
class Item:
    """An argument that the tagger had right, and the sentence with other words.

    The first part of ``item`` names the sheet. ``policy``: what was masked; ``changed``: what the meter says;
    ``stands_for``: for how many arguments of its stratum (policy, and what the meter says).
    """

    item: str
    sent_id: str
    tokens: list[str]
    refilled: list[str]
    predicate: int
    case: str
    argument: int
    policy: str
    alpha: str
    relation: str
    changed: bool
    stands_for: float


# A refilled variant, its words, an instance and the number of a case.
_Candidate = tuple[Variant, Words, int, int]


def choose_items(study: Study) -> list[Item]:
    """Draw items, equally many of each policy and each answer of the meter, in random order.

    The meter is the tagger of the first seed. Candidates are arguments that it has right in the original, of
    sentences in which a word was replaced.
    """
    decisions = HeldOutDecisions(study)
    by_policy = study.grid.antecedents()
    strata: dict[tuple[str, bool], list[_Candidate]] = {}
    for policy, variant in ((policy, one) for policy, of_policy in by_policy.items() for one in of_policy):
        words = decisions.new_words(variant)
        for changed in (True, False):
            found = _candidates(decisions, variant, words, changed)
            strata.setdefault((policy, changed), []).extend(found)
    chosen = study.config.antecedents
    rng = np.random.default_rng([chosen.sheet_seed, 6])
    counts = shared_out(chosen.sheet_items, [len(stratum) for stratum in strata.values()])
    items = []
    for (stratum, candidates), count in zip(strata.items(), counts, strict=True):
        for place in rng.choice(len(candidates), count, replace=False).tolist() if count else []:
            items.append(_item(decisions, candidates[place], *stratum, len(candidates) / count))
    return _named([items[place] for place in rng.permutation(len(items)).tolist()])


def shared_out(items: int, sizes: Sequence[int]) -> list[int]:
    """Share items out to strata equally, as far as these have so many: 10 to sizes 2, 9, 9 gives 2, 4, 4."""
    counts = [0] * len(sizes)
    while sum(counts) < items and any(count < size for count, size in zip(counts, sizes, strict=True)):
        for place, size in enumerate(sizes):
            if counts[place] < size and sum(counts) < items:
                counts[place] += 1
    return counts


def _candidates(
    decisions: HeldOutDecisions, variant: Variant, words: Words, changed: bool
) -> list[_Candidate]:
    instances = decisions.gold.instances
    found = compare_decisions(decisions.originals[0], decisions.refilled(variant)[0], instances)
    new = np.add.reduceat(words.replaced.astype(np.int64), instances.offsets[:-1]) > 0
    wanted = found.right & (found.changed == changed) & new[:, None]
    return [(variant, words, instance, case) for instance, case in np.argwhere(wanted).tolist()]


def _item(
    decisions: HeldOutDecisions, candidate: _Candidate, policy: str, changed: bool, stands_for: float
) -> Item:
    instances = decisions.gold.instances
    variant, words, instance, case = candidate
    row = decisions.table.slice(int(instances.sentence[instance]), 1)
    tokens = row["tokens"][0].as_py()
    new = words.of(instance)
    argument: Int64 = decisions.originals[0]
    relation = instances.position_category[rows_of(argument, instances)[instance, case]]
    return Item(
        item="",
        sent_id=row["sent_id"][0].as_py(),
        tokens=tokens,
        refilled=[new.get(place, token) for place, token in enumerate(tokens)],
        predicate=int(instances.predicate[instance]),
        case=CASE_NAMES[case],
        argument=int(argument[instance, case]),
        policy=policy,
        alpha=variant.alpha,
        relation=Relation(relation).name,
        changed=changed,
        stands_for=stands_for,
    )


def _named(items: list[Item]) -> list[Item]:
    """Name the items by the sheet that they make and their place on it."""
    sheet = text_digest(repr(items))[:6]
    return [
        Item(**vars(item) | {"item": f"{sheet}-{number:03}"}) for number, item in enumerate(items, start=1)
    ]
