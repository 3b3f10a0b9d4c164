"""Policy ``dependency``: by where a token's bunsetsu stands in the tree, seen from the target predicate's.

======================  ==============================================================================
``among``               weight
======================  ==============================================================================
``tree``                exp(-d / scale), or 1 - exp(-d / scale): d = arcs between the two bunsetsu
``dependents``          1 for bunsetsu that depend directly on the predicate's, else 0
``heads``               1 for the predicate's head, its head, and so on up to the root, else 0
``siblings``            1 for other bunsetsu with the head of the predicate's, else 0
======================  ==============================================================================

The predicate's own bunsetsu has d = 0, and 0 in the last three. Two bunsetsu below different roots are
infinitely far from each other.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from zarpipe.arrays import Bool, Float64, Int64, expand
from zarpipe.augment.policies.nearness import NearnessOptions, nearness
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import flat_numbers


class Options(NearnessOptions):
    """Which bunsetsu; how weights depend on their distance means something to `tree` alone."""

    among: Literal["tree", "dependents", "heads", "siblings"] = "tree"
    """Whether all bunsetsu are weighed by their distance, or only some bunsetsu are masked."""


def weights(tokens: InstanceTokens, options: Options) -> Float64:
    """Return [N] float64. Raises ZarpipeError when the corpus has no dependencies."""
    # A pair for each bunsetsu of each instance: it and the target predicate's, as numbered in the corpus.
    first, heads = flat_numbers(tokens.corpus["heads"])
    parents = _parents(first, heads)
    if len(heads) > len(first) - 1 and not (heads >= 0).any():
        raise ZarpipeError(
            f"{tokens.path}: no bunsetsu has a head (column 'heads' is -1 everywhere); the policy dependency "
            "needs a corpus with dependencies"
        )
    sentence = tokens.instances.sentence
    counts = np.diff(first)[sentence]
    bunsetsu = expand(first[sentence], counts)
    predicates = np.repeat(first[sentence] + tokens.target_bunsetsu, counts)
    if options.among == "tree":
        of_pairs = nearness(tree_distance(parents, bunsetsu, predicates), options)
    else:
        of_pairs = _related(parents, bunsetsu, predicates, options.among).astype(np.float64)
    starts = np.cumsum(counts) - counts
    return of_pairs[starts[tokens.instance] + tokens.bunsetsu]


def tree_distance(parents: Int64, ones: Int64, others: Int64) -> Float64:
    """Return the arcs between the bunsetsu of each pair; infinite for those below different roots.

    ``parents``: the head of each bunsetsu of the corpus, -1 for roots; [P] pairs of the same sentences.
    """
    depths = _depths(parents)
    ones, others = ones.copy(), others.copy()
    distance = np.zeros(len(ones))
    apart = np.flatnonzero(ones != others)
    while len(apart):
        # The deeper one goes up; both, when they are equally deep.
        one, other = ones[apart], others[apart]
        difference = depths[one] - depths[other]
        ones[apart] = np.where(difference >= 0, parents[one], one)
        others[apart] = np.where(difference <= 0, parents[other], other)
        distance[apart] += np.where(difference == 0, 2, 1)
        distance[apart[ones[apart] < 0]] = np.inf
        apart = apart[ones[apart] != others[apart]]
    return distance


def _parents(first: Int64, heads: Int64) -> Int64:
    """Number heads in the corpus, not in the sentence."""
    starts = np.repeat(first[:-1], np.diff(first))
    return np.where(heads >= 0, starts + heads, -1)


def _depths(parents: Int64) -> Int64:
    """Return how many arcs each bunsetsu is below its root (corpora with circles are refused on reading)."""
    depths = np.zeros(len(parents), np.int64)
    above = parents
    while (above >= 0).any():
        depths += above >= 0
        above = _up(parents, above)
    return depths


def _related(
    parents: Int64, bunsetsu: Int64, predicates: Int64, among: Literal["dependents", "heads", "siblings"]
) -> Bool:
    """Tell for each pair whether the bunsetsu is one of the predicate's dependents, heads or siblings."""
    if among == "dependents":
        found: Bool = parents[bunsetsu] == predicates
        return found
    head = parents[predicates]
    if among == "siblings":
        siblings: Bool = (parents[bunsetsu] == head) & (head >= 0) & (bunsetsu != predicates)
        return siblings
    found = np.zeros(len(bunsetsu), bool)
    while (head >= 0).any():
        found |= bunsetsu == head
        head = _up(parents, head)
    return found


def _up(parents: Int64, bunsetsu: Int64) -> Int64:
    """Return the heads of some bunsetsu; -1 stays -1."""
    return np.where(bunsetsu >= 0, parents[bunsetsu], -1)
