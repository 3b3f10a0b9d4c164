"""Intervals of shares: how many of the things that were counted are of a kind.

Things of a document hang together, so documents are what is drawn with replacement (cluster bootstrap).
"""

from __future__ import annotations

import numpy as np

from zarpipe.arrays import Int64
from zarpipe.task.statistics.comparison import confidence_interval, document_samples
from zarpipe.task.statistics.components import MIN_DOCUMENTS


def share_intervals(parts: Int64, wholes: Int64, samples: int, seed: int) -> list[tuple[float, float] | None]:
    """Return the 95 % confidence interval of each of r shares, all from the same samples.

    ``parts`` has the things of the kind in each of D documents, ``wholes`` all things: [D, r] int64.
    Intervals are fractions; None for a share of fewer than MIN_DOCUMENTS documents, or one that does not
    vary.
    """
    documents = len(parts)
    both = np.concatenate([parts, wholes], axis=1).astype(np.float32)
    sums = np.concatenate([times @ both for times in document_samples(documents, samples, seed)])
    drawn_parts, drawn_wholes = np.split(sums.astype(np.float64), 2, axis=1)
    intervals: list[tuple[float, float] | None] = []
    for place, countable in enumerate((wholes > 0).sum(axis=0).tolist()):
        some = drawn_wholes[:, place] > 0
        enough = countable >= MIN_DOCUMENTS
        shares = drawn_parts[some, place] / drawn_wholes[some, place]
        intervals.append(confidence_interval(shares) if enough else None)
    return intervals
