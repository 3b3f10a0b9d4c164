import itertools
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarpipe.augment.masking import draw_masks, mask_instances, select_masked
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.cli import main
from zarpipe.formats.corpus import CORPUS_SCHEMA, instances_of
from zarpipe.task.draws import uniform_numbers
from zarpipe.task.tagsets import POS_SETS, PosSet, resolve

_GOLDEN_NAMES = {
    "all": "all",
    "noun": "noun",
    "verb": "verb",
    "particle": "particle",
    "symbol": "symbol",
    "all-noun": "all_but_noun",
    "all-verb": "all_but_verb",
    "all-particle": "all_but_particle",
    "all-symbol": "all_but_symbol",
    "all-(verb+symbol)": "all_but_verb_symbol",
}


def test_golden_masks(project):
    records = json.loads((project / "tests/golden/masking/masking.json").read_text(encoding="utf-8"))
    compared = 0
    for record in records:
        numbers = np.array(record["u"])
        is_target = np.arange(len(numbers)) == record["target_predicate"]
        for expected in record["expected"]:
            for name, tokens in expected["masked"].items():
                pos_set = resolve(_GOLDEN_NAMES[name], {}, "juman")
                allowed = np.array([pos_set.contains(pos) for pos in record["pos"]])
                masked = select_masked(numbers, expected["alpha"], allowed, is_target)
                assert np.flatnonzero(masked).tolist() == tokens
                compared += 1
    assert compared == sum(len(e["masked"]) for r in records for e in r["expected"]) > 0


def corpus(sentences):
    """A corpus table of sentences given as (sent_id, list of POS, list of predicate tokens)."""
    rows = [
        {
            "doc_id": "d",
            "sent_id": sent_id,
            "tokens": ["x"] * len(pos),
            "lemmas": ["x"] * len(pos),
            "pos": pos,
            "pos_sub": ["*"] * len(pos),
            "bunsetsu": list(range(len(pos))),
            "heads": [-1] * len(pos),
            "predicates": [{"token": token, "alt": None, "arguments": []} for token in predicates],
        }
        for sent_id, pos, predicates in sentences
    ]
    return pa.Table.from_pylist(rows, schema=CORPUS_SCHEMA)


def masks_by_instance(sentences, pos_set, alpha, seed=1, draw="predicate"):
    table = corpus(sentences)
    instances = instances_of(table)
    chosen = pos_set if isinstance(pos_set, PosSet) else resolve(pos_set, {}, "juman")
    masks = mask_instances(table, instances, chosen, alpha, seed, draw)
    sent_ids = table["sent_id"].to_pylist()
    return {
        (sent_ids[instances.sentence[i]], int(instances.predicate[i])): set(
            masks.tokens[masks.offsets[i] : masks.offsets[i + 1]].tolist()
        )
        for i in range(len(instances))
    }


POS = st.sampled_from(["名詞", "接尾辞", "動詞", "助詞", "特殊", "副詞", "形容詞"])


@st.composite
def sentences(draw):
    lengths = draw(st.lists(st.integers(1, 12), min_size=1, max_size=5))
    result = []
    for index, length in enumerate(lengths):
        pos = draw(st.lists(POS, min_size=length, max_size=length))
        predicates = sorted(draw(st.sets(st.integers(0, length - 1), max_size=3)))
        result.append((f"s{index}", pos, predicates))
    return result


@settings(max_examples=50, deadline=None)
@given(sentences(), st.sampled_from(POS_SETS))
def test_masks_are_nested_in_alpha_and_spare_the_target(sentences, pos_set):
    alphas = [0.0, 0.1, 0.3, 0.5, 0.9, 1.0]
    by_alpha = [masks_by_instance(sentences, pos_set, alpha) for alpha in alphas]
    for smaller, larger in itertools.pairwise(by_alpha):
        assert all(smaller[key] <= larger[key] for key in smaller)
    assert not any(by_alpha[0].values())
    pos_of = {sent_id: pos for sent_id, pos, _ in sentences}
    for (sent_id, target), masked in by_alpha[-1].items():
        chosen = resolve(pos_set, {}, "juman")
        everything = {i for i, pos in enumerate(pos_of[sent_id]) if chosen.contains(pos)}
        assert masked == everything - {target}


@settings(max_examples=30, deadline=None)
@given(sentences(), st.randoms(use_true_random=False))
def test_masks_do_not_depend_on_the_order_of_sentences(sentences, random):
    shuffled = sentences.copy()
    random.shuffle(shuffled)
    assert masks_by_instance(sentences, "all", 0.5) == masks_by_instance(shuffled, "all", 0.5)


@settings(max_examples=30, deadline=None)
@given(sentences())
def test_a_part_of_the_corpus_gets_the_masks_of_the_whole(sentences):
    whole = masks_by_instance(sentences, "all", 0.5)
    for sentence in sentences:
        part = masks_by_instance([sentence], "all", 0.5)
        assert part == {key: masked for key, masked in whole.items() if key[0] == sentence[0]}


def test_pos_sets_use_the_same_draws():
    sentence = ("s", ["名詞", "助詞", "動詞", "特殊", "名詞", "助詞", "接尾辞"] * 20, [2])
    everything = masks_by_instance([sentence], "all", 0.5)[("s", 2)]
    parts = [
        masks_by_instance([sentence], name, 0.5)[("s", 2)] for name in ("noun", "verb", "particle", "symbol")
    ]
    assert set().union(*parts) == everything
    assert sum(map(len, parts)) == len(everything)


def test_draw_per_sentence_shares_masks_between_predicates():
    sentence = ("s", ["名詞"] * 60, [3, 40])
    shared = masks_by_instance([sentence], "all", 0.5, draw="sentence")
    assert shared[("s", 3)] - {40} == shared[("s", 40)] - {3}
    own = masks_by_instance([sentence], "all", 0.5)
    assert own[("s", 3)] - {40} != own[("s", 40)] - {3}


def test_numbers_are_uniform_and_differ_by_seed_sentence_and_predicate():
    numbers = uniform_numbers(1, "s", 0, 20000)
    assert ((numbers >= 0) & (numbers < 1)).all()
    assert numbers.mean() == pytest.approx(0.5, abs=0.01)
    assert np.histogram(numbers, 10, (0, 1))[0].min() > 1800
    others = [
        uniform_numbers(2, "s", 0, 20000),
        uniform_numbers(1, "t", 0, 20000),
        uniform_numbers(1, "s", 1, 20000),
    ]
    for other in others:
        assert abs(np.corrcoef(numbers, other)[0, 1]) < 0.03


def test_the_number_of_a_token_does_not_depend_on_the_length():
    assert (uniform_numbers(1, "s", 4, 50)[:10] == uniform_numbers(1, "s", 4, 10)).all()


def test_draws_stay_what_they_were():
    # Recorded once: a change would silently turn every published variant into another one.
    assert uniform_numbers(1, "950101008-001", 7, 3) == pytest.approx(RECORDED, abs=1e-15)


RECORDED = [0.08671954461081621, 0.9934479388178997, 0.531270867331447]


@pytest.mark.parametrize("option", [["--mlm", "x"], ["--fill", "single"], ["--pick", "sample"]])
def test_options_of_cda_are_not_lost_in_silence(tmp_path, capsys, option):
    wanted = ["--method", "masking", "--pos-set", "all", "--alpha", "0.5", "--output", str(tmp_path / "v")]
    assert main(["augment", "corpus.parquet", *wanted, *option]) == 1
    assert f"{option[0]} belongs to --method cda" in capsys.readouterr().err


def test_draws_are_independent_and_the_first_is_what_it_always_was():
    sentence = ("s", ["名詞"] * 4000, [3])
    table = corpus([sentence])
    tokens = InstanceTokens(table, instances_of(table), "corpus", {})
    weights = np.ones(4000)
    draws = [draw_masks(tokens, weights, 0.5, 1, draw_number=number) for number in (1, 2, 3)]
    assert set(draws[0].tokens.tolist()) == masks_by_instance([sentence], "all", 0.5)[("s", 3)]
    masked = np.array([np.isin(np.arange(4000), draw.tokens) for draw in draws])
    correlations = np.corrcoef(masked)[np.triu_indices(3, 1)]
    assert (np.abs(correlations) < 0.06).all()
    assert not masked[:, 3].any()
