"""The weights of every built-in policy, worked out by hand for one sentence with two target predicates."""

import math

import numpy as np
import pytest
from augment.policies.sentences import made_row, row, rows, tokens_of
from hypothesis import given, settings

from zarpipe.augment.policies.product import policy_weights
from zarpipe.config.policies import POLICIES, canonical_policy
from zarpipe.errors import ZarpipeError


def weights(definition, rows=None, pos_sets=None):
    tokens = tokens_of(rows or [made_row()], pos_sets)
    found = policy_weights(canonical_policy(definition), tokens)
    return np.split(found, tokens.instances.offsets[1:-1])


def near(*distances, scale=2.0):
    return [math.exp(-distance / scale) for distance in distances]


# For the target 買った (token 3, bunsetsu 2), then for 読み (token 7, bunsetsu 5).
NOUN = [1, 0, 1, 0, 1, 0, 0, 0, 1, 0]
WEIGHTS = [
    ({"use": "pos", "tags": ["副詞"]}, [0, 0, 0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1, 0, 0, 0]),
    ({"use": "pos", "pos_set": "noun"}, NOUN, NOUN),
    ({"use": "pos", "tags": ["名詞-固有名詞"]}, [1] + [0] * 9, [1] + [0] * 9),
    ({"use": "pos", "pos_set": "own"}, [0] * 9 + [1], [0] * 9 + [1]),
    ({"use": "distance", "scale": 2}, near(3, 2, 1, 0, 1, 2, 3, 4, 5, 6), near(7, 6, 5, 4, 3, 2, 1, 0, 1, 2)),
    (
        {"use": "distance", "unit": "bunsetsu", "scale": 2},
        near(2, 2, 1, 0, 1, 1, 2, 3, 3, 3),
        near(5, 5, 4, 3, 2, 2, 1, 0, 0, 0),
    ),
    (
        {"use": "distance", "unit": "bunsetsu", "scale": 2, "prefer": "far"},
        [1 - weight for weight in near(2, 2, 1, 0, 1, 1, 2, 3, 3, 3)],
        [1 - weight for weight in near(5, 5, 4, 3, 2, 2, 1, 0, 0, 0)],
    ),
    (
        {"use": "dependency", "scale": 2},
        near(3, 3, 1, 0, 1, 1, 3, 2, 2, 2),
        near(1, 1, 3, 2, 1, 1, 1, 0, 0, 0),
    ),
    (
        {"use": "dependency", "scale": 2, "prefer": "far"},
        [1 - weight for weight in near(3, 3, 1, 0, 1, 1, 3, 2, 2, 2)],
        [1 - weight for weight in near(1, 1, 3, 2, 1, 1, 1, 0, 0, 0)],
    ),
    (
        {"use": "dependency", "among": "dependents"},
        [0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 1, 1, 1, 0, 0, 0],
    ),
    ({"use": "dependency", "among": "heads"}, [0, 0, 0, 0, 1, 1, 0, 1, 1, 1], [0] * 10),
    ({"use": "dependency", "among": "siblings"}, [0] * 10, [0] * 10),
    ({"use": "predicates"}, [1, 1, 1, 1, 1, 1, 1, 0, 1, 1], [1, 1, 1, 0, 1, 1, 1, 1, 1, 1]),
    ({"use": "predicates", "mask": "only"}, [0, 0, 0, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    ({"use": "arguments"}, [1, 1, 1, 1, 0, 1, 1, 1, 1, 1], [0, 1, 1, 1, 0, 1, 1, 1, 1, 1]),
    ({"use": "arguments", "mask": "only"}, [0, 0, 0, 0, 1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0, 0, 0]),
    (
        {"use": "arguments", "mask": "rate", "rate": 0.25},
        [1, 1, 1, 1, 0.25, 1, 1, 1, 1, 1],
        [0.25, 1, 1, 1, 0.25, 1, 1, 1, 1, 1],
    ),
    ({"use": "content"}, [1, 0, 1, 1, 1, 0, 1, 1, 0, 0], [1, 0, 1, 1, 1, 0, 1, 1, 0, 0]),
    ({"use": "function"}, [0, 1, 0, 0, 0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1, 0, 0, 1, 0]),
    (
        {"use": ["content", "distance"], "distance": {"scale": 1}},
        np.multiply([1, 0, 1, 1, 1, 0, 1, 1, 0, 0], near(3, 2, 1, 0, 1, 2, 3, 4, 5, 6, scale=1)),
        np.multiply([1, 0, 1, 1, 1, 0, 1, 1, 0, 0], near(7, 6, 5, 4, 3, 2, 1, 0, 1, 2, scale=1)),
    ),
]


@pytest.mark.parametrize(("definition", "first", "second"), WEIGHTS, ids=[str(one[0]) for one in WEIGHTS])
def test_weights_are_those_of_the_definition(definition, first, second):
    found = weights(definition, pos_sets={"own": ["特殊"]})
    assert [part.tolist() for part in found] == [pytest.approx(list(first)), pytest.approx(list(second))]


def test_every_built_in_policy_is_worked_out():
    used = {name for definition, *_ in WEIGHTS for name in np.atleast_1d(definition["use"]).tolist()}
    # The weights of surprisal need a model: test_surprisal.py.
    assert used | {"surprisal"} == set(POLICIES)


def nouns(heads, target):
    """A sentence of one noun a bunsetsu."""
    return row("s", [(str(one), "名詞", "*", one) for one in range(len(heads))], heads, {target: []})


@pytest.mark.parametrize(
    ("sentence", "options", "expected"),
    [
        (nouns([3, 3, 1, -1], 1), {"among": "siblings"}, [1, 0, 0, 0]),
        (nouns([-1, -1, 1], 0), {"among": "siblings"}, [0, 0, 0]),  # roots are no siblings
        # Below different roots they are infinitely far.
        (nouns([1, -1, 3, -1], 0), {"scale": 2}, [*near(0, 1), 0, 0]),
        (nouns([1, -1, 3, -1], 0), {"scale": 2, "prefer": "far"}, [0, 1 - near(1)[0], 1, 1]),
    ],
)
def test_weights_in_other_trees(sentence, options, expected):
    assert weights({"use": "dependency", **options}, [sentence])[0].tolist() == pytest.approx(expected)


def test_a_later_sentence_has_its_own_tree():
    found = weights({"use": "dependency", "scale": 2}, [made_row(), nouns([1, 2, -1], 2), made_row("d-2")])
    assert found[2].tolist() == pytest.approx(near(2, 1, 0))
    assert found[3].tolist() == found[0].tolist()


def test_a_corpus_without_dependencies_is_refused():
    with pytest.raises(
        ZarpipeError, match=r"train\.parquet: no bunsetsu has a head .* policy dependency needs"
    ):
        weights({"use": "dependency"}, [nouns([-1, -1, -1], 2)])


def arcs(heads, one, other):
    """Arcs between two bunsetsu, by the paths to their roots."""
    paths = []
    for bunsetsu in (one, other):
        path = [bunsetsu]
        while heads[path[-1]] >= 0:
            path.append(heads[path[-1]])
        paths.append(path)
    common = [bunsetsu for bunsetsu in paths[0] if bunsetsu in paths[1]]
    return paths[0].index(common[0]) + paths[1].index(common[0]) if common else math.inf


@settings(max_examples=60, deadline=None)
@given(rows())
def test_the_distance_in_a_tree_is_that_of_the_paths_to_the_root(sentences):
    found = np.concatenate(weights({"use": "dependency", "scale": 2}, sentences)).tolist()
    expected = [
        math.exp(-arcs(one["heads"], bunsetsu, one["bunsetsu"][predicate["token"]]) / 2)
        for one in sentences
        for predicate in one["predicates"]
        for bunsetsu in one["bunsetsu"]
    ]
    assert found == pytest.approx(expected)
