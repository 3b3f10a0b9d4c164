"""Masks: the golden ones, nested, the target protected, and drawn by what they belong to."""

import itertools
import json

import numpy as np
import pytest
from augment.policies.sentences import WORDS, made_row, row, rows, tokens_of
from hypothesis import given, settings
from hypothesis import strategies as st

from zarpipe.augment.masking import draw_masks, in_set, numbers_of, select_masked
from zarpipe.augment.policies.product import policy_weights
from zarpipe.cli import main
from zarpipe.config.augmentation import MaskDraws
from zarpipe.config.policies import canonical_policy
from zarpipe.task.draws import uniform_numbers
from zarpipe.task.tagsets import POS_SETS, resolve

GOLDEN_NAMES = {name.replace("all_but_", "all-"): name for name in POS_SETS}
GOLDEN_NAMES["all-(verb+symbol)"] = GOLDEN_NAMES.pop("all-verb_symbol")
POLICIES = st.sampled_from(
    [
        {"use": "pos", "pos_set": "all_but_verb"},
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
ALL = {"use": "pos", "pos_set": "all"}


def weights_of(tokens, definition):
    return policy_weights(canonical_policy(definition), tokens)


def masked(sentences, definition=ALL, alpha=0.5, draw="predicate", draw_number=1):
    """The masked tokens of each (sentence, target)."""
    tokens = tokens_of(sentences)
    weights = weights_of(tokens, definition)
    assert len(weights) == tokens.instances.offsets[-1]
    assert ((weights >= 0) & (weights <= 1)).all()
    masks = draw_masks(tokens, weights, alpha, MaskDraws(draw=draw), draw_number)
    owners = zip(tokens.instances.sentence.tolist(), tokens.instances.predicate.tolist(), strict=True)
    parts = np.split(masks.tokens, masks.offsets[1:-1])
    return {
        (sentences[sentence]["sent_id"], target): set(part.tolist())
        for (sentence, target), part in zip(owners, parts, strict=True)
    }


def long_sentence(tags, targets):
    return row("s", [("x", tag, "*", 0) for tag in tags], [-1], {target: [] for target in targets})


def test_golden_masks(project):
    records = json.loads((project / "tests/golden/masking/masking.json").read_text(encoding="utf-8"))
    compared = 0
    for record in records:
        numbers = np.array(record["u"])
        is_target = np.arange(len(numbers)) == record["target_predicate"]
        for expected in record["expected"]:
            for name, tokens in expected["masked"].items():
                pos_set = resolve(GOLDEN_NAMES[name], {}, "juman")
                allowed = np.array([pos_set.contains(pos) for pos in record["pos"]])
                found = select_masked(numbers, expected["alpha"], allowed, is_target)
                assert np.flatnonzero(found).tolist() == tokens
                compared += 1
    assert compared == sum(len(e["masked"]) for r in records for e in r["expected"]) > 0


@settings(max_examples=60, deadline=None)
@given(rows(), POLICIES, st.sampled_from(["predicate", "sentence"]))
def test_masks_are_nested_in_alpha_and_spare_the_target(sentences, definition, draw):
    by_alpha = [masked(sentences, definition, alpha, draw) for alpha in (0.0, 0.2, 0.5, 0.8, 1.0)]
    assert not any(by_alpha[0].values())
    for smaller, larger in itertools.pairwise(by_alpha):
        assert all(smaller[key] <= larger[key] for key in smaller)
    assert all(target not in tokens for (_, target), tokens in by_alpha[-1].items())


@settings(max_examples=40, deadline=None)
@given(rows(), POLICIES, st.floats(0, 1))
def test_a_policy_masks_a_part_of_what_all_masks_and_of_its_factors(sentences, definition, alpha):
    found, of_all = masked(sentences, definition, alpha), masked(sentences, ALL, alpha)
    assert all(found[key] <= of_all[key] for key in found)
    content, predicates = (masked(sentences, {"use": use}, alpha) for use in ("content", "predicates"))
    both = masked(sentences, {"use": ["content", "predicates"]}, alpha)
    assert both == {key: content[key] & predicates[key] for key in both}


@settings(max_examples=30, deadline=None)
@given(rows(), st.randoms(use_true_random=False))
def test_masks_depend_neither_on_the_order_of_sentences_nor_on_the_others(sentences, random):
    whole = masked(sentences)
    shuffled = sentences.copy()
    random.shuffle(shuffled)
    assert masked(shuffled) == whole
    for sentence in sentences:
        assert masked([sentence]).items() <= whole.items()


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("pos_set", POS_SETS)
def test_a_pos_set_masks_its_tokens_below_alpha(pos_set, alpha):
    tokens = tokens_of([made_row(f"d-{number}") for number in range(30)])
    chosen = resolve(pos_set, {}, "juman")
    below = numbers_of(tokens, MaskDraws()) < alpha
    contained = np.array([chosen.contains(tag) for _, tag, *_ in WORDS] * len(tokens.instances))
    for weights in (in_set(tokens, chosen), weights_of(tokens, {"use": "pos", "pos_set": pos_set})):
        masks = draw_masks(tokens, weights, alpha, MaskDraws())
        assert masks.tokens.tolist() == tokens.position[below & contained & ~tokens.is_target].tolist()


def test_draw_per_sentence_shares_masks_between_predicates():
    sentence = long_sentence(["名詞"] * 60, [3, 40])
    shared, own = (masked([sentence], draw=draw) for draw in ("sentence", "predicate"))
    assert shared["s", 3] - {40} == shared["s", 40] - {3}
    assert own["s", 3] - {40} != own["s", 40] - {3}


def test_draws_are_independent_and_the_first_is_what_it_always_was():
    sentence = long_sentence(["名詞"] * 4000, [3])
    draws = [masked([sentence], draw_number=number)["s", 3] for number in (1, 2, 3)]
    assert draws[0] == set(np.flatnonzero(uniform_numbers(1, "s", 3, 4000) < 0.5)) - {3}
    found = np.array([np.isin(np.arange(4000), list(draw)) for draw in draws])
    assert (np.abs(np.corrcoef(found)[np.triu_indices(3, 1)]) < 0.06).all()
    assert not found[:, 3].any()


def test_numbers_are_uniform_and_differ_by_seed_sentence_and_predicate():
    numbers = uniform_numbers(1, "s", 0, 20000)
    assert ((numbers >= 0) & (numbers < 1)).all()
    assert numbers.mean() == pytest.approx(0.5, abs=0.01)
    assert np.histogram(numbers, 10, (0, 1))[0].min() > 1800
    for other in ((2, "s", 0), (1, "t", 0), (1, "s", 1)):
        assert abs(np.corrcoef(numbers, uniform_numbers(*other, 20000))[0, 1]) < 0.03
    assert (uniform_numbers(1, "s", 4, 50)[:10] == uniform_numbers(1, "s", 4, 10)).all()


def test_draws_stay_what_they_were():
    # Recorded once: a change would silently turn every published variant into another one.
    recorded = [0.08671954461081621, 0.9934479388178997, 0.531270867331447]
    assert uniform_numbers(1, "950101008-001", 7, 3) == pytest.approx(recorded, abs=1e-15)


@pytest.mark.parametrize("option", [["--mlm", "x"], ["--fill", "single"], ["--pick", "sample"]])
def test_options_of_cda_are_not_lost_in_silence(tmp_path, capsys, option):
    wanted = ["--method", "masking", "--pos-set", "all", "--alpha", "0.5", "--output", str(tmp_path / "v")]
    assert main(["augment", "corpus.parquet", *wanted, *option]) == 1
    assert f"{option[0]} belongs to --method cda" in capsys.readouterr().err
