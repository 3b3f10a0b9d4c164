"""Why it was decided so: among which words each case of a predicate was decided, and the taggers' votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from zarpipe.arrays import Float32, float32_digits
from zarpipe.serve.bundle.instances import AnalysedInstances
from zarpipe.serve.bundle.manifest import Manifest
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.documents import Candidate, Considered
from zarpipe.task.thresholds import candidates

# The most probable words that are told.
_TOLD = 3
_NONE = -1


def considered_candidates(
    mean: Float32, of_taggers: Float32, instances: AnalysedInstances, manifest: Manifest
) -> Iterator[list[Considered]]:
    """Yield for each instance what its cases were decided among.

    ``mean``: [N, labels], what decides; ``of_taggers``: [taggers, N, labels], each tagger's probabilities. A
    tagger votes for what it decides by its own thresholds.
    """
    votes = [
        candidates(own, instances.offsets).decide(told.thresholds, manifest.must_exceed)
        for own, told in zip(of_taggers, manifest.taggers, strict=True)
    ]
    for number, (first, end) in enumerate(pairwise(instances.offsets.tolist())):
        start = int(instances.start[number])
        found = []
        for column, case in enumerate(CASE_NAMES):
            probability = list(map(float32_digits, mean[first:end, column].tolist()))
            counts = Counter(int(vote[number, column]) for vote in votes)
            none = counts.pop(_NONE, 0)
            best = np.argsort(-mean[first:end, column], kind="stable").tolist()
            told = [token for rank, token in enumerate(best) if rank < _TOLD or token in counts]
            those = [Candidate(start + token, probability[token], counts[token]) for token in told]
            found.append(Considered(case, manifest.thresholds[case], those, none))
        yield found
