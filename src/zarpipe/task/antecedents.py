"""What other words do to the arguments that a tagger decides: the change of antecedents (paper, Section 6).

A refilled sentence has the tokens of its original, some of them replaced by what a masked language model put
in the place of a mask. Tokens keep their positions, so an argument is compared by position: the paper counts
“that” as the same antecedent as the “scratches” in whose place it stands. Two positions are the same
argument if both are gold mentions of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zarpipe.arrays import Bool, Int64
from zarpipe.task.instances import Instances


@dataclass(frozen=True)
class Changes:
    """What became of the decisions on n original sentences in their refilled copies, for each of C cases."""

    decided: Bool  # [n, C] bool, an argument was decided in the original
    right: Bool  # [n, C] bool, it is a gold mention of that case
    moved: Bool  # [n, C] bool, it was decided, and in the copy another token is the argument
    lost: Bool  # [n, C] bool, it was decided, and in the copy no token is the argument
    gained: Bool  # [n, C] bool, none was decided in the original, and one in the copy

    @property
    def changed(self) -> Bool:
        """[n, C] bool, the argument of the original is that of the copy no more: moved or lost."""
        return self.moved | self.lost

    @property
    def stays(self) -> Bool:
        """[n] bool, no decision about the instance is another one: nothing moved, lost or gained."""
        return np.asarray(~(self.changed | self.gained).any(axis=1))


def compare_decisions(original: Int64, refilled: Int64, instances: Instances) -> Changes:
    """Compare decisions about original sentences and their refilled copies.

    Both are [n, C] int64, the token of each case's argument, -1 for none; ``instances`` are the originals'.
    """
    decided, still = original >= 0, refilled >= 0
    cases = np.arange(original.shape[1])
    right = decided & instances.gold[rows_of(original, instances), cases]
    same_mention = right & still & instances.gold[rows_of(refilled, instances), cases]
    return Changes(
        decided=decided,
        right=right,
        moved=decided & still & (original != refilled) & ~same_mention,
        lost=decided & ~still,
        gained=~decided & still,
    )


def rows_of(tokens: Int64, instances: Instances) -> Int64:
    """Return where arguments stand in the flat arrays of the instances: [n, C] tokens -> [n, C].

    An argument that is none (-1) is given the first token of its sentence.
    """
    return np.asarray(instances.offsets[:-1, None] + np.maximum(tokens, 0))


def distances(tokens: Int64, bunsetsu: Int64, instances: Instances) -> Int64:
    """Return how many bunsetsu arguments stand from their predicates: [n, C], from 0.

    ``tokens`` are [n, C] int64, -1 for none, whose distance means nothing; ``bunsetsu`` has the number of
    each token of the instances: [N].
    """
    of_predicate = bunsetsu[instances.offsets[:-1] + instances.predicate]
    return np.asarray(np.abs(bunsetsu[rows_of(tokens, instances)] - of_predicate[:, None]))
