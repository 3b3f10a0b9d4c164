"""F1 of counts, and what each document adds to it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from zarpipe.arrays import Float64, Int64


def micro_f1(counts: npt.NDArray[np.number]) -> Float64:
    """Return F1 of [..., 3] counts (right, wrong, missed); 0 when there is nothing to divide."""
    right, wrong, missed = np.moveaxis(counts.astype(np.float64), -1, 0)
    total = 2 * right + wrong + missed
    return np.asarray(np.where(total > 0, 2 * right / np.where(total > 0, total, 1), 0.0))


def angles(f1: Float64) -> Float64:
    """Return F1 as angles from 0 to pi / 2, on which its spread depends little on its height (arcsine)."""
    return np.asarray(np.arcsin(np.sqrt(np.clip(f1, 0, 1))))


def f1_of_angles(angle: Float64) -> Float64:
    """Return the F1 of angles; what lies outside of them is 0 or 1."""
    return np.asarray(np.sin(np.clip(angle, 0, np.pi / 2)) ** 2)


def influences(counts: Int64) -> Float64:
    """Return how far each document draws F1 away from its value: [D, K, c, 3] counts -> [D, K, c].

    F1 = 2 right / (2 right + wrong + missed) is a ratio of sums over documents. Its linear part is (2 right
    of the document - F1 * total of the document) / total of all documents (the infinitesimal jackknife;
    Davison and Hinkley 1997, section 2.7). The influences of a model sum to zero over documents.
    """
    right, wrong, missed = np.moveaxis(counts.astype(np.float64), -1, 0)
    of_document = 2 * right + wrong + missed
    total = of_document.sum(axis=0)
    f1 = micro_f1(counts.sum(axis=0))
    return np.asarray((2 * right - f1 * of_document) / np.where(total > 0, total, 1))
