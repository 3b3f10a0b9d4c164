"""The choice of what goes on to the test set."""

import json

import pytest

from zarpipe.errors import ZarpipeError
from zarpipe.formats.tagger import TAGGER_FILES
from zarpipe.report.choose import choose, read_chosen

CANDIDATES = {
    "cda": ["cda-all-0.5-multi-argmax"],
    "masking": ["masking-all-0.5", "masking-all_but_verb-0.5"],
}


@pytest.fixture
def trained(study):
    """On dev masking-all_but_verb is better; on test, which nobody may look at, masking-all is."""
    zar = {"cda-all-0.5-multi-argmax": 0.6, "masking-all-0.5": 0.61, "masking-all_but_verb-0.5": 0.62}
    for recipe, f1 in zar.items():
        for seed in (1, 2):
            study.tagger(recipe, seed)
            study.scores(recipe, seed, f1)
            study.scores(recipe, seed, 1 - f1, split="test")
    return study


def test_dev_decides_and_the_taggers_are_copied(trained):
    output = trained.folder.path / "chosen.json"
    choose(trained.folder, CANDIDATES, [1, 2], output)
    expected = {"cda": "cda-all-0.5-multi-argmax", "masking": "masking-all_but_verb-0.5"}
    assert read_chosen(output) == expected
    for method, recipe in expected.items():
        for seed in (1, 2):
            for name in TAGGER_FILES:
                copy = trained.folder.tagger(f"chosen-{method}", seed) / name
                assert copy.read_bytes() == (trained.folder.tagger(recipe, seed) / name).read_bytes()
    content = json.loads(output.read_text(encoding="utf-8"))
    assert content["masking"]["candidates"] == {
        "masking-all-0.5": pytest.approx(61.0),
        "masking-all_but_verb-0.5": pytest.approx(62.0),
    }


def test_another_choice_replaces_the_copies(trained):
    output = trained.folder.path / "chosen.json"
    choose(trained.folder, CANDIDATES, [1], output)
    trained.scores("masking-all-0.5", 1, 0.9)
    choose(trained.folder, CANDIDATES, [1], output)
    copy = trained.folder.tagger("chosen-masking", 1) / "tagger.safetensors"
    assert copy.read_text() == "masking-all-0.5 1 tagger.safetensors"


def test_a_missing_tagger_is_named_and_nothing_is_chosen(trained):
    missing = trained.folder.tagger("masking-all_but_verb-0.5", 2) / "thresholds.json"
    missing.unlink()
    output = trained.folder.path / "chosen.json"
    with pytest.raises(ZarpipeError, match=f"{missing}: this file is missing"):
        choose(trained.folder, CANDIDATES, [1, 2], output)
    assert not output.exists()


def test_a_foreign_file_is_no_choice(tmp_path):
    (tmp_path / "chosen.json").write_text("[1]")
    with pytest.raises(ZarpipeError, match="not a file of chosen recipes"):
        read_chosen(tmp_path / "chosen.json")
