"""What a training of the MLM itself depends on, what it needs, and which rule runs it."""

import re
from pathlib import Path

import pytest

from zarpipe.config import Config
from zarpipe.formats.tagger import LIVE_TAGGER_FILES, TAGGER_FILES
from zarpipe.study import workflow
from zarpipe.study.recipe import BASELINE
from zarpipe.study.study import Study

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
    assert train.name == "train/masking-all-0.5-finetuned/seed2"
    assert [job.name for job in train.needs] == ["convert", "describe_mlm", "augment/masking-all-0.5"]
    predict = study.jobs.predict(FINETUNED, "dev")
    assert [job.name for job in predict.needs] == [
        "train/baseline-finetuned/seed1",
        "train/baseline-finetuned/seed2",
        "convert",
    ]


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


def test_code_of_the_other_taggers_does_not_count_for_them():
    """A change of the MLM's code leaves taggers alone that read features: only encoding runs it."""
    from zarpipe.config.tagger import module_of
    from zarpipe.study.digests import module_closure

    cached = module_closure("zarpipe.tagger.train", "zarpipe.tagger.predict", module_of("bigru"))
    live = module_closure("zarpipe.tagger.train", module_of("finetuned"))
    assert not {name for name in cached if name.startswith(("zarpipe.mlm", "zarpipe.tagger.live"))}
    assert {"zarpipe.mlm.loading", "zarpipe.mlm.batches", "zarpipe.tagger.live.model"} <= live


@pytest.mark.parametrize("architecture", ["bigru", "finetuned"])
def test_each_recipe_has_one_rule(architecture):
    """Rules' patterns are matched within paths; the chosen recipes' taggers are copies."""
    others = [name for name in ("bigru", "linear", "finetuned") if name != architecture]
    study = study_of(tagger={"architecture": architecture, "compare": others})
    assert workflow.has_live(study)
    patterns = [workflow.trained_pattern(study, live) for live in (False, True)]
    for recipe in study.grid.recipes():
        path = f"taggers/{recipe.name}/seed1/history.csv"
        found = [bool(re.fullmatch(rf"taggers/{one}/seed1/history\.csv", path)) for one in patterns]
        assert found == [not study.jobs.is_live(recipe), study.jobs.is_live(recipe)], recipe.name
    chosen = "taggers/chosen-masking/seed1/history.csv"
    assert not any(re.fullmatch(rf"taggers/{one}/seed1/history\.csv", chosen) for one in patterns)


def test_a_study_without_it_has_no_such_rule():
    study = study_of(tagger={"compare": ["linear"]})
    assert not workflow.has_live(study)
    assert workflow.trained_pattern(study, live=False) == workflow.TRAINED_PATTERN


def test_files_of_taggers():
    study = study_of()
    assert len(workflow.taggers_of(study, FINETUNED)) == 2 * len(LIVE_TAGGER_FILES)
    assert len(workflow.taggers_of(study, BASELINE)) == 2 * len(TAGGER_FILES)
    assert "results/taggers/baseline-finetuned/seed2/mlm/model.safetensors" in workflow.taggers_of(
        study, FINETUNED
    )
    own = study_of(tagger={"architecture": "finetuned", "compare": []})
    assert "results/taggers/chosen-cda/seed1/mlm/config.json" in workflow.chosen_taggers(own)


def test_options_of_its_rule():
    study = study_of(finetuning={"learning_rate": 3e-5})
    options = study.jobs.finetuning_options().split()
    assert "--finetuning-learning-rate=3e-05" in options
    assert not [one for one in options if one.startswith(("--learning-rate", "--layers"))]
    assert "--variant results/variants/masking-all-0.5.parquet" in workflow.recipe_options(
        study, masked(study)
    )
    assert workflow.prediction_options(study, FINETUNED, "dev") == "--trust-remote-code=false"
    assert workflow.prediction_options(study, BASELINE, "dev") == "--features=results/features/dev.h5"
    assert workflow.split_features(study, FINETUNED, "dev") == []


def test_memory_follows_the_weights(tmp_path):
    assert workflow.finetuning_memory(study_of()) == 4000 + 16
    folder = tmp_path / "mlm"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    with Path(folder / "model.safetensors").open("wb") as stream:
        stream.truncate(300 << 20)
    assert workflow.finetuning_memory(study_of(mlm={"path": str(folder)})) == 4000 + 16 * 300


def test_a_bundle_of_it_is_refused(tmp_path):
    from zarpipe.errors import ZarpipeError
    from zarpipe.serve.bundle.make import Wanted, make_bundle

    with pytest.raises(
        ZarpipeError, match=r"baseline-finetuned: its taggers have a masked language model each"
    ):
        make_bundle(study_of(), Wanted(recipe="baseline-finetuned"), tmp_path / "bundle")
    assert not (tmp_path / "bundle").exists()


def test_antecedents_are_not_measured_with_it():
    sections = {"tagger": {"architecture": "finetuned", "compare": []}, "antecedents": {"policies": ["all"]}}
    with pytest.raises(ValueError, match="measured by taggers that read features; expected another"):
        study_of(**sections)
    study_of(antecedents={"policies": ["all"]})
