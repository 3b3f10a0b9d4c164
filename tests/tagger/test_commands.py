"""`zarpipe train` and `zarpipe predict` from files to files."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from tiny_study import train_arguments

from zarpipe.cli import main
from zarpipe.config import TrainingConfig
from zarpipe.evaluate.evaluation import read_gold, score_file
from zarpipe.formats.corpus import read_corpus, read_instances
from zarpipe.formats.probabilities import read_probabilities
from zarpipe.formats.tagger import read_tensors
from zarpipe.tagger import loop, train
from zarpipe.tagger.cached import CachedStates
from zarpipe.task.thresholds import candidates, gold_of_labels, search_thresholds

NAMES = {"tagger.safetensors", "thresholds.json", "history.csv"}


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def trained(study, tmp_path_factory):
    """Two seeds of the recipe with a variant."""
    recipe = tmp_path_factory.mktemp("recipe")
    more = ["--variant-features", str(study.variant_features), "--epochs", "6"]
    for seed in ("1", "2"):
        assert main(train_arguments(study, recipe / f"seed{seed}", *more, "--seed", seed)) == 0
    return recipe


def test_training_writes_whole_folders(trained):
    assert {path.name for path in trained.iterdir()} == {"seed1", "seed2"}
    folder = trained / "seed1"
    assert set(bytes_of(folder)) == NAMES
    rows = list(csv.DictReader((folder / "history.csv").open(encoding="utf-8")))
    assert [int(row["epoch"]) for row in rows] == [1, 2, 3, 4, 5, 6]
    assert float(rows[-1]["loss"]) < float(rows[0]["loss"])
    assert float(rows[-1]["best_dev_f1"]) == max(float(row["dev_f1"]) for row in rows)
    _, metadata = read_tensors(folder / "tagger.safetensors")
    assert metadata["config"]["layers"] == 2
    assert metadata["provenance"]["seed"] == 1
    assert metadata["provenance"]["dev_f1"] == float(rows[-1]["best_dev_f1"])


def test_a_sentence_that_makes_up_an_epoch_is_said_once(study, make, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(train, "_MANY_TOKENS", 1)
    make.corpus(tmp_path / "train.parquet", 3, 2)
    make.features(tmp_path / "train.h5", tmp_path / "train.parquet", 2)
    more = ["--corpus", str(tmp_path / "train.parquet"), "--features", str(tmp_path / "train.h5")]
    assert main(train_arguments(study, tmp_path / "t", *more, "--seed", "1", "--epochs", "1")) == 0
    instances = read_instances(tmp_path / "train.parquet")
    tokens = np.bincount(instances.sentence, weights=instances.lengths)
    told = [line for line in capsys.readouterr().err.splitlines() if "of an epoch" in line]
    assert len(told) == 1
    assert f"the sentence 'd-{tokens.argmax()}' has " in told[0]
    assert f"makes up {int(tokens.max())} of the {int(tokens.sum())} tokens of an epoch" in told[0]


def test_the_same_seed_gives_the_same_files_and_another_seed_others(study, trained, tmp_path):
    more = ["--variant-features", str(study.variant_features), "--seed", "2", "--epochs", "6"]
    assert main(train_arguments(study, tmp_path / "again", *more)) == 0
    one, two = (bytes_of(trained / f"seed{seed}") for seed in (1, 2))
    assert bytes_of(tmp_path / "again") == two
    assert one["tagger.safetensors"] != two["tagger.safetensors"]


def test_predictions_reach_the_development_f1_of_the_training(study, trained, tmp_path):
    """The tagger on disk is the best epoch's, with its thresholds: the same F1 comes out."""
    outputs = [tmp_path / f"seed{seed}" / "dev.parquet" for seed in (1, 2)]
    given = ["--tagger", *(str(trained / f"seed{seed}") for seed in (1, 2))]
    given += ["--corpus", str(study.dev), "--features", str(study.dev_features)]
    given += ["--output", *map(str, outputs), "--batch-size", "32", "--threads", "1"]
    assert main(["predict", *given]) == 0
    instances = read_instances(study.dev)
    for seed, output in zip((1, 2), outputs, strict=True):
        rows = list(csv.DictReader((trained / f"seed{seed}" / "history.csv").open(encoding="utf-8")))
        probabilities = read_probabilities(output.with_suffix(".probabilities.h5"))
        assert (probabilities.offsets == instances.offsets).all()
        assert np.allclose(probabilities.values.sum(axis=1), 1, atol=1e-5)
        found = candidates(probabilities.values, probabilities.offsets)
        search = search_thresholds(found, gold_of_labels(instances.labels), instances.offsets)
        best = float(rows[-1]["best_dev_f1"])
        assert search.f1 == best
        assert search.thresholds == json.loads((trained / f"seed{seed}" / "thresholds.json").read_text())
        # No token of the made-up corpus has two cases, so the annotated gold gives the same.
        assert score_file(output, read_gold(study.dev))["ALL"]["ALL"]["f1"] == pytest.approx(best)
        decided = pq.read_table(output)
        assert decided.column_names == ["sent_id", "predicate", "case", "token", "probability"]
        assert decided.num_rows == (found.decide(search.thresholds) >= 0).sum()


AS_JOB = """
import sys
from pathlib import Path
from zarpipe.cli import main
from zarpipe.config import TrainingConfig
from zarpipe.job_folders import making
output, *arguments = sys.argv[1:]
with making(Path(output), {}) as work:
    assert main([*arguments, "--output", str(work)]) == 0
"""


def test_a_killed_job_goes_on_to_the_same_weights(study, tmp_path):
    more = ["--seed", "3", "--epochs", "40"]
    assert main(train_arguments(study, tmp_path / "whole", *more)) == 0
    output = tmp_path / "killed"
    command = [sys.executable, "-c", AS_JOB, str(output), *train_arguments(study, output, *more)]
    process = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, stderr=subprocess.DEVNULL)
    checkpoint = tmp_path / ".killed.unfinished/checkpoint.safetensors"
    deadline = time.monotonic() + 60
    while not checkpoint.exists() and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not output.exists()
    assert checkpoint.exists()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    assert {name: content for name, content in bytes_of(output).items() if name != "job.json"} == bytes_of(
        tmp_path / "whole"
    )
    assert not checkpoint.parent.exists()


def test_a_damaged_checkpoint_is_none(tmp_path):
    state = loop.initial_state(torch.nn.Linear(2, 2), TrainingConfig())
    path = tmp_path / "checkpoint.safetensors"
    loop.save_checkpoint(path, state)
    content, kept = bytearray(path.read_bytes()), state.model.weight.detach().clone()
    for damage, found in ((1, torch.zeros(2, 2)), (0, kept)):
        content[-1] ^= damage
        path.write_bytes(content)
        torch.nn.init.zeros_(state.model.weight)
        loop.load_checkpoint(path, state)
        assert torch.equal(state.model.weight, found)
        content[-1] ^= damage


def test_a_development_set_without_a_case_is_told(tmp_path, study, make, capsys):
    corpus, features = tmp_path / "dev.parquet", tmp_path / "dev.h5"
    table = read_corpus(study.dev)
    rows = table.to_pylist()
    for row in rows:
        for predicate in row["predicates"]:
            predicate["arguments"] = [one for one in predicate["arguments"] if one["case"] != "DAT"]
    pq.write_table(pa.Table.from_pylist(rows, table.schema), corpus)
    make.features(features, corpus, 1)
    given = train_arguments(study, tmp_path / "out", "--seed", "1", "--epochs", "2")
    given[given.index("--dev-corpus") + 1] = str(corpus)
    given[given.index("--dev-features") + 1] = str(features)
    assert main(given) == 0
    message = capsys.readouterr().err
    assert f"{corpus}: no argument of the case DAT; its threshold stays at the lowest value" in message
    assert "seed 1, epoch 1/2, loss " in message
    thresholds = json.loads((tmp_path / "out" / "thresholds.json").read_text(encoding="utf-8"))
    assert thresholds["DAT"] == 0.0


def test_lack_of_memory_is_explained(tmp_path, study, monkeypatch, capsys):
    def parts(*_):
        raise RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes.")

    monkeypatch.setattr(CachedStates, "parts", parts)
    assert main(train_arguments(study, tmp_path / "out", "--seed", "1")) == 1
    assert "not enough memory for batches of 32 instances; lower training.batch_size" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize("name", ["tagger.safetensors", "missing"])
def test_a_damaged_tagger_is_refused(tmp_path, study, name, capsys):
    folder = tmp_path / "seed1"
    folder.mkdir()
    (folder / name).write_bytes(b"not a tagger")
    given = ["--tagger", str(folder), "--corpus", str(study.dev), "--features", str(study.dev_features)]
    assert main(["predict", *given, "--output", str(tmp_path / "dev.parquet")]) == 1
    assert f"{folder / 'tagger.safetensors'}: cannot be read as a tagger" in capsys.readouterr().err
