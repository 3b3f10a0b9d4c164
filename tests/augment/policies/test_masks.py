"""Masks by policies: nested, the target protected, and for POS sets the masks that they always were."""

import itertools

import numpy as np
import pytest
from augment.policies.sentences import WORDS, made_row, rows, tokens_of
from hypothesis import given, settings
from hypothesis import strategies as st

from zarpipe.augment.masking import draw_masks, draw_numbers, mask_instances
from zarpipe.augment.policies.product import policy_weights
from zarpipe.config.policies import canonical_policy
from zarpipe.task.tagsets import POS_SETS, resolve

POLICIES = st.sampled_from(
    [
        {"use": "distance", "scale": 2},
        {"use": "distance", "unit": "bunsetsu", "prefer": "far"},
        {"use": "predicates"},
        {"use": "arguments", "mask": "rate", "rate": 0.5},
        {"use": "dependency", "prefer": "far"},
        {"use": "dependency", "among": "heads"},
        {"use": "content"},
        {"use": ["function", "distance"]},
    ]
)


def masked(tokens, definition, alpha, draw="predicate"):
    weights = policy_weights(canonical_policy(definition), tokens)
    masks = draw_masks(tokens, weights, alpha, 1, draw)
    owners = np.repeat(np.arange(len(tokens.instances)), np.diff(masks.offsets))
    return set(zip(owners.tolist(), masks.tokens.tolist(), strict=True))


@settings(max_examples=40, deadline=None)
@given(rows(), POLICIES, st.sampled_from(["predicate", "sentence"]))
def test_masks_are_nested_in_alpha_and_spare_the_target(sentences, definition, draw):
    tokens = tokens_of(sentences)
    by_alpha = [masked(tokens, definition, alpha, draw) for alpha in (0.0, 0.2, 0.5, 0.8, 1.0)]
    assert by_alpha[0] == set()
    assert all(smaller <= larger for smaller, larger in itertools.pairwise(by_alpha))
    targets = set(enumerate(tokens.instances.predicate.tolist()))
    assert by_alpha[-1].isdisjoint(targets)


@settings(max_examples=40, deadline=None)
@given(rows(), POLICIES, st.floats(0, 1))
def test_a_policy_masks_a_part_of_what_all_masks_and_of_its_factors(sentences, definition, alpha):
    tokens = tokens_of(sentences)
    found = masked(tokens, definition, alpha)
    assert found <= masked(tokens, {"use": "pos", "pos_set": "all"}, alpha)
    both = {"use": ["content", "predicates"]}
    assert masked(tokens, both, alpha) == masked(tokens, {"use": "content"}, alpha) & masked(
        tokens, {"use": "predicates"}, alpha
    )


@settings(max_examples=20, deadline=None)
@given(rows())
def test_weights_are_from_0_to_1(sentences):
    tokens = tokens_of(sentences)
    for definition in ({"use": "distance", "prefer": "far"}, {"use": ["content", "distance"]}):
        weights = policy_weights(canonical_policy(definition), tokens)
        assert len(weights) == tokens.instances.offsets[-1]
        assert ((weights >= 0) & (weights <= 1)).all()


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
@pytest.mark.parametrize("pos_set", POS_SETS)
def test_the_policy_pos_has_the_masks_of_the_paper_s_masking(pos_set, alpha):
    tokens = tokens_of([made_row(f"d-{number}") for number in range(30)])
    chosen = resolve(pos_set, {}, "juman")
    masks = mask_instances(tokens.corpus, tokens.instances, chosen, alpha, 1)
    below = draw_numbers(tokens.corpus["sent_id"].to_pylist(), tokens.instances, 1, "predicate") < alpha
    in_set = np.array([chosen.contains(tag) for _, tag, *_ in WORDS] * len(tokens.instances))
    assert masks.tokens.tolist() == tokens.position[below & in_set & ~tokens.is_target].tolist()
    weights = policy_weights(canonical_policy({"use": "pos", "pos_set": pos_set}), tokens)
    by_policy = draw_masks(tokens, weights, alpha, 1)
    assert (masks.offsets == by_policy.offsets).all()
    assert (masks.tokens == by_policy.tokens).all()
