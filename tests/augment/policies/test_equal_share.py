"""`match: share`: a policy masks as many tokens as all does, or says that it cannot."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from augment.policies.sentences import made_row
from hypothesis import given, settings
from hypothesis import strategies as st

from zarpipe.augment.masking import alpha_of_share, select_masked
from zarpipe.cli import main
from zarpipe.formats.corpus import CORPUS_SCHEMA
from zarpipe.formats.variant import read_variant


def test_the_alpha_by_hand():
    numbers = np.array([0.2, 0.1, 0.6, 0.3, 0.5])
    weights = np.array([1.0, 0.5, 0.0, 0.25, 1.0])
    is_target = np.array([False, False, False, False, True])
    # Ratios of what can be masked: 0.2, 0.2 and 1.2.
    assert alpha_of_share(numbers, weights, is_target, 0) == 0
    assert alpha_of_share(numbers, weights, is_target, 2) == pytest.approx(1.2)
    largest = alpha_of_share(numbers, weights, is_target, 3)
    assert largest == pytest.approx(1.2)
    assert select_masked(numbers, largest, weights, is_target).tolist() == [True, True, False, True, False]
    assert alpha_of_share(numbers, weights, is_target, 4) is None


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.floats(0, 1), st.floats(0, 1))
def test_as_many_tokens_are_masked_as_of_all(seed, count, alpha, zeros):
    rng = np.random.default_rng(seed)
    # Of a ratio with a weight like 1 / 3 the product may round to above the number.
    weights = rng.random(count) if seed % 2 else 1 / rng.integers(1, 20, count)
    numbers, weights = rng.random(count), weights * (rng.random(count) >= zeros)
    is_target = rng.random(count) < 0.1
    wanted = int(select_masked(numbers, alpha, np.ones(count), is_target).sum())
    found = alpha_of_share(numbers, weights, is_target, wanted)
    if found is None:
        assert wanted > ((weights > 0) & ~is_target).sum()
    else:
        masked = select_masked(numbers, found, weights, is_target)
        assert masked.sum() == wanted
        assert not masked[is_target].any()


@pytest.fixture
def augment(tmp_path, monkeypatch):
    """Runs `zarpipe augment` on a corpus of ten sentences."""
    monkeypatch.chdir(tmp_path)
    rows = [made_row(f"d-{number}") for number in range(10)]
    pq.write_table(pa.Table.from_pylist(rows, schema=CORPUS_SCHEMA), "train.parquet")

    def run(output, *options):
        return main(["augment", "train.parquet", "--method", "masking", "--output", output, *options])

    return run


def test_a_variant_of_equal_share_keeps_its_alpha(augment):
    near = ["--policy", "near", "--define-policy", "near: {use: distance, scale: 2}"]
    assert augment("all.parquet", "--alpha", "0.4") == 0
    assert augment("near.parquet", *near, "--alpha", "0.4", "--match", "share") == 0
    everything, matched = read_variant("all.parquet"), read_variant("near.parquet")
    assert len(matched.masked) == len(everything.masked) > 0
    assert matched.own_alpha > 0.4
    assert everything.own_alpha is None
    assert augment("larger.parquet", *near, "--alpha", "0.5", "--match", "share") == 0
    larger = read_variant("larger.parquet")
    for first, end, others, last in zip(
        matched.offsets, matched.offsets[1:], larger.offsets, larger.offsets[1:], strict=False
    ):
        assert set(matched.masked[first:end]) <= set(larger.masked[others:last])


def test_a_share_that_cannot_be_reached_is_told_in_one_line(augment, capsys):
    options = ["--policy", "adverbs", "--define-policy", "adverbs: {use: pos, tags: [副詞]}"]
    assert augment("v.parquet", *options, "--alpha", "0.5", "--match", "share") == 1
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "error" in line]
    assert "train.parquet: adverbs can mask 10.00 % of the tokens, no more, but `all` masks " in line
    assert "at alpha 0.5 (`match: share`); expected a policy that reaches this share" in line
