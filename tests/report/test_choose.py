"""The choice of what goes on to the test set."""

import json

import pytest

from zarpipe.errors import ZarpipeError
from zarpipe.formats.tagger import TAGGER_FILES
from zarpipe.report.choose import choose, read_chosen, read_tested
from zarpipe.study.grid import recipes_in


@pytest.fixture
def trained(made):
    """On dev masking-all_but_verb is better; on test, which nobody may look at, masking-all is."""
    configure(made, [1, 2])
    zar = {"cda-all-0.5-multi-argmax": 0.6, "masking-all-0.5": 0.61, "masking-all_but_verb-0.5": 0.62}
    for recipe, f1 in zar.items():
        for seed in (1, 2):
            made.tagger(recipe, seed)
            made.scores(recipe, seed, f1)
            made.scores(recipe, seed, 1 - f1, split="test")
    return made


def configure(made, seeds):
    augmentation = {"alphas": [0.5], "pos_sets": ["all", "all_but_verb"]}
    made.configure(augmentation=augmentation, training={"seeds": seeds})


def test_dev_decides_and_the_taggers_are_copied(trained):
    output = trained.report("choose", "chosen.json")
    expected = {"cda": "cda-all-0.5-multi-argmax", "masking": "masking-all_but_verb-0.5"}
    assert read_chosen(trained.study) == expected
    for method, recipe in expected.items():
        for seed in (1, 2):
            folder, copies = (trained.path("tagger", name, seed) for name in (recipe, f"chosen-{method}"))
            for name in TAGGER_FILES:
                assert (copies / name).read_bytes() == (folder / name).read_bytes()
    content = json.loads(output.read_text(encoding="utf-8"))
    assert content["masking"]["candidates"] == {
        "masking-all-0.5": pytest.approx(61.0),
        "masking-all_but_verb-0.5": pytest.approx(62.0),
    }


def test_the_best_alpha_of_a_named_recipe_is_chosen_on_dev_too(made):
    made.configure(
        augmentation={"alphas": [0.3, 0.5], "pos_sets": ["all"]},
        training={"seeds": [1, 2]},
        recipes={
            "three": {"use": "masking", "draws": 3},
            "dropped": {"perturb": {"use": "drop", "probability": 0.1}},
        },
    )
    zar = {"masking-all-0.3-draws3": 0.7, "masking-all-0.5-draws3": 0.6, "masking-all-0.3": 0.5}
    for recipe in recipes_in(made.study.grid.candidates()):
        for seed in (1, 2):
            made.tagger(recipe.name, seed)
            made.scores(recipe.name, seed, zar.get(recipe.name, 0.4))
    content = json.loads(made.report("choose", "chosen.json").read_text(encoding="utf-8"))
    chosen = {name: choice["recipe"] for name, choice in content.items()}
    assert chosen["three"] == "masking-all-0.3-draws3"
    assert (chosen["masking"], chosen["dropped"]) == ("masking-all-0.3", "drop-0.1")
    assert set(content["three"]["candidates"]) == {"masking-all-0.3-draws3", "masking-all-0.5-draws3"}
    copy = made.path("tagger", "chosen-three", 2) / "tagger.safetensors"
    assert copy.read_text() == "masking-all-0.3-draws3 2 tagger.safetensors"
    equal = ["baseline", "baseline2x", "baseline4x"]
    assert read_tested(made.study) == dict(zip(equal, equal, strict=True)) | chosen


def test_a_choice_without_a_named_recipe_is_refused(trained):
    trained.report("choose", "chosen.json")
    config = trained.study.config.model_dump(mode="json") | {
        "recipes": {"dropped": {"perturb": {"use": "drop", "probability": 0.1}}}
    }
    trained.configure(**config)
    with pytest.raises(ZarpipeError, match="has no choice for 'dropped'; make it again"):
        read_tested(trained.study)


def test_another_choice_replaces_the_copies(trained):
    configure(trained, [1])
    trained.report("choose", "chosen.json")
    trained.scores("masking-all-0.5", 1, 0.9)
    trained.report("choose", "chosen.json")
    copy = trained.path("tagger", "chosen-masking", 1) / "tagger.safetensors"
    assert copy.read_text() == "masking-all-0.5 1 tagger.safetensors"


def test_a_missing_tagger_is_named_and_nothing_is_chosen(trained):
    missing = trained.path("tagger", "masking-all_but_verb-0.5", 2) / "thresholds.json"
    missing.unlink()
    output = trained.output("chosen.json")
    with pytest.raises(ZarpipeError, match=f"{missing}: this file is missing"):
        choose(trained.study, output)
    assert not output.exists()


def test_a_foreign_file_is_no_choice(made):
    made.output("chosen.json").write_text("[1]")
    with pytest.raises(ZarpipeError, match="not a file of chosen recipes"):
        read_chosen(made.study)
