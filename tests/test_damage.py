"""Files damaged after they were written: refused in a job's folder, without a traceback elsewhere."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
import pyarrow.parquet as pq
import pytest
import tiny_study
import torch
from made_scores import scores_with

from zarpipe import job_folders
from zarpipe.cli import main
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest, read_json, write_json
from zarpipe.formats.copies import read_kept_copies, write_kept_copies
from zarpipe.formats.corpus import instances_of, read_corpus
from zarpipe.formats.corpus_writer import CorpusWriter
from zarpipe.formats.features import Features, write_features
from zarpipe.formats.history import read_history
from zarpipe.formats.predictions import Gold, read_decisions, write_decisions
from zarpipe.formats.probabilities import read_probabilities, write_probabilities
from zarpipe.formats.scores import read_scores, write_scores
from zarpipe.formats.segmentation_scores import read_segmentation_scores, write_segmentation_scores
from zarpipe.formats.tagger import read_tensors, write_tensors
from zarpipe.formats.variant import Replacements, read_variant, write_variant
from zarpipe.task.scores import score
from zarpipe.task.segmentation import PARTS

FLIPS = 60
HISTORY = (
    "epoch,loss,dev_f1,best_dev_f1,learning_rate,event\n1,2.5,0.1,0.1,0.001,none\n2,1.5,0.2,0.2,0.001,none\n"
)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return tiny_study.build(tmp_path_factory.mktemp("tiny"))


def write_small_corpus(path, rows):
    with path.open("wb") as stream:
        writer = CorpusWriter(stream, "sources")
        for batch in rows.combine_chunks().to_batches(2):
            writer.write(batch, "juman")
        writer.close("juman", {})


def write_small_variant(path, replaced):
    offsets, masked = np.array([0, 2, 3], np.int64), np.array([0, 4, 1], np.int64)
    probabilities = np.array([0.5, 0.25, 1], np.float32)
    new = Replacements(np.array([5, 6, 7]), ["a", "b", "c"], probabilities, {"fill": "multi"})
    settings = {"pos_set": "all", "alpha": 0.5, "seed": 1, "draw": "predicate"}
    predicates = np.array([1, 2])
    write_variant(
        path, ["s", "t"], predicates, offsets, masked, "digest", new if replaced else None, settings
    )


def write_small_features(path):
    hidden = np.arange(32, dtype=np.float16).reshape(8, 4)
    write_features(path, [hidden], 4, np.array([0, 4, 8]), np.array([0, 1, 0]), {"corpus": "x", "mlm": "m"})


def write_small_probabilities(path):
    values = np.array([[0.7, 0.1, 0.1, 0.1], [0.25, 0.25, 0.25, 0.25], [0, 0, 0, 1]], np.float32)
    write_probabilities(path, values, np.array([0, 1, 3]))


class Kind(NamedTuple):
    """A kind of file: its name, what writes a small one, and what reads it."""

    name: str
    write: Callable[[Path], None]
    read: Callable[[Path], Any]


@pytest.fixture
def kinds(tiny):
    rows = pq.read_table(tiny.dev).slice(0, 5)
    instances = instances_of(rows)
    gold = Gold(instances, rows["sent_id"].combine_chunks())
    decided = np.full((len(instances), 3), -1, np.int64)
    decided[::2, 1] = 0
    some, none = np.ones(len(instances), bool), np.zeros(len(instances), np.int64)

    def decisions(path):
        write_decisions(path, decided, np.full(decided.shape, 0.5), instances, gold.sent_ids)

    def of_segmenter(path):
        write_segmentation_scores(path, dict.fromkeys(PARTS, score(3, 1, 2)))

    return [
        Kind("corpus.parquet", lambda path: write_small_corpus(path, rows), read_corpus),
        Kind("masking.parquet", lambda path: write_small_variant(path, False), read_variant),
        Kind("cda.parquet", lambda path: write_small_variant(path, True), read_variant),
        Kind("features.h5", write_small_features, lambda path: Features.open(path).check_whole()),
        Kind("a.probabilities.h5", write_small_probabilities, read_probabilities),
        Kind("decisions.parquet", decisions, lambda path: read_decisions(path, gold)),
        Kind(
            "kept.parquet",
            lambda path: write_kept_copies(path, some, none, instances, gold.sent_ids, "c"),
            lambda path: read_kept_copies(path, len(instances), "c"),
        ),
        Kind(
            "tagger.safetensors",
            lambda path: write_tensors(path, {"weight": torch.arange(9.0)}, {"config": {"layers": 1}}),
            read_tensors,
        ),
        Kind("history.csv", lambda path: path.write_text(HISTORY), read_history),
        Kind("scores.json", lambda path: write_scores(path, scores_with(0.5, 0.75)), read_scores),
        Kind("segmentation.json", of_segmenter, read_segmentation_scores),
    ]


def flipped(path):
    """Flip random bits of a file, one at a time."""
    chance, content = random.Random(1), path.read_bytes()
    for _ in range(FLIPS):
        damaged = bytearray(content)
        damaged[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        job_folders._digests.clear()  # the same size and time may come again within one clock step
        yield
    path.write_bytes(content)


def test_every_flipped_bit_in_a_jobs_folder_is_refused(kinds, tmp_path):
    folder = tmp_path / f"predict/dev@{'0' * job_folders.KEY_LENGTH}"
    with job_folders.making(
        folder, {"rule": "predict", "name": "dev", "key": "0" * job_folders.KEY_LENGTH}
    ) as work:
        for kind in kinds:
            kind.write(work / kind.name)
    for kind in kinds:
        kind.read(folder / kind.name)
        for _ in flipped(folder / kind.name):
            with pytest.raises(ZarpipeError, match="its bytes are not those that its job wrote"):
                kind.read(folder / kind.name)


def test_flipped_bits_elsewhere_are_a_message_where_the_format_tells(kinds, tmp_path):
    for kind in kinds:
        path, refused = tmp_path / kind.name, 0
        kind.write(path)
        for _ in flipped(path):
            try:
                kind.read(path)
            except ZarpipeError:
                refused += 1
        assert refused, kind.name


def test_a_folder_has_no_digest_but_a_message(tmp_path):
    with pytest.raises(ZarpipeError, match="cannot read this file"):
        file_digest(tmp_path)


def test_a_cda_variant_without_its_replacements_is_damage(tmp_path):
    path = tmp_path / "variant.parquet"
    write_small_variant(path, replaced=True)
    pq.write_table(pq.read_table(path).drop_columns("replacement_ids"), path)
    with pytest.raises(ZarpipeError, match="damaged"):
        read_variant(path)


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


@pytest.mark.parametrize("move", [_as_soft_link, _as_external_link, _as_external_data, _as_virtual_data])
@pytest.mark.parametrize(
    ("write", "name", "read"),
    [
        (write_small_features, "hidden", Features.open),
        (write_small_features, "instance_sequence", Features.open),
        (write_small_probabilities, "probabilities", read_probabilities),
    ],
)
def test_data_elsewhere_are_refused(write, name, read, move, tmp_path):
    path = tmp_path / "file.h5"
    write(path)
    with h5py.File(path, "r+") as file:
        file.move(name, "kept")
    shutil.copy(path, tmp_path / "other.h5")
    with h5py.File(path, "r+") as file:
        move(file, name, tmp_path / "other.h5")
    with pytest.raises(ZarpipeError, match=rf"'{name}' (is a link|has its data in another file)"):
        read(path)


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
    path = tmp_path / "p.probabilities.h5"
    write_probabilities(path, np.array(values, np.float32), np.array(offsets, np.int64))
    with pytest.raises(ZarpipeError, match="make it again with `zarpipe predict`"):
        read_probabilities(path)


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
    write_scores(path, scores_with(0.5, 0.75))
    content = read_json(path)
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
    write_scores(path, scores_with(0.5, 0.75))
    content = read_json(path)
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
