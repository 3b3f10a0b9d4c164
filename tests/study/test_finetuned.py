"""What a training of the MLM itself depends on, what it needs, and which rule runs it."""

import os

import pytest

from zarpipe.config import Config
from zarpipe.errors import ZarpipeError
from zarpipe.study.recipe import BASELINE
from zarpipe.study.study import Study
from zarpipe.workflow import Workflow

BASE = {
    "augmentation": {"alphas": [0.3, 0.5], "pos_sets": ["all", "noun"]},
    "training": {"seeds": [1, 2]},
    "tagger": {"compare": ["linear", "finetuned"]},
}
FINETUNED = BASELINE.model_copy(update={"architecture": "finetuned"})


def study_of(**sections):
    merged = {name: dict(values) for name, values in BASE.items()}
    for name, values in sections.items():
        merged[name] = merged.get(name, {}) | values
    return Study(Config.model_validate(merged), "results")


def keys(study, recipe):
    return study.jobs.train(recipe, 1).key, study.jobs.predict(recipe, "dev").key


def masked(study):
    return study.grid.masking("all")[1].model_copy(update={"architecture": "finetuned"})


def test_nothing_is_encoded_for_it():
    study = study_of()
    train = study.jobs.train(masked(study), 2)
    assert train.id == "finetune/masking-all-0.5-finetuned/seed2"
    assert [job.id for job in train.reads] == [
        "convert/corpus",
        "describe_mlm/mlm",
        "augment/masking-all-0.5",
    ]
    taggers = [f"finetune/baseline-finetuned/seed{seed}" for seed in (1, 2)]
    assert [job.id for job in study.jobs.predict(FINETUNED, "dev").reads] == [*taggers, "convert/corpus"]


@pytest.mark.parametrize(
    ("sections", "depends"),
    [
        ({"finetuning": {"learning_rate": 2e-5}}, (True, False)),
        ({"finetuning": {"warm_up": 0}}, (True, False)),
        ({"finetuning": {"batch_tokens": 128}}, (True, False)),
        ({"finetuning": {"compute_dtype": "bfloat16"}}, (True, False)),
        ({"training": {"epochs": 3}}, (True, True)),
        ({"training": {"predicate_flags": "target"}}, (True, True)),
        ({"tagger": {"output_bias": True}}, (True, True)),
        ({"tagger": {"accept": "exceeds"}}, (True, True)),
        ({"mlm": {"trust_remote_code": True}}, (True, True)),
        ({"training": {"learning_rate": 0.5}}, (False, True)),
        ({"training": {"compute_dtype": "bfloat16"}}, (False, True)),
        ({"tagger": {"layers": 3}}, (False, True)),
        ({"tagger": {"hidden_size": 3}}, (False, True)),
        ({"tagger": {"compare": ["finetuned"]}}, (False, False)),
        ({"encoding": {"batch_tokens": 128}}, (False, True)),
        ({"encoding": {"compute_dtype": "bfloat16"}}, (False, True)),
        ({"augmentation": {"seed": 3}}, (False, False)),
    ],
)
def test_it_depends_on_its_own_settings_alone(sections, depends):
    """And the other taggers not on what is its own."""
    before, after = study_of(), study_of(**sections)
    changed = tuple(keys(before, recipe) != keys(after, recipe) for recipe in (FINETUNED, BASELINE))
    assert changed == depends


def test_masks_matter_for_copies():
    before, after = study_of(), study_of(augmentation={"seed": 3})
    assert keys(before, masked(before)) != keys(after, masked(after))


def test_options_of_its_rule():
    study = study_of(finetuning={"learning_rate": 3e-5})
    options = study.jobs.train(masked(study), 1).options.split()
    assert "--finetuning-learning-rate=3e-05" in options
    assert not [one for one in options if one.startswith(("--learning-rate", "--layers"))]
    variant = study.variant(masked(study).variant).path
    assert options[options.index("--variant") + 1] == variant
    assert "--trust-remote-code=false" in study.jobs.predict(FINETUNED, "dev").options
    assert "--features" not in study.jobs.predict(FINETUNED, "dev").options


def test_memory_follows_the_weights(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Workflow(study_of(), main=False).finetuning_megabytes() == 4000 + 16
    folder = tmp_path / "mlm"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").touch()
    os.truncate(folder / "model.safetensors", 300 << 20)
    workflow = Workflow(study_of(mlm={"path": str(folder)}), main=False)
    assert workflow.finetuning_megabytes() == 4000 + 16 * 300


def test_a_bundle_of_it_is_refused(tmp_path):
    from zarpipe.serve.bundle.commands import Bundled
    from zarpipe.serve.bundle.make import make_bundle

    bundled = Bundled(results=tmp_path, recipe="baseline-finetuned", output=tmp_path / "bundle")
    with pytest.raises(
        ZarpipeError, match="baseline-finetuned: its taggers have a masked language model each"
    ):
        make_bundle(study_of(), bundled)
    assert not (tmp_path / "bundle").exists()


def test_antecedents_are_not_measured_with_it():
    sections = {"tagger": {"architecture": "finetuned", "compare": []}, "antecedents": {"policies": ["all"]}}
    with pytest.raises(ValueError, match="measured by taggers that read features; expected another"):
        study_of(**sections)
    study_of(antecedents={"policies": ["all"]})
