"""Taggers that are trained on a part of the documents, from the features of all."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tiny_study import train_arguments

from zarpipe.cli import main
from zarpipe.files import file_digest
from zarpipe.formats.corpus import read_corpus, read_instances
from zarpipe.formats.features import Features, write_features
from zarpipe.formats.tagger import read_tensors
from zarpipe.task.subsets import DocumentFraction

HALF = DocumentFraction(fraction=0.5, seed=3)


def read(folder):
    """The weights of a tagger, and what is said of its documents."""
    tensors, metadata = read_tensors(folder / "tagger.safetensors")
    return tensors, metadata["provenance"]["documents"]


def kept_instances(study, part):
    """Of each training instance whether its document is among the part's; and these documents."""
    of_sentence = np.array(read_corpus(study.train, ["doc_id"])["doc_id"].to_pylist())
    doc_ids = sorted(set(of_sentence.tolist()))
    names = [doc_id for doc_id, chosen in zip(doc_ids, part.chosen(doc_ids), strict=True) if chosen]
    return np.isin(of_sentence[read_instances(study.train).sentence], names), names


@pytest.fixture(scope="module")
def half(study, tmp_path_factory):
    """A corpus of half of the documents, with its features and those of its variant."""
    folder = tmp_path_factory.mktemp("half")
    kept, names = kept_instances(study, HALF)
    table = read_corpus(study.train)
    pq.write_table(table.filter(pa.compute.is_in(table["doc_id"], pa.array(names))), folder / "train.parquet")
    originals, variant = Features.open(study.train_features), Features.open(study.variant_features)
    changes = {"corpus": file_digest(folder / "train.parquet")}
    sequences, instance_sequence = np.unique(originals.instance_sequence[kept], return_inverse=True)
    write(folder / "train.h5", originals, sequences, instance_sequence, changes)
    changes["originals"] = Features.open(folder / "train.h5").provenance["digest"]
    number = variant.instance_sequence[kept]
    own = number >= 0
    of_variant = -1 - instance_sequence
    of_variant[own] = np.arange(own.sum())
    write(folder / "variant.h5", variant, number[own], of_variant, changes)
    return folder


def write(path, source, sequences, instance_sequence, changes):
    """Write the features of some sequences of a file, in this order."""
    rows = [source.gather(np.array([sequence])) for sequence in sequences]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    write_features(path, rows, source.hidden_size, offsets, instance_sequence, source.provenance | changes)


@pytest.mark.parametrize("augmented", [False, True])
def test_a_fraction_is_the_same_training_as_on_a_corpus_of_these_documents(study, half, tmp_path, augmented):
    """The same weights, bit for bit, and no hidden state of the other documents is read."""
    more = ["--seed", "1", "--epochs", "4"]
    variant = ["--variant-features", str(study.variant_features)] if augmented else []
    part = ["--fraction", "0.5", "--subset-seed", "3"]
    assert main(train_arguments(study, tmp_path / "part", *more, *variant, *part)) == 0
    alone = ["--corpus", str(half / "train.parquet"), "--features", str(half / "train.h5")]
    variant = ["--variant-features", str(half / "variant.h5")] if augmented else []
    assert main(train_arguments(study, tmp_path / "alone", *more, *alone, *variant)) == 0
    (one, found), (other, none) = read(tmp_path / "part"), read(tmp_path / "alone")
    assert one.keys() == other.keys()
    assert all((one[name] == other[name]).all() for name in one)
    for name in ("history.csv", "thresholds.json"):
        assert (tmp_path / "part" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()
    assert found == {"fraction": "0.5", "seed": 3, "chosen": 3, "of": 6}
    assert none is None


def test_a_fold_is_left_out_and_can_be_predicted(study, tmp_path):
    """Cross-fitting: a tagger decides on training documents that it has not seen."""
    folds = ["--folds", "3", "--without-fold", "1"]
    assert main(train_arguments(study, tmp_path / "fold", "--seed", "1", "--epochs", "2", *folds)) == 0
    assert read(tmp_path / "fold")[1] == {"folds": 3, "without": 1, "seed": 1, "chosen": 4, "of": 6}
    files = ["--corpus", str(study.train), "--features", str(study.train_features)]
    output = tmp_path / "train.parquet"
    assert main(["predict", "--tagger", str(tmp_path / "fold"), *files, "--output", str(output)]) == 0
    assert output.is_file()
