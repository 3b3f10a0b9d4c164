"""Segmenters from a corpus to a folder: all sentences encoded, trained, read again, and at work."""

import json
import shutil

import numpy as np
import pytest
from tiny_corpora import write_corpus

from zarpipe.arrays import expand
from zarpipe.cli import main
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.encode.token_states import TokenStates
from zarpipe.errors import ZarpipeError
from zarpipe.formats.features import Features
from zarpipe.formats.segmentation_scores import read_segmentation_scores
from zarpipe.mlm.loading import load_mlm
from zarpipe.serve.bundle.segmenter import Segmenter
from zarpipe.serve.bundle.states import computed_states
from zarpipe.tagger.segmenter.sentences import read_segmentation, read_sentences
from zarpipe.tagger.segmenter.weights import read_segmenter

# Sentences with their predicates and bunsetsu; the third and the fifth have no predicate.
SENTENCES = [
    (["男", "は", "走る", "。"], [2], [0, 0, 1, 1]),
    (["無罪", "に", "なった", "。"], [2], [0, 0, 1, 1]),
    (["無罪", "。"], [], [0, 0]),
    (["男", "は", "訴えられた", "が", "走る"], [2, 4], [0, 0, 1, 1, 2]),
    (["男", "に"], [], [0, 0]),
    (["男", "は", "走る", "。"], [2], [0, 0, 1, 1]),
]


@pytest.fixture(scope="module", params=["last", "mix"])
def encoded(request, tiny_mlm, tmp_path_factory):
    """A split with the features of its instances and of all its sentences."""
    folder = tmp_path_factory.mktemp("encoded")
    words, predicates, bunsetsu = zip(*SENTENCES, strict=True)
    write_corpus(folder / "corpus.parquet", words, predicates, bunsetsu)
    encode = ["encode", str(folder / "corpus.parquet"), "--mlm", str(tiny_mlm("bert-ja"))]
    encode += ["--layers", request.param]
    assert main([*encode, "--output", str(folder / "features.h5")]) == 0
    more = ["--all-sentences", "--originals", str(folder / "features.h5")]
    assert main([*encode, *more, "--output", str(folder / "sentences.h5")]) == 0
    return folder


def training(folder, output, *more):
    files = {name: str(folder / name) for name in ("corpus.parquet", "features.h5", "sentences.h5")}
    corpus, features, sentences = files.values()
    return [
        "train-segmenter",
        *("--corpus", corpus, "--features", features, "--sentences", sentences),
        *("--dev-corpus", corpus, "--dev-features", features, "--dev-sentences", sentences),
        *("--output", str(output), "--hidden-size", "12", "--learning-rate", "0.02", "--threads", "1"),
        *("--epochs", "60", "--batch-size", "4", *more),
    ]


@pytest.fixture(scope="module")
def trained(encoded, tmp_path_factory):
    output = tmp_path_factory.mktemp("trained") / "segmenter"
    assert main(training(encoded, output)) == 0
    return output


def test_labels_are_those_of_the_corpus(encoded):
    labels, offsets = read_segmentation(encoded / "corpus.parquet")
    assert offsets.tolist() == [0, 4, 8, 10, 15, 17, 21]
    assert labels[:15].tolist() == [1, 0, 3, 0, 1, 0, 3, 0, 1, 0, 1, 0, 3, 0, 3]


def test_only_sentences_without_a_predicate_are_encoded_again(encoded):
    originals, added = Features.open(encoded / "features.h5"), Features.open(encoded / "sentences.h5")
    assert len(added.instance_sequence) == len(SENTENCES)
    assert [number >= 0 for number in added.instance_sequence] == [False, False, True, False, True, False]
    assert sorted(added.lengths.tolist()) == [2, 2]
    assert added.instance_sequence[0] == added.instance_sequence[5]
    read = read_sentences(*(encoded / name for name in ("corpus.parquet", "features.h5", "sentences.h5")))
    assert read.lengths.tolist() == [len(words) for words, *_ in SENTENCES]
    for sentence, number in enumerate(added.instance_sequence.tolist()):
        file = originals if number < 0 else added
        expected = file.gather([-1 - number if number < 0 else number])
        found = read.cached.gather(read.sequence[[sentence]])
        assert np.array_equal(found.half().numpy(), expected)


def test_a_segmenter_learns_and_finds_what_the_corpus_says(encoded, trained, tiny_mlm):
    assert {path.name for path in trained.iterdir()} == {
        "tagger.safetensors",
        "thresholds.json",
        "history.csv",
    }
    read = read_segmenter(trained)
    assert json.loads((trained / "thresholds.json").read_text()) == {"predicate": read.threshold}
    assert read.provenance["dev_f1"] == 1.0
    encoding = EncodingConfig(device="cpu", layers=read.provenance.get("layers", "last"))
    states = TokenStates.of(load_mlm(MlmConfig(path=str(tiny_mlm("bert-ja"))), encoding), encoding)
    order = [3, 2, 0]
    found = Segmenter(read.model, read.threshold).find(
        computed_states(states, [SENTENCES[number][0] for number in order], 64)
    )
    labels, offsets = read_segmentation(encoded / "corpus.parquet")
    expected = labels[expand(offsets[order], np.diff(offsets)[order])]
    assert (2 * found.is_predicate + found.begins_bunsetsu).tolist() == expected.tolist()


def test_scores_are_those_counted_by_hand(encoded, trained, tmp_path, capsys):
    files = {name: str(encoded / name) for name in ("corpus.parquet", "features.h5", "sentences.h5")}
    corpus, features, sentences = files.values()
    given = ["evaluate-segmenter", "--segmenter", str(trained), "--corpus", corpus, "--features", features]
    given += ["--sentences", sentences, "--threads", "1"]
    assert main([*given, "--output", str(tmp_path / "scores.json")]) == 0
    assert "predicates F1 100.00, bunsetsu boundaries F1 100.00" in capsys.readouterr().out
    scores = read_segmentation_scores(tmp_path / "scores.json")
    assert {part: one["tp"] for part, one in scores.items()} == {
        "predicates": 5,
        "bunsetsu_boundaries": 5,
        "bunsetsu": 11,
    }
    assert main([*given, "--output", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 1
    assert "expected one for each of the 1 segmenters" in capsys.readouterr().err


def test_the_same_seed_gives_the_same_files_and_another_seed_others(encoded, trained, tmp_path):
    for seed in ("1", "2"):
        assert main(training(encoded, tmp_path / seed, "--seed", seed)) == 0
    for name in ("tagger.safetensors", "history.csv"):
        assert (tmp_path / "1" / name).read_bytes() == (trained / name).read_bytes()
    weights = [(tmp_path / seed / "tagger.safetensors").read_bytes() for seed in ("1", "2")]
    assert weights[0] != weights[1]


def test_files_that_do_not_fit_are_named(encoded, trained, tmp_path, capsys):
    swapped = training(encoded, tmp_path / "out")
    swapped[swapped.index("--sentences") + 1] = str(encoded / "features.h5")
    assert main(swapped) == 1
    assert "holds no sentences without a predicate" in capsys.readouterr().err
    words = [words for words, *_ in SENTENCES]
    other = write_corpus(tmp_path / "other.parquet", words, [[]] * len(words))
    swapped = training(encoded, tmp_path / "out")
    swapped[swapped.index("--corpus") + 1] = str(other)
    assert main(swapped) == 1
    assert "made from another corpus" in capsys.readouterr().err
    taggers = ["train", "--corpus", str(encoded / "corpus.parquet"), "--features"]
    taggers += [str(encoded / "sentences.h5"), "--dev-corpus", str(encoded / "corpus.parquet")]
    taggers += ["--dev-features", str(encoded / "features.h5"), "--output", str(tmp_path / "taggers")]
    assert main(taggers) == 1
    assert "holds all sentences, for a segmenter" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    copy = shutil.copytree(trained, tmp_path / "copy")
    (copy / "thresholds.json").write_text('{"predicate": 0.0}')
    with pytest.raises(ZarpipeError, match="says other thresholds"):
        read_segmenter(copy)


def test_a_corpus_without_predicates_is_refused(tiny_mlm, tmp_path, capsys):
    words = [words for words, *_ in SENTENCES]
    corpus = write_corpus(tmp_path / "corpus.parquet", words, [[]] * len(words))
    encode = ["encode", str(corpus), "--mlm", str(tiny_mlm("bert-ja"))]
    assert main([*encode, "--output", str(tmp_path / "features.h5")]) == 0
    more = ["--all-sentences", "--originals", str(tmp_path / "features.h5")]
    assert main([*encode, *more, "--output", str(tmp_path / "sentences.h5")]) == 0
    assert main(training(tmp_path, tmp_path / "out")) == 1
    assert "no sentence has a target predicate" in capsys.readouterr().err


def test_neither_kind_of_folder_is_taken_for_the_other(trained, tmp_path, capsys):
    given = ["predict", "--tagger", str(trained), "--corpus", "x.parquet", "--output", str(tmp_path / "x")]
    assert main(given) == 1
    capsys.readouterr()
    with pytest.raises(ZarpipeError, match="cannot be read"):
        read_segmenter(tmp_path)
