"""Predicates and bunsetsu in the tokens of sentences: labels, decisions, and what of them is right.

Each token is a predicate or none, and begins a bunsetsu or continues one. Both together are one of four
labels, twice the former plus the latter. A sentence's first token always begins a bunsetsu.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from zarpipe.arrays import Bool, Float32, Float64, Floats, Int8, Int64
from zarpipe.task.scores import score
from zarpipe.task.thresholds import Search, f1_of_counts, threshold_curve

LABELS = 4
"""Labels of a token: neither; begins a bunsetsu; is a predicate; both."""

PREDICATE = "predicate"
"""Name of the threshold."""

PARTS = ("predicates", "bunsetsu_boundaries", "bunsetsu")
"""What is counted: predicates; tokens that begin a bunsetsu within a sentence; whole bunsetsu."""


@dataclass(frozen=True)
class Segmentation:
    """What N tokens are."""

    is_predicate: Bool  # [N] bool
    predicate_probability: Float32  # [N] float32
    begins_bunsetsu: Bool  # [N] bool, whether the token is the first of a bunsetsu


def labels_of(is_predicate: Bool, begins_bunsetsu: Bool) -> Int8:
    """Return the label of each token: [N] int8."""
    return (2 * is_predicate.astype(np.int8) + begins_bunsetsu).astype(np.int8)


def decide(probabilities: Float32, offsets: Int64, threshold: float) -> Segmentation:
    """Decide by the probabilities of the four labels, [N, LABELS]; offsets are [n + 1], of sentences.

    A token is a predicate if its probability to be one reaches the threshold. It begins a bunsetsu if that is
    as probable as that it continues one.
    """
    predicate, begins = _marginals(probabilities)
    found = begins >= 1 / 2
    found[offsets[:-1][np.diff(offsets) > 0]] = True
    return Segmentation(predicate >= threshold, predicate.astype(np.float32), found)


def search_threshold(probabilities: Float32, labels: Int8, offsets: Int64) -> Search:
    """Search the threshold of predicates by their F1; among equal ones the lowest wins.

    Probabilities are [N, LABELS], right labels [N], offsets [n + 1], of sentences. Gives threshold and curve
    of `PREDICATE`; the F1 is the mean of that of predicates and that of the boundaries of bunsetsu.
    """
    gold = labels >= 2
    curve = threshold_curve(_marginals(probabilities)[0], gold, gold, THRESHOLDS)
    of_predicates = f1_of_counts(curve)
    best = int(np.argmax(of_predicates))
    threshold = float(THRESHOLDS[best])
    found = decide(probabilities, offsets, threshold)
    of_boundaries = float(count(found, labels, offsets)["bunsetsu_boundaries"]["f1"])
    f1 = (float(of_predicates[best]) + of_boundaries) / 2
    return Search({PREDICATE: threshold}, {PREDICATE: curve}, f1)


THRESHOLDS: Float64 = np.arange(5, 96) / 100.0
"""The thresholds that are tried, ascending."""


def count(found: Segmentation, labels: Int8, offsets: Int64) -> dict[str, dict[str, float | int]]:
    """Compare with the right labels [N]: for each of `PARTS` tp, fp, fn, precision, recall, f1.

    A bunsetsu is right if it begins and ends where it should. Offsets are [n + 1], of sentences.
    """
    is_predicate, begins = labels >= 2, labels % 2 == 1
    within = np.ones(len(labels), bool)
    within[offsets[:-1][np.diff(offsets) > 0]] = False
    pairs = (
        (_tokens(found.is_predicate), _tokens(is_predicate)),
        (_tokens(found.begins_bunsetsu & within), _tokens(begins & within)),
        (_spans(found.begins_bunsetsu), _spans(begins)),
    )
    return {name: _scored(*pair) for name, pair in zip(PARTS, pairs, strict=True)}


def _marginals(probabilities: Floats) -> tuple[Float64, Float64]:
    """Return how probable it is that tokens are predicates, and that they begin a bunsetsu: [N] float64."""
    wide = probabilities.astype(np.float64)
    return wide[:, 2] + wide[:, 3], wide[:, 1] + wide[:, 3]


def _tokens(flags: Bool) -> set[tuple[int, ...]]:
    return {(token,) for token in np.flatnonzero(flags).tolist()}


def _spans(begins: Bool) -> set[tuple[int, ...]]:
    """Return first token and end of each bunsetsu; sentences follow each other."""
    first = [*np.flatnonzero(begins).tolist(), len(begins)]
    return set(itertools.pairwise(first))


def _scored(found: set[tuple[int, ...]], gold: set[tuple[int, ...]]) -> dict[str, float | int]:
    return score(len(found & gold), len(found - gold), len(gold - found))
