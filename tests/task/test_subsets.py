"""Parts of the documents: nested fractions, and folds."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from zarpipe.errors import ZarpipeError
from zarpipe.task.subsets import AllButOneFold, DocumentFraction, document_part, document_ranks

DOCUMENTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=5), min_size=1, max_size=40, unique=True)
SEEDS = st.integers(-5, 2**40)
# As canonical text: six decimals.
SHARES = st.integers(1, 10**6).map(lambda millionths: millionths / 1e6)


def test_the_order_of_a_seed_never_changes():
    """Ranks by BLAKE2b of `subset`, seed and identifier, computed with another program (b2sum -l 128)."""
    hashes = {  # printf 'subset\0001\000a' | b2sum -l 128
        "a": "2e0655a9ed7304501188fd04fadeab57",
        "b": "4e3ba0a8979665d25a05416d189fb216",
        "c": "c884e09940e385bd8f38fb4fe00aed09",
        "d": "09227eaefe62375690e22821171f7bf4",
    }
    expected = [sorted(hashes.values()).index(hashes[name]) for name in "abcd"]
    assert document_ranks(1, list("abcd")).tolist() == expected


@given(DOCUMENTS, SEEDS, st.randoms(use_true_random=False))
def test_neither_the_order_of_the_corpus_nor_other_documents_change_who_comes_first(doc_ids, seed, random):
    ranks = dict(zip(doc_ids, document_ranks(seed, doc_ids).tolist(), strict=True))
    assert sorted(ranks.values()) == list(range(len(doc_ids)))
    others = random.sample(doc_ids, random.randint(1, len(doc_ids)))
    by_rank = sorted(others, key=ranks.__getitem__)
    assert document_ranks(seed, by_rank).tolist() == list(range(len(others)))


@given(DOCUMENTS, SEEDS, SHARES, SHARES)
def test_fractions_are_nested_and_rounded_up(doc_ids, seed, one, other):
    parts = [DocumentFraction(fraction=share, seed=seed) for share in sorted((one, other))]
    smaller, larger = (part.chosen(doc_ids) for part in parts)
    assert not (smaller & ~larger).any()
    assert smaller.sum() == math.ceil(Fraction(parts[0].fraction) * len(doc_ids))


@pytest.mark.parametrize(
    ("fraction", "documents", "expected"),
    [(0.1, 30, 3), (0.1, 31, 4), (0.25, 4, 1), (0.1, 4, 1), (1, 7, 7), (0.7, 10, 7), (0.000001, 5, 1)],
)
def test_counts(fraction, documents, expected):
    """0.1 * 30 is 3.0000000000000004 as a floating point number, and would be 4 rounded up."""
    assert DocumentFraction(fraction=fraction, seed=1).count(documents) == expected


@given(DOCUMENTS, SEEDS, st.integers(2, 10))
def test_folds_leave_every_document_out_once(doc_ids, seed, folds):
    parts = [AllButOneFold(folds=folds, without=without, seed=seed) for without in range(folds)]
    if len(doc_ids) < folds:
        with pytest.raises(ZarpipeError, match=f"for {folds} folds; expected at least one document for"):
            parts[0].chosen(doc_ids)
        return
    left_out = ~np.stack([part.chosen(doc_ids) for part in parts])
    assert (left_out.sum(axis=0) == 1).all()
    sizes = left_out.sum(axis=1)
    assert sizes.max() - sizes.min() <= 1
    assert (document_ranks(seed, doc_ids)[left_out[1]] % folds == 1).all()


def test_seeds_choose_other_documents():
    doc_ids = [f"document {number}" for number in range(100)]
    chosen = [DocumentFraction(fraction=0.5, seed=seed).chosen(doc_ids) for seed in (1, 2)]
    assert 15 < (chosen[0] & chosen[1]).sum() < 35  # 25 by chance


@pytest.mark.parametrize("fraction", [0, 1e-9, 1.01, -0.5, "half", True, float("nan"), None])
def test_what_is_no_fraction(fraction):
    with pytest.raises(ValidationError, match="expected a number above 0"):
        DocumentFraction(fraction=fraction, seed=1)


def test_a_fold_that_is_not_there():
    with pytest.raises(ValidationError, match="expected a fold from 0 to 2"):
        AllButOneFold(folds=3, without=3, seed=1)


def test_options_of_a_command_choose_a_part():
    assert document_part(None, None, None, 1) is None
    for part in (DocumentFraction(fraction=0.25, seed=2), AllButOneFold(folds=5, without=4, seed=2)):
        given_options = {"fraction": None, "folds": None, "without_fold": None} | part.options()
        assert document_part(*given_options.values()) == part


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("0.5", 5, 1), "--fraction: found with --folds; expected one of the two"),
        ((None, 5, None), "--folds, --without-fold: found only one of them"),
        ((None, None, 1), "--folds, --without-fold: found only one of them"),
        ((None, 5, 5), "--without-fold: found 5; expected a fold from 0 to 4"),
    ],
)
def test_options_that_contradict_each_other(options, expected):
    with pytest.raises(ZarpipeError, match=expected):
        document_part(*options, 1)
