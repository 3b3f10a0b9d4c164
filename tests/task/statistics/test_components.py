"""Variance components against hand-computed and known ones."""

import numpy as np
import pytest

from zarpipe.task.statistics.components import Components, components, f1_components


def test_components_by_hand():
    # Document means 0.2 and -0.2; what is left is +-0.1.
    influence = np.array([[0.3, 0.1], [-0.3, -0.1]])
    found = components(np.array([0.5, 0.9]), influence)
    rest = 2 * 4 * 0.1**2 / 1
    assert found.rest == pytest.approx(rest)
    assert found.document == pytest.approx(2 * 2 * 0.2**2 - rest / 2)
    assert found.seed == pytest.approx(0.08 - rest)
    assert (found.documents, found.seeds) == (2, 2)
    # One seed has everything in the document.
    found = components(np.array([0.5]), np.array([[0.1], [-0.1]]))
    assert (found.seed, found.document, found.rest) == (0, pytest.approx(2 * 0.02), 0)


@pytest.mark.parametrize("seeds", [1, 2, 5])
@pytest.mark.parametrize("documents", [0, 1, 5, 6])
def test_what_too_few_documents_move_is_not_estimated(documents, seeds):
    """Case 80: one document, or systems that are equal but for a few, have no variance of 0."""
    random = np.random.default_rng(documents)
    counts, other = np.ones((2, 30, seeds, 1, 3), np.int64)
    counts[:documents] = random.integers(2, 9, (documents, seeds, 1, 3))
    for one, against in ((counts[:documents], None), (counts[:documents], other[:documents])):
        (found,) = f1_components(one, against)
        assert (found is None) == (documents < 6)
    assert f1_components(other, other) == f1_components(np.zeros_like(other)) == [None]


def test_the_variance_of_other_sizes_is_the_formula():
    found = Components(seed=4.0, document=2.0, rest=6.0, documents=100, seeds=3)
    assert found.variance(100, 1) == pytest.approx(12)
    assert found.variance(200, 2) == pytest.approx(2 / 2 + 6 / 4 + 4 / 2)


def test_known_components_are_found_again():
    """Mean over 300 made tables: document effects of 0.02, seed effects of 0.1, rest of 0.03."""
    rng = np.random.default_rng(0)
    documents, seeds, parts = 50, 4, []
    for _ in range(300):
        effect = 0.02 * rng.standard_normal((documents, 1)) + 0.03 * rng.standard_normal((documents, seeds))
        f1 = 0.1 * rng.standard_normal(seeds) + effect.sum(axis=0)
        found = components(f1, effect - effect.mean(axis=0))
        parts.append([found.seed, found.document, found.rest])
    expected = [0.1**2, documents * 0.02**2, documents * 0.03**2]
    assert np.mean(parts, axis=0)[1:] == pytest.approx(expected[1:], rel=0.05)
    # Negative estimates count as none, which makes the mean somewhat larger.
    assert expected[0] < np.mean(parts, axis=0)[0] < 2.5 * expected[0]
