"""More training text: the training file once more is baseline2x, other text is read, dev and test are refused."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tiny_study
from tiny_study import train_arguments

from zarpipe.cli import main
from zarpipe.config import TaggerConfig, TrainingConfig
from zarpipe.formats.corpus import read_corpus, read_instances
from zarpipe.formats.features import Features
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.batches import pack
from zarpipe.tagger.cached import CachedStates, encoded_instances
from zarpipe.tagger.mixture import mixed
from zarpipe.tagger.specs import Settings, TrainingFiles

FILES = ("tagger.safetensors", "thresholds.json", "history.csv")


def with_own_words(path, word):
    """Give each token of a corpus a surface of its own."""
    rows = read_corpus(path)
    tokens = [
        [f"{word}{number}の{token}" for token in range(len(row))]
        for number, row in enumerate(rows["tokens"].to_pylist())
    ]
    pq.write_table(rows.set_column(2, "tokens", pa.array(tokens, rows.schema.field("tokens").type)), path)


@pytest.fixture(scope="module")
def apart(tmp_path_factory):
    """A small study whose sentences all differ."""
    folder = tmp_path_factory.mktemp("apart")
    study = tiny_study.build(folder)
    for seed, split in enumerate(("train", "dev")):
        with_own_words(getattr(study, split), split)
        tiny_study.write_split_features(getattr(study, f"{split}_features"), getattr(study, split), seed)
    tiny_study.write_variant_features(study.variant_features, study.train_features, study.train)
    return study


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """A corpus of other sentences, and its features."""
    folder = tmp_path_factory.mktemp("other")
    tiny_study.write_corpus(folder / "other.parquet", 20, 5)
    with_own_words(folder / "other.parquet", "other")
    tiny_study.write_split_features(folder / "other.h5", folder / "other.parquet", 5)
    return folder


def given(corpus, features):
    return ["--extra", str(corpus), "--extra-features", str(features)]


def trained(study, folder, *options):
    assert main(train_arguments(study, folder, "--epochs", "2", *options)) == 0
    return [(folder / name).read_bytes() for name in FILES]


def test_the_training_file_once_more_is_baseline2x_to_the_last_bit(apart, tmp_path):
    # Another feature file of the same sentences: their states are the training file's all the same.
    twice = trained(apart, tmp_path / "twice", "--copies", "2")
    assert trained(apart, tmp_path / "extra", *given(apart.train, apart.train_features)) == twice
    in_place = ["--extra", str(apart.train), "--in-place", "true"]
    assert trained(apart, tmp_path / "in_place", *in_place) == twice


def test_other_text_is_seen_as_often_as_copies(apart, other, tmp_path):
    plain = trained(apart, tmp_path / "plain")
    more = given(other / "other.parquet", other / "other.h5")
    found = trained(apart, tmp_path / "more", *more)
    assert found != plain
    assert trained(apart, tmp_path / "ratio", *more, "--variant-copies", "2") != found
    assert trained(apart, tmp_path / "first", *more, "--stages", "masked_first") != found
    variant = ["--variant-features", str(apart.variant_features)]
    assert trained(apart, tmp_path / "both", *more, *variant, "--perturb", "{use: noise}") != found


def test_what_an_epoch_sees_of_it(apart, other):
    files = TrainingFiles(
        corpus=apart.train,
        features=apart.train_features,
        variant_features=[apart.variant_features],
        extra=[other / "other.parquet", apart.train],
        extra_features=[other / "other.h5", apart.train_features],
        dev_corpus=apart.dev,
        dev_features=apart.dev_features,
    )
    splits = CachedStates.read_training(
        files, Settings(TaggerConfig(), TrainingConfig(), Mixture(), None, None)
    )
    kept = np.arange(len(splits.originals)) % 2 == 0
    train = mixed(splits.originals, splits.draws, Mixture(variant_copies=2), "all", kept, extra=splits.extra)
    n, instances = int(kept.sum()), read_instances(other / "other.parquet")
    seen = np.bincount(train.members(0, 1))
    assert seen.tolist() == [1] * n + [2] * (n + len(instances) + len(kept))
    alone = encoded_instances(instances, CachedStates((Features.open(other / "other.h5"),)))
    for number in range(0, len(instances), 3):
        one, two = pack(alone, np.array([number])), pack(train.encoded, np.array([2 * n + number]))
        for name in ("hidden", "labels", "flags", "weights"):
            assert (getattr(one, name) == getattr(two, name)).all()
    first = 2 * n + len(instances)
    assert (train.encoded.sequence[first:] == splits.originals.sequence).all()
    fewer = mixed(splits.originals, [], Mixture(in_place=True), in_place=len(kept) + 4)
    assert np.bincount(fewer.members(0, 1)).max() == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--extra {dev} --extra-features {dev_features}", "is sentence 'd-0' of "),
        ("--extra {train}", "--extra-features: found 0 files; expected one for each of the 1 of --extra"),
        ("--extra {train} --extra-features {variant_features}", "holds augmented copies"),
        ("--in-place true --extra {train} --extra-features {train_features}", "or none with --in-place"),
    ],
)
def test_what_does_not_fit_is_refused(apart, tmp_path, capsys, options, message):
    found = options.format(**vars(apart)).split()
    assert main(train_arguments(apart, tmp_path / "out", "--epochs", "1", *found)) == 1
    assert message in capsys.readouterr().err
