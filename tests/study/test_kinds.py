"""Kinds of taggers: what other layers or another pooling add to a study, and that they add nothing else."""

import json

import pytest

from zarpipe.config import Config
from zarpipe.config.encoding import TokenEncoding
from zarpipe.errors import ZarpipeError
from zarpipe.study.checks import check_inputs
from zarpipe.study.recipe import BASELINE, BASELINE_TWICE, Recipe, masking, recipes_of
from zarpipe.study.study import Study

MIX = TokenEncoding(layers="mix", pooling="first")
COMPARED = [{"layers": "mix"}, "linear", {"architecture": "linear", "layers": [0, 1], "pooling": "mean"}]
PARTS = TokenEncoding(layers="0+1", pooling="mean")


def study_of(compare, results="results", **sections):
    base = {
        "augmentation": {"alphas": [0.5], "pos_sets": ["all"]},
        "training": {"seeds": [1, 2]},
        "tagger": {"compare": compare},
    }
    return Study(Config.model_validate(base | sections), results)


def keys(study, recipe):
    return [
        study.jobs.train(recipe, 1).key,
        *(study.jobs.predict(recipe, one).key for one in ("dev", "test")),
    ]


@pytest.mark.parametrize(
    ("states", "name", "spoken"),
    [
        (("mix", "first"), "mix", "mix"),
        (("last", "mean"), "last-meanpool", "last, mean of subwords"),
        ((9, "first"), "layer9", "layer 9"),
        (([9, 10], "first"), "layers9+10", "layers 9+10"),
        (("mean 9-12", "mean"), "mean9-12-meanpool", "mean 9-12, mean of subwords"),
    ],
)
def test_what_stands_for_a_token_has_one_name(states, name, spoken):
    layers, pooling = states
    found = TokenEncoding(layers=layers, pooling=pooling)
    assert (found.name, found.spoken) == (name, spoken)
    recipe = Recipe(copies=2, architecture="linear", states=found)
    assert recipe.name == f"baseline2x-linear-{name}"
    assert recipes_of({recipe.name: json.loads(json.dumps(recipe.definition()))}) == {recipe.name: recipe}


def test_the_methods_are_trained_with_each_kind():
    models = study_of(COMPARED).grid.models()
    assert list(models) == ["bigru", "bigru, mix", "linear", "linear, layers 0+1, mean of subwords"]
    names = {kind: rows["masking"][0].name for kind, rows in models.items()}
    ends = ("", "-mix", "-linear", "-linear-layers0+1-meanpool")
    assert list(names.values()) == [f"masking-all-0.5{end}" for end in ends]
    # The baseline with as many updates reads the same.
    for rows in models.values():
        assert rows["baseline2x"] == [rows["masking"][0].equal_updates]


def test_what_a_kind_shares_with_the_studys_own_is_not_said_again():
    """One name for one training, however it is written."""
    spelled = [{"architecture": "bigru", "layers": "mix", "pooling": "first"}]
    assert study_of(spelled).grid.models() == study_of([{"layers": "mix"}]).grid.models()
    own = study_of(["linear"], encoding={"layers": "mix"})
    assert own.grid.recipes() == study_of(["linear"]).grid.recipes()
    assert own.grid.states() == []


def test_nothing_of_a_study_runs_again_for_another_kind():
    """Names, definitions and keys are as before; the chosen ones are chosen among the same."""
    before, after = study_of(["linear", "finetuned"]), study_of([*COMPARED, "finetuned"])
    assert before.grid.candidates() == after.grid.candidates()
    assert before.jobs.choose().key == after.jobs.choose().key
    for recipe in before.grid.recipes():
        assert recipe in after.grid.recipes()
        assert "states" not in recipe.definition()
        assert keys(before, recipe) == keys(after, recipe)
    assert before.config.model_dump(mode="json")["tagger"]["compare"] == ["linear", "finetuned"]


def test_its_features_are_encoded_beside_the_studys_own():
    study = study_of(COMPARED)
    mixed = masking("all", "0.5").model_copy(update={"states": MIX})
    features = ["encode/mix/train", "encode/mix/dev", "encode_variant/mix/masking-all-0.5"]
    assert [job.id for job in study.jobs.train(mixed, 1).reads] == ["convert/corpus", *features]
    variant = study.jobs.encode_variant(mixed.variant, MIX)
    reads = ["convert/corpus", "augment/masking-all-0.5", "encode/mix/train", "describe_mlm/mlm"]
    assert [job.id for job in variant.reads] == reads
    assert study.jobs.predict(mixed, "dev").reads[-1].id == "encode/mix/dev"
    assert {"--layers=mix", "--pooling=first"} <= set(variant.options.split())


def model(folder, **settings):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(settings))
    (folder / "model.safetensors").write_bytes(b"")
    return {"path": str(folder)}


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"encoding": {"layers": [2, 5]}}, r"^encoding\.layers: found 2\+5; expected layers of mlm"),
        ({"compare": ["linear", {"layers": "mean 3-5"}]}, r"^tagger\.compare\[1\]\.layers: found mean 3-5;"),
    ],
)
def test_a_layer_that_the_model_lacks_is_refused_before_any_job(tmp_path, sections, message):
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/950101-0002-950101008.ntc").write_text("EOS\n")
    sections = {"compare": [], "corpus": {"path": str(tmp_path / "corpus")}} | sections
    known = study_of(**sections, mlm=model(tmp_path / "mlm", num_hidden_layers=4))
    with pytest.raises(ZarpipeError, match=message + r".* which has 0 \(the embeddings\) to 4$"):
        check_inputs(known)
    check_inputs(study_of(**sections, mlm=model(tmp_path / "deeper", n_layers=5)))
    # Who does not say it is asked by the encode job.
    check_inputs(study_of(**sections, mlm=model(tmp_path / "silent")))
    with pytest.raises(ZarpipeError, match=r"layers of small-mlm, which has 0"):
        check_inputs(study_of(**sections))


def test_a_bundle_computes_hidden_states_as_its_taggers_read_them():
    jobs = study_of(COMPARED, encoding={"batch_tokens": 128}).jobs
    assert jobs.encoding(BASELINE_TWICE.states) == jobs.config.encoding
    encoding = jobs.encoding(PARTS)
    assert (str(encoding.layers), encoding.pooling, encoding.batch_tokens) == ("0+1", "mean", 128)
    assert BASELINE.states is None
