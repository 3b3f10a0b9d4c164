"""Which number format ``encoding.compute_dtype: auto`` stands for."""

import json
import logging

import pytest
import torch
from tiny_corpora import write_corpus

from zarpipe import seals
from zarpipe.cli import main
from zarpipe.config import Config, EncodingConfig, MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.files import write_json
from zarpipe.formats.features import Features
from zarpipe.mlm import compute_dtype
from zarpipe.mlm.compute_dtype import judged, read_choice, with_chosen_dtype
from zarpipe.study.study import Study

# Two dimensions with means 10 and 0, and a spread of 2 (the root of the mean of 3² + 3² + 1 + 1 by 4 is √5).
EXACT = torch.tensor([[13.0, 1.0], [7.0, -1.0]])
SPREAD = 5**0.5
AUTO = EncodingConfig(compute_dtype="auto", device="cpu")


@pytest.mark.parametrize(
    ("change", "chosen", "difference", "largest"),
    [
        ([[0.0, 0.0], [0.0, 0.0]], "bfloat16", 0, 0),
        ([[0.06, 0.06], [-0.06, 0.06]], "bfloat16", 0.06 / SPREAD, 0.06 / SPREAD),
        ([[0.07, 0.07], [-0.07, 0.07]], "float32", 0.07 / SPREAD, 0.07 / SPREAD),
        ([[0.0, 0.0], [0.0, float("nan")]], "float32", None, None),
        ([[float("inf"), 0.0], [0.0, 0.0]], "float32", None, None),
    ],
)
def test_bfloat16_is_taken_within_the_bounds(change, chosen, difference, largest):
    choice = judged(EXACT, EXACT + torch.tensor(change))
    assert choice.compute_dtype == chosen
    assert choice.difference == (difference and pytest.approx(difference, rel=1e-3))
    assert choice.largest_difference == (largest and pytest.approx(largest, rel=1e-3))


def test_one_value_that_is_far_off_is_too_much():
    exact = torch.randn(4000, 2, generator=torch.Generator().manual_seed(1))
    rounded = exact.clone()
    rounded[7, 1] += 0.6
    choice = judged(exact, rounded)
    assert choice.difference < compute_dtype.BOUND
    assert choice.compute_dtype == "float32"
    assert choice.largest_difference == pytest.approx(0.6, abs=0.02)


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(
        tmp_path / "train.parquet", [["東京", "を", "食べた"], ["荷物", "を", "運ん", "だ"]], [[2], [2]]
    )


@pytest.fixture
def _fast_bfloat16(monkeypatch):
    monkeypatch.setattr(compute_dtype, "multiplies_bfloat16", lambda _device: True)


def test_a_device_without_instructions_does_not_try(monkeypatch, corpus, caplog):
    monkeypatch.setattr(compute_dtype, "multiplies_bfloat16", lambda _device: False)
    monkeypatch.delattr(compute_dtype, "load_mlm")
    with caplog.at_level(logging.INFO):
        chosen = with_chosen_dtype(corpus, MlmConfig(path="none"), AUTO)
    assert chosen == AUTO.model_copy(update={"compute_dtype": "float32"})
    assert "float32 (the CPU has no instructions for bfloat16 matrices)" in caplog.text


@pytest.mark.usefixtures("_fast_bfloat16")
def test_features_say_what_was_chosen(tiny_mlm, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(compute_dtype, "BOUND", 0.2)  # random weights differ more
    mlm, choice = str(tiny_mlm("bert-ja")), tmp_path / "choice.json"
    common = [str(corpus), "--mlm", mlm, "--device", "cpu"]
    assert main(["choose-compute-dtype", *common, "--output", str(choice)]) == 0
    found = json.loads(choice.read_text(encoding="utf-8"))
    assert found["compute_dtype"] == "bfloat16"
    assert 0 < found["difference"] < compute_dtype.BOUND
    assert 0 < found["largest_difference"] < compute_dtype.LARGEST_BOUND

    digests = {}
    for name, options in {
        "given": ["--compute-dtype", "bfloat16"],
        "corpus": ["--compute-dtype", "auto"],
        "file": ["--compute-dtype", "auto", "--chosen-compute-dtype", str(choice)],
    }.items():
        assert main(["encode", *common, *options, "--output", str(tmp_path / f"{name}.h5")]) == 0
        provenance = Features.open(tmp_path / f"{name}.h5").provenance
        assert provenance["compute_dtype"] == "bfloat16"
        digests[name] = provenance["digest"]
    assert len(set(digests.values())) == 1


def test_the_file_decides(tmp_path):
    file = tmp_path / "choice.json"
    file.write_text('{"compute_dtype": "float32"}', encoding="utf-8")
    encoding = with_chosen_dtype(tmp_path / "none", MlmConfig(path="none"), AUTO, file)
    assert encoding.compute_dtype == "float32"
    with pytest.raises(
        ZarpipeError, match=r"--chosen-compute-dtype: found with bfloat16; it belongs to auto"
    ):
        with_chosen_dtype(tmp_path, MlmConfig(path="none"), EncodingConfig(compute_dtype="bfloat16"), file)


@pytest.mark.parametrize("content", ["[]", "{}", '{"compute_dtype": "float16"}'])
def test_a_file_without_a_choice_is_refused(tmp_path, content):
    file = tmp_path / "choice.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(
        ZarpipeError, match=r"choice.json: compute_dtype: found .*expected float32 or bfloat16"
    ):
        read_choice(file)


def test_a_choice_of_the_workflow_that_was_edited_is_refused(tmp_path):
    file = tmp_path / "mlm/compute_dtype.json"
    write_json(file, {"compute_dtype": "bfloat16"})
    seals.write(tmp_path, file, {"choose_compute_dtype": "key"})
    assert read_choice(file) == "bfloat16"
    write_json(file, {"compute_dtype": "float32"})
    with pytest.raises(ZarpipeError, match="its bytes are not those that `choose_compute_dtype` wrote"):
        read_choice(file)


def test_all_that_runs_the_mlm_reads_one_choice():
    by_default, auto = (
        Study(Config(), "results"),
        Study(Config(encoding={"compute_dtype": "auto"}), "results"),
    )
    for study, count in ((by_default, 0), (auto, 1)):
        cda = next(variant for variant in study.grid.variants() if variant.replaces)
        jobs = study.jobs
        for job in (
            jobs.encode("dev"),
            jobs.encode_variant(cda),
            jobs.augment(cda),
            jobs.token_probabilities(),
        ):
            assert [one.name for one in job.needs].count("choose_compute_dtype") == count
        assert sum(one.path == "results/mlm/compute_dtype.json" for one in study.running_mlm()) == count
