"""Nested selection: what a choice on dev is worth where it was not made."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarpipe.report.selection import NESTED_CATEGORIES, nested_selection
from zarpipe.report.systems import Systems
from zarpipe.report.table import read_table
from zarpipe.task.statistics.f1 import micro_f1


def found(rights, sizes=None):
    """Counts of one model and three equal categories: ``rights`` of ``sizes`` arguments found in each document."""
    rights = np.asarray(rights)
    sizes = np.full(len(rights), 10) if sizes is None else np.asarray(sizes)
    one = np.stack([rights, np.zeros_like(rights), sizes - rights], axis=-1)
    return np.repeat(one[:, None, None], 3, axis=2)


def test_without_a_choice_it_is_the_plain_mean():
    counts = np.random.default_rng(0).integers(0, 9, (7, 4, 3, 3))
    nested = nested_selection([counts])
    assert list(nested.f1.values()) == pytest.approx(100 * micro_f1(counts.sum(axis=0)).mean(axis=0))
    assert nested.choices.tolist() == [1.0]


def test_of_two_documents_each_chooses_for_the_other():
    """One recipe is right in the first document only, the other in the second only: each choice fails."""
    nested = nested_selection([found([10, 0]), found([0, 10])])
    assert nested.f1 == {"zar_f1": 0.0, "dep_f1": 0.0, "all_f1": 0.0}
    assert nested.choices.tolist() == [0.5, 0.5]


def test_what_is_better_everywhere_is_always_chosen():
    nested = nested_selection([found([4] * 8), found([8] * 8), found([2] * 8)])
    assert nested.choices.tolist() == [0, 1, 0]
    assert nested.f1["zar_f1"] == pytest.approx(100 * 16 / 18)
    # The first of equals, as in the tables; one document cannot be halved.
    assert nested_selection([found([5] * 4), found([5] * 4)]).choices.tolist() == [1, 0]
    assert nested_selection([found([5])]) is None


def test_the_best_of_many_equally_good_recipes_gains_nothing():
    rng = np.random.default_rng(1)
    many = [found(rng.binomial(10, 0.6, 40)) for _ in range(30)]
    plain = [100 * float(micro_f1(one.sum(axis=(0, 1)))[0]) for one in many]
    nested = nested_selection(many).f1["zar_f1"]
    assert max(plain) > np.mean(plain) + 1
    assert abs(nested - np.mean(plain)) < 0.7 * (max(plain) - np.mean(plain))


@given(st.lists(st.lists(st.integers(0, 10), min_size=6, max_size=6), min_size=1, max_size=4))
def test_it_lies_between_the_worst_and_the_best_of_each_document(rights):
    nested = nested_selection([found(one) for one in rights])
    worst, best = np.min(rights, axis=0).sum(), np.max(rights, axis=0).sum()
    low, high = (200 * right / (60 + right) for right in (worst, best))
    assert low - 1e-9 <= nested.f1["zar_f1"] <= high + 1e-9


def test_dev_tables_have_it_from_the_decisions(whole_study):
    """The made study has decisions of the recipes that the examples show: masking, not CDA."""
    table = read_table(whole_study.output("table5.json"))
    baseline, masked = table.rows[0], table.rows[1]
    for name in ("zar_f1", "dep_f1", "all_f1"):
        assert baseline[f"nested_{name}"] == pytest.approx(baseline[name])
        assert baseline[f"{name}_se"] == pytest.approx(baseline[f"{name}_sd"] / 3**0.5)
    recipes = whole_study.study.grid.masking("all")
    counts = Systems(whole_study.study, "dev", list(NESTED_CATEGORIES.values())).counts
    nested = nested_selection(list(map(counts, recipes)))
    assert masked["nested_zar_f1"] == pytest.approx(nested.f1["zar_f1"])
    assert masked["nested_choice_percent"] in [pytest.approx(100 * share) for share in nested.choices]
    assert "augmented recipes has" in table.note
