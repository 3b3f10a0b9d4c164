"""Batches: nothing lost, nothing padded, every token with its own hidden state, flags and label."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import read_instances
from zarpipe.formats.features import Features
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.batches import joined, pack, plan_batches, sorted_batches, tokens_at_once
from zarpipe.tagger.cached import CachedStates, drawn_copies, encoded_instances
from zarpipe.tagger.mixture import mixed


def tokens_of(encoded, batch, instances):
    """Undo the packing with plain loops: per instance its hidden states, flags and labels."""
    result = []
    start = 0
    for instance in instances:
        length = encoded.lengths[instance]
        packed = [int(np.flatnonzero(batch.flat_index.numpy() == start + t)[0]) for t in range(length)]
        hidden = batch.hidden[batch.row[packed]].numpy()
        result.append((hidden, batch.flags[packed].numpy(), batch.labels[packed].numpy()))
        start += length
    return result


def test_every_token_gets_what_is_its_own(study, train):
    variant = Features.open(study.variant_features)
    both = mixed(train, drawn_copies(train, [variant]), Mixture()).encoded
    assert len(both) == 2 * len(train)
    instances = np.random.default_rng(3).permutation(len(both))[:40]
    corpus = read_instances(study.train)
    batch = pack(both, instances)
    assert len(batch.row) == sum(batch.batch_sizes) == both.lengths[instances].sum()
    for instance, (hidden, flags, labels) in zip(instances, tokens_of(both, batch, instances), strict=True):
        original = instance % len(train)
        number = variant.instance_sequence[original] if instance >= len(train) else train.sequence[original]
        source = variant if instance >= len(train) and number >= 0 else train.hidden_states.originals
        number = -1 - number if number < 0 else number
        start, end = source.offsets[number : number + 2]
        np.testing.assert_array_equal(hidden, source.hidden[start:end].astype(np.float32))
        span = slice(corpus.offsets[original], corpus.offsets[original + 1])
        np.testing.assert_array_equal(labels, corpus.labels[span])
        np.testing.assert_array_equal(flags[:, 1].astype(bool), corpus.is_predicate[span])
        assert np.flatnonzero(flags[:, 0]).tolist() == [corpus.predicate[original]]


def test_weights_give_the_mean_over_each_instance(train):
    batch = pack(train, np.arange(10))
    assert batch.weights.sum().item() == pytest.approx(10, abs=1e-5)


def test_hidden_states_are_read_once_per_distinct_sequence(train):
    batch = pack(joined(train, train), np.arange(2 * len(train)))
    assert len(batch.hidden) == train.hidden_states.originals.offsets[-1]


def test_copies_flag_the_target_only_when_asked(study, train):
    variant = Features.open(study.variant_features)
    both = mixed(train, drawn_copies(train, [variant], "target"), Mixture()).encoded
    copies = pack(both, np.arange(len(train), 2 * len(train)))
    assert (copies.flags[:, 0] == copies.flags[:, 1]).all()
    originals = pack(both, np.arange(len(train)))
    assert (originals.flags[:, 1] > originals.flags[:, 0]).any()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=60), st.integers(1, 12), st.integers(0, 2**32))
def test_plans_hold_every_instance_once_by_similar_length(lengths, batch_size, seed):
    lengths = np.array(lengths)
    for plan in (
        plan_batches(lengths, batch_size, np.random.default_rng(seed)),
        sorted_batches(lengths, batch_size),
    ):
        assert sorted(np.concatenate(plan).tolist()) == list(range(len(lengths)))
        assert all(len(batch) == batch_size for batch in plan) or (
            sum(len(batch) != batch_size for batch in plan) == 1
            and len(plan) == -(-len(lengths) // batch_size)
        )
        # Similar length: the ranges of two batches never overlap in their inside.
        ranges = sorted((lengths[batch].min(), lengths[batch].max()) for batch in plan)
        assert all(high <= low for (_, high), (low, _) in itertools.pairwise(ranges))


def test_plans_follow_from_seed_and_epoch():
    lengths = np.random.default_rng(0).integers(1, 20, 200)
    plans = [plan_batches(lengths, 16, np.random.default_rng([seed, 1])) for seed in (1, 1, 2)]
    assert all((one == two).all() for one, two in zip(plans[0], plans[1], strict=True))
    assert any(one.tolist() != two.tolist() for one, two in zip(plans[0], plans[2], strict=True))


def test_features_that_are_not_the_splits_are_refused(study):
    for path, words in (
        (study.dev_features, "the corpus has"),
        (study.variant_features, "--variant-features"),
    ):
        with pytest.raises(ZarpipeError, match=words):
            encoded_instances(read_instances(study.train), CachedStates((Features.open(path),)))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 20_000), min_size=1, max_size=80), st.integers(1, 40), st.integers(0, 2**32))
def test_no_batch_has_more_tokens_than_a_training_may_keep(lengths, batch_size, seed):
    lengths = np.array(lengths)
    most = tokens_at_once(10, 256)
    assert most == 512 * 256
    plan = plan_batches(lengths, batch_size, np.random.default_rng(seed), most)
    assert sorted(np.concatenate(plan).tolist()) == list(range(len(lengths)))
    assert all(len(batch) == 1 or lengths[batch].sum() <= most for batch in plan)


def test_a_tagger_of_fewer_numbers_takes_more_tokens():
    assert tokens_at_once(2, 16) == 80 * tokens_at_once(10, 256)
    assert tokens_at_once(20, 512) == tokens_at_once(10, 256) // 4


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(1, 256), min_size=1, max_size=1500),
    st.integers(1, 1024),
    st.integers(1, 10**6),
    st.integers(0, 2**32),
)
def test_batches_of_sentences_as_corpora_have_them_are_not_cut(lengths, batch_size, most, seed):
    """Their batches, and so the taggers, are those without a limit."""
    lengths = np.array(lengths)
    plans = [plan_batches(lengths, batch_size, np.random.default_rng(seed), limit) for limit in (None, most)]
    assert [batch.tolist() for batch in plans[0]] == [batch.tolist() for batch in plans[1]]


def test_occurrences_are_counted_by_plain_loops_too(study, train):
    both = mixed(train, drawn_copies(train, [Features.open(study.variant_features)]), Mixture()).encoded
    instances = np.random.default_rng(5).permutation(len(both))
    batch = pack(both, instances)
    count = {}
    expected = {}
    members = sorted(range(len(instances)), key=lambda member: -both.lengths[instances[member]])
    count_of_member = {}
    for member in members:
        sequence = int(both.sequence[instances[member]])
        count_of_member[member] = count.get(sequence, 0)
        count[sequence] = count_of_member[member] + 1
    starts = np.cumsum(both.lengths[instances]) - both.lengths[instances]
    for packed, place in enumerate(batch.flat_index.tolist()):
        member = int(np.searchsorted(starts, place, side="right")) - 1
        expected.setdefault(count_of_member[member], []).append((int(batch.row[packed]), packed))
    assert [tokens.tolist() for tokens in batch.occurrences] == [
        [packed for _, packed in sorted(expected[use])] for use in sorted(expected)
    ]
