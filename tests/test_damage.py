"""Files damaged after they were written are refused by whatever reads them next, outside a job's folder too.

Every bit of a small file of each kind is flipped: what is read is then refused, or it is what was written.
"""

import json
import random
import shutil

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tiny_study
import torch
from made_scores import scores_with

from zarpipe.cli import main
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest, read_json, write_json
from zarpipe.formats.corpus import instances_of, read_corpus
from zarpipe.formats.corpus_writer import CorpusWriter
from zarpipe.formats.features import Features, write_features
from zarpipe.formats.history import read_history
from zarpipe.formats.predictions import Gold, read_decisions, write_decisions
from zarpipe.formats.probabilities import read_probabilities, write_probabilities
from zarpipe.formats.scores import read_scores, write_scores
from zarpipe.formats.tagger import read_tensors, write_tensors
from zarpipe.formats.variant import Replacements, read_variant, write_variant


def flip(path, offset):
    content = bytearray(path.read_bytes())
    content[offset] ^= 0x10
    path.write_bytes(content)


def test_a_flipped_bit_in_the_weights_is_noticed(tmp_path):
    path = tmp_path / "tagger.safetensors"
    write_tensors(path, {"weight": torch.arange(64, dtype=torch.float32)}, {"config": {"layers": 1}})
    tensors, metadata = read_tensors(path)
    assert metadata == {"config": {"layers": 1}}
    assert tensors["weight"][63] == 63
    flip(path, -7)
    with pytest.raises(ZarpipeError, match="do not fit its checksum"):
        read_tensors(path)


def test_a_flipped_bit_in_a_variant_is_noticed(tmp_path):
    path = tmp_path / "variant.parquet"
    masked = np.arange(3000, dtype=np.int64)
    offsets = np.array([0, 1000, 3000], dtype=np.int64)
    write_variant(path, ["a", "b"], np.array([1, 2]), offsets, masked, "digest")
    assert read_variant(path).masked.tolist() == masked.tolist()
    damaged = 0
    for offset in range(200, path.stat().st_size // 2, 97):
        flip(path, offset)
        try:
            same = read_variant(path).masked.tolist() == masked.tolist()
        except ZarpipeError:
            damaged += 1
        else:
            assert same
        flip(path, offset)
    assert damaged


def test_a_folder_has_no_digest_but_a_message(tmp_path):
    with pytest.raises(ZarpipeError, match="cannot read this file"):
        file_digest(tmp_path)


def test_a_flipped_bit_in_the_features_is_noticed(damaged_features):
    with pytest.raises(ZarpipeError, match="1 of 1 blocks are damaged"):
        Features.open(damaged_features).check_whole()


@pytest.fixture
def damaged_features(tmp_path):
    path = tmp_path / "train.h5"
    hidden = np.ones((4, 8), np.float16)
    write_features(path, [hidden], 8, np.array([0, 4]), np.array([0]), {"corpus": "x"})
    with h5py.File(path, "r") as file:
        start = file["hidden"].id.get_offset()
    flip(path, start + 11)
    return path


FLIPS = 400


def plain(read):
    """What was read, to be compared."""
    if isinstance(read, np.ndarray):
        return read.dtype.str, read.shape, read.tobytes()
    if isinstance(read, dict):
        return {key: plain(value) for key, value in read.items()}
    if isinstance(read, (list, tuple)):
        return [plain(value) for value in read]
    return read


def flip_many(path, read):
    """Flip random bits, one at a time; return how many were refused."""
    chance = random.Random(1)
    content = path.read_bytes()
    sound = read(path)
    refused = 0
    for _ in range(FLIPS):
        damaged = bytearray(content)
        damaged[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            found = read(path)
        except ZarpipeError:
            refused += 1
        else:
            assert found == sound
    path.write_bytes(content)
    return refused


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return tiny_study.build(tmp_path_factory.mktemp("tiny"))


def test_flips_in_a_corpus(tiny, tmp_path):
    rows = pq.read_table(tiny.dev).slice(0, 5)
    path = tmp_path / "dev.parquet"
    with path.open("wb") as stream:
        writer = CorpusWriter(stream, "sources")
        for batch in rows.combine_chunks().to_batches(2):
            writer.write(batch, "juman")
        writer.close("juman", {})

    def read(file):
        table = read_corpus(file)
        return table.to_pylist(), table.schema.metadata

    assert flip_many(path, read) > FLIPS / 4
    assert read_corpus(path).to_pylist() == rows.to_pylist()


def test_a_row_that_was_changed_is_told_from_damage_that_nobody_wanted(tiny, tmp_path):
    """Whoever changes a corpus writes it without the digest."""
    path = tmp_path / "dev.parquet"
    table = pq.read_table(tiny.dev)
    with path.open("wb") as stream:
        writer = CorpusWriter(stream, "sources")
        writer.write(table.combine_chunks().to_batches()[0], "juman")
        writer.close("juman", {})
    ours = pq.ParquetFile(path).read()
    metadata = dict(ours.schema.metadata)
    assert {b"zarpipe.sha256", b"zarpipe.columns", b"zarpipe.removed"} <= set(metadata)
    rows = [row | {"doc_id": "e"} for row in ours.to_pylist()]
    changed = pa.Table.from_pylist(rows, ours.schema)
    pq.write_table(changed.replace_schema_metadata(metadata), path)
    with pytest.raises(ZarpipeError, match=r"'doc_id' does not fit.*without the metadata zarpipe\.sha256"):
        read_corpus(path)
    del metadata[b"zarpipe.sha256"]
    pq.write_table(changed.replace_schema_metadata(metadata), path)
    assert set(read_corpus(path)["doc_id"].to_pylist()) == {"e"}


def variant_file(path, replaced):
    offsets, masked = np.array([0, 2, 3], np.int64), np.array([0, 4, 1], np.int64)
    with_cda = Replacements(
        np.array([5, 6, 7]), ["a", "b", "c"], np.array([0.5, 0.25, 1], np.float32), {"fill": "multi"}
    )
    settings = {"pos_set": "all", "alpha": 0.5, "seed": 1, "draw": "predicate"}
    of_cda = with_cda if replaced else None
    write_variant(path, ["s", "t"], np.array([1, 2]), offsets, masked, "digest", of_cda, settings)


@pytest.mark.parametrize("replaced", [False, True])
def test_flips_in_a_variant(replaced, tmp_path):
    path = tmp_path / "variant.parquet"
    variant_file(path, replaced)
    assert read_variant(path).settings["method"] == ("cda" if replaced else "masking")

    def read(file):
        return plain(list(vars(read_variant(file)).values()))

    assert flip_many(path, read) > FLIPS / 4


def test_a_cda_variant_without_its_replacements_is_damage(tmp_path):
    path = tmp_path / "variant.parquet"
    variant_file(path, replaced=True)
    table = pq.read_table(path)
    for metadata in (table.schema.metadata, {b"zarpipe.variant": table.schema.metadata[b"zarpipe.variant"]}):
        pq.write_table(table.drop_columns("replacement_ids").replace_schema_metadata(metadata), path)
        with pytest.raises(ZarpipeError, match="damaged"):
            read_variant(path)


def test_a_variant_of_the_last_version_is_read(tmp_path):
    path = tmp_path / "variant.parquet"
    variant_file(path, replaced=True)
    pq.write_table(pq.read_table(path).replace_schema_metadata({"zarpipe.corpus": "digest"}), path)
    read = read_variant(path)
    assert (read.corpus, read.settings, read.replacement_ids.tolist()) == ("digest", {}, [5, 6, 7])


def test_flips_in_features(tmp_path):
    path = tmp_path / "train.h5"
    hidden = np.arange(32, dtype=np.float16).reshape(8, 4)
    write_features(path, [hidden], 4, np.array([0, 4, 8]), np.array([0, 1, 0]), {"corpus": "x", "mlm": "m"})

    def read(file):
        features = Features.open(file)
        features.check_whole()
        values = (features.hidden, features.offsets, features.instance_sequence, features.provenance)
        return plain([np.asarray(value) if isinstance(value, np.memmap) else value for value in values])

    assert flip_many(path, read) > 0


def test_another_sequence_of_equal_length_is_noticed(tmp_path):
    """What says which sequence an instance has is part of the digest."""
    path = tmp_path / "train.h5"
    hidden = np.arange(32, dtype=np.float16).reshape(8, 4)
    write_features(path, [hidden], 4, np.array([0, 4, 8]), np.array([0, 1, 0]), {"corpus": "x"})
    with h5py.File(path, "r+") as file:
        file["instance_sequence"][2] = 1
    with pytest.raises(ZarpipeError, match="do not fit their digest"):
        Features.open(path)


def _as_soft_link(file, name, other):  # noqa: ARG001
    file[name] = h5py.SoftLink("/kept")


def _as_external_link(file, name, other):
    file[name] = h5py.ExternalLink(str(other), "/kept")


def _as_external_data(file, name, other):
    values = file["kept"][()]
    other.with_suffix(".raw").write_bytes(values.tobytes())
    external = [(str(other.with_suffix(".raw")), 0, h5py.h5f.UNLIMITED)]
    file.create_dataset(name, values.shape, values.dtype, external=external)


def _as_virtual_data(file, name, other):
    values = file["kept"][()]
    layout = h5py.VirtualLayout(values.shape, values.dtype)
    layout[...] = h5py.VirtualSource(str(other), "kept", values.shape)
    file.create_virtual_dataset(name, layout)


ELSEWHERE = [_as_soft_link, _as_external_link, _as_external_data, _as_virtual_data]


@pytest.mark.parametrize("move", ELSEWHERE)
@pytest.mark.parametrize("name", ["hidden", "instance_sequence"])
def test_features_with_data_elsewhere_are_refused(name, move, tmp_path):
    path = tmp_path / "train.h5"
    hidden = np.arange(32, dtype=np.float16).reshape(8, 4)
    write_features(path, [hidden], 4, np.array([0, 4, 8]), np.array([0, 1]), {"corpus": "x"})
    with h5py.File(path, "r+") as file:
        file.move(name, "kept")
    shutil.copy(path, tmp_path / "other.h5")
    with h5py.File(path, "r+") as file:
        move(file, name, tmp_path / "other.h5")
    with pytest.raises(ZarpipeError, match=rf"'{name}' (is a link|has its data in another file)"):
        Features.open(path)


PROBABILITIES = np.array([[0.7, 0.1, 0.1, 0.1], [0.25, 0.25, 0.25, 0.25], [0, 0, 0, 1]], np.float32)


def probabilities_file(path, values=PROBABILITIES, offsets=(0, 1, 3)):
    provenance = {"corpus": "c", "tagger": "t", "seed": 1}
    write_probabilities(path, np.asarray(values), np.asarray(offsets, np.int64), provenance)


def test_flips_in_probabilities(tmp_path):
    path = tmp_path / "p.probabilities.h5"
    probabilities_file(path)

    def read(file):
        return plain(list(vars(read_probabilities(file)).values()))

    assert flip_many(path, read) > 0


@pytest.mark.parametrize("move", ELSEWHERE)
def test_probabilities_elsewhere_are_refused(move, tmp_path):
    path = tmp_path / "p.probabilities.h5"
    probabilities_file(path)
    with h5py.File(path, "r+") as file:
        file.move("probabilities", "kept")
    shutil.copy(path, tmp_path / "other.h5")
    with h5py.File(path, "r+") as file:
        move(file, "probabilities", tmp_path / "other.h5")
    with pytest.raises(ZarpipeError, match=r"'probabilities' (is a link|has its data in another file)"):
        read_probabilities(path)


@pytest.mark.parametrize(
    ("values", "offsets"),
    [
        ([[0.7, 0.1, 0.1, 0.2]], [0, 1]),
        ([[1.5, -0.5, 0, 0]], [0, 1]),
        ([[np.nan, 0, 0, 1]], [0, 1]),
        ([[np.inf, 0, 0, 0]], [0, 1]),
        ([[0, 0, 1]], [0, 1]),
        ([[0, 0, 0, 1]], [0, 2]),
        ([[0, 0, 0, 1]], [1]),
        ([[0, 0, 0, 1]], [0, 2, 1]),
        ([[0, 0, 0, 1]], []),
    ],
)
def test_what_are_no_probabilities_is_refused(values, offsets, tmp_path):
    """Whole files, with the right checksum."""
    path = tmp_path / "p.probabilities.h5"
    probabilities_file(path, np.array(values, np.float32), offsets)
    with pytest.raises(ZarpipeError, match="make it again with `zarpipe predict`"):
        read_probabilities(path)


def test_probabilities_of_the_last_version_have_no_checksum(tmp_path):
    path = tmp_path / "p.probabilities.h5"
    probabilities_file(path)
    with h5py.File(path, "r+") as file:
        del file.attrs["sha256"]
    with pytest.raises(ZarpipeError, match="do not fit its checksum"):
        read_probabilities(path)
    with h5py.File(path, "r+") as file:
        provenance = json.loads(file.attrs["provenance"]) | {"format_version": 1}  # text of variable length
        file.attrs["provenance"] = json.dumps(provenance)
    assert read_probabilities(path).values.tolist() == PROBABILITIES.tolist()


def scores_file(path):
    write_scores(path, scores_with(0.5, 0.75))
    return read_json(path)


def test_flips_in_scores(tmp_path):
    path = tmp_path / "scores.json"
    scores_file(path)
    assert flip_many(path, read_scores) > FLIPS / 2


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("f1", 0.99), ("f1", 1e9), ("f1", "0.6"), ("f1", True), ("f1", None), ("precision", 0.25)),
        *(("recall", -1), ("tp", -1), ("tp", 1.5), ("tp", "3"), ("tp", True), ("fn", None)),
    ],
)
@pytest.mark.parametrize("category", ["ALL", "DEP", "ZAR"])
def test_scores_that_do_not_follow_from_their_counts_are_refused(category, name, value, tmp_path):
    path = tmp_path / "scores.json"
    content = scores_file(path)
    content[category]["ALL"][name] = value
    write_json(path, content)
    with pytest.raises(ZarpipeError, match=rf"scores\.json: .*{name}: found .*`zarpipe evaluate`"):
        read_scores(path)


@pytest.mark.parametrize(
    ("category", "case"), [("ZAR", "NOM"), ("ZAR", "ALL"), ("DEP", "DAT"), ("ALL", "ACC")]
)
def test_counts_that_do_not_add_up_are_refused(category, case, tmp_path):
    """Each entry by itself is right."""
    path = tmp_path / "scores.json"
    content = scores_file(path)
    entry = content[category][case]
    right, wrong, missed = entry["tp"] + 1, entry["fp"], entry["fn"]
    content[category][case] = {
        **{"tp": right, "fp": wrong, "fn": missed},
        **{"precision": right / (right + wrong), "recall": right / (right + missed)},
        "f1": 2 * right / (2 * right + wrong + missed),
    }
    write_json(path, content)
    with pytest.raises(ZarpipeError, match=r"cases have|DEP and ZAR have"):
        read_scores(path)


def test_flips_in_decisions(tiny, tmp_path):
    path = tmp_path / "p.parquet"
    table = read_corpus(tiny.dev)
    instances = instances_of(table)
    decided = np.full((len(instances), 3), -1, np.int64)
    decided[::2, 1] = 0
    gold = Gold(instances, table["sent_id"].combine_chunks(), "c")
    provenance = {"corpus": "c", "tagger": "t", "seed": 1}
    write_decisions(path, decided, np.full(decided.shape, 0.5), instances, gold.sent_ids, provenance)
    assert flip_many(path, lambda file: plain(read_decisions(file, gold))) > FLIPS / 4


HISTORY = (
    "epoch,loss,dev_f1,best_dev_f1,learning_rate,event\n1,2.5,0.1,0.1,0.001,none\n2,1.5,0.2,0.2,0.001,none\n"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (HISTORY, ""),
        ("1,2.5,0.1,0.1,0.001,none\n2,1.5,0.2,0.2,0.001,none\n", ""),
        ("2,1.5", "3,1.5"),
        ("1,2.5", "0,2.5"),
        ("1.5", "-1.5"),
        ("1.5", "inf"),
        ("1.5", "nan"),
        ("0.2,0.2", "1.2,0.2"),
        ("0.2,0.2", "0.2"),
        ("none\n2", "none,1\n2"),
        ("loss", "lost"),
    ],
)
def test_a_history_with_numbers_that_no_training_writes_is_refused(old, new, tmp_path):
    path = tmp_path / "history.csv"
    path.write_text(HISTORY)
    assert read_history(path).dev_f1 == [10.0, 20.0]
    path.write_text(HISTORY.replace(old, new))
    with pytest.raises(ZarpipeError, match="not a training history"):
        read_history(path)


def test_thresholds_that_are_not_the_taggers_are_refused(tiny, tmp_path, capsys):
    arguments = tiny_study.train_arguments(tiny, tmp_path / "t", "--epochs", "1", "--seed", "1")
    assert main(arguments) == 0
    thresholds = tmp_path / "t/thresholds.json"
    predict = tiny_study.predict_arguments(tiny, thresholds.parent, tmp_path / "p.parquet")
    assert main(predict) == 0
    write_json(thresholds, read_json(thresholds) | {"NOM": 0.01})
    assert main(predict) == 1
    assert f"{thresholds}: says other thresholds" in capsys.readouterr().err
