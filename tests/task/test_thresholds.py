"""The threshold search against the golden cases."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.scores import count_decisions, scores
from zarpipe.task.thresholds import candidates, gold_of_labels, search_thresholds, threshold_grid

GOLDEN = Path(__file__).parents[1] / "golden" / "evaluation"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.json"))


def load(name):
    arrays = dict(np.load(GOLDEN / f"{name}.npz"))
    offsets = np.concatenate([[0], np.cumsum(arrays["lengths"], dtype=np.int64)])
    expected = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return arrays, offsets, gold_of_labels(arrays["labels"]), expected


def averaged(arrays):
    return arrays["probs"].mean(axis=0) if arrays["probs"].ndim == 3 else arrays["probs"]


def check_search(search, expected):
    assert search.thresholds == expected["best_thresholds"]
    for column, case in enumerate(CASE_NAMES):
        grid = threshold_grid(case)
        counts = search.curves[case][np.flatnonzero(grid == search.thresholds[case])[0]]
        wanted = expected["per_case"][case]
        assert counts.tolist() == [wanted["pp"], wanted["np"], wanted["pn"]], (case, column)
    assert search.f1 == pytest.approx(expected["micro"]["F1"], abs=1e-12)


def check_split(decided, arrays, offsets, gold, expected):
    result = scores(count_decisions(decided, gold, arrays["position_category"], offsets))
    for category in ("DEP", "ZAR", "ALL"):
        for case in (*CASE_NAMES, "ALL"):
            found, wanted = result[category][case], expected[category][case]
            assert [found[key] for key in ("tp", "fp", "fn")] == [wanted[key] for key in ("tp", "fp", "fn")]
            assert found["precision"] == pytest.approx(wanted["P"], abs=1e-12)
            assert found["recall"] == pytest.approx(wanted["R"], abs=1e-12)
            assert found["f1"] == pytest.approx(wanted["F1"], abs=1e-12)
    for case in CASE_NAMES:
        in_categories = result["DEP"][case]["fp"] + result["ZAR"][case]["fp"]
        assert result["ALL"][case]["fp"] - in_categories == expected["own_bunsetsu_false_positives"][case]


@pytest.mark.parametrize("name", NAMES)
def test_search_equals_golden(name):
    arrays, offsets, gold, expected = load(name)
    found = candidates(averaged(arrays), offsets)
    search = search_thresholds(found, gold, offsets)
    check_search(search, expected)
    for case in CASE_NAMES:
        rows = zip(threshold_grid(case).tolist(), search.curves[case].tolist(), strict=True)
        assert [[threshold, *counts] for threshold, counts in rows] == expected["curves"][case]


@pytest.mark.parametrize("name", NAMES)
def test_decisions_and_split_equal_golden(name):
    arrays, offsets, gold, expected = load(name)
    found = candidates(averaged(arrays), offsets)
    decided = found.decide(expected["best_thresholds"])
    wanted = [[-1 if token is None else token for token in row] for row in expected["predictions"]]
    assert decided.tolist() == wanted
    check_split(decided, arrays, offsets, gold, expected["split"])
    fixed = expected["fixed_thresholds"]
    check_split(found.decide(fixed["thresholds"]), arrays, offsets, gold, fixed["split"])


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("ensemble")])
def test_single_models_of_ensembles_equal_golden(name):
    arrays, offsets, gold, expected = load(name)
    for probabilities, single in zip(arrays["probs"], expected["single_models"], strict=True):
        check_search(search_thresholds(candidates(probabilities, offsets), gold, offsets), single)


def test_exceeding_and_reaching_differ_at_the_last_bit():
    arrays, offsets, gold, expected = load("edge")
    found = candidates(arrays["probs"], offsets)
    strict = expected["variants"]["prob_float64_strict"]
    check_search(search_thresholds(found, gold, offsets, exceed=True), strict)
    check_split(found.decide(strict["best_thresholds"], exceed=True), arrays, offsets, gold, strict["split"])
    assert strict["best_thresholds"] != expected["best_thresholds"]


def test_no_instances():
    found = candidates(np.zeros((0, 4), np.float32), np.zeros(1, np.int64))
    search = search_thresholds(found, np.zeros((0, 3), bool), np.zeros(1, np.int64))
    assert search.thresholds == {"NOM": 0.1, "ACC": 0.2, "DAT": 0.0}
    assert search.f1 == 0.0


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_search_equals_trying_every_threshold(data):
    """The vectorised search against the definition, one threshold and one instance at a time."""
    lengths = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    total = int(offsets[-1])
    hundredths = data.draw(st.lists(st.integers(0, 100), min_size=4 * total, max_size=4 * total))
    probabilities = (np.array(hundredths) / 100.0).astype(np.float32).reshape(total, 4)
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=total, max_size=total)), np.int8)
    search = search_thresholds(candidates(probabilities, offsets), gold_of_labels(labels), offsets)
    for column, case in enumerate(CASE_NAMES):
        of_case = probabilities[:, column], labels == column, offsets
        curve = [_count_one_by_one(*of_case, threshold) for threshold in threshold_grid(case)]
        assert search.curves[case].tolist() == curve


def _count_one_by_one(probability, gold, offsets, threshold):
    counts = [0, 0, 0]
    for start, end in itertools.pairwise(offsets):
        best = start + int(np.argmax(probability[start:end]))
        chosen = float(probability[best]) >= threshold
        counts[0] += chosen and bool(gold[best])
        counts[1] += chosen and not gold[best]
        counts[2] += bool(gold[start:end].any()) and not (chosen and bool(gold[best]))
    return counts
