"""`zarpipe describe-mlm` as it is typed."""

import json

import pytest

from zarpipe.cli import main


def test_a_model_is_described(tiny_mlm, tmp_path):
    model, output = tiny_mlm("bert-ja"), tmp_path / "manifest.json"
    assert main(["describe-mlm", str(model), "--output", str(output)]) == 0
    found = json.loads(output.read_text(encoding="utf-8"))
    assert found["name"] == model.name
    assert "config.json" in found["files"]


def test_wrong_values_name_their_option(capsys):
    assert main(["describe-mlm", "", "--output", "m.json"]) == 1
    assert "MLM: found ''; expected a name that is not empty" in capsys.readouterr().err


def test_what_is_required_is_asked_for(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["describe-mlm", "--output", "m.json"])
    assert "the following arguments are required" in capsys.readouterr().err
