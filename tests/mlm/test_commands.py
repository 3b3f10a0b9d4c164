"""`zarpipe describe-mlm` and `zarpipe pretrain` as they are typed."""

import json

import pytest

from zarpipe.cli import main


def test_a_model_is_described(tiny_mlm, tmp_path):
    model, output = tiny_mlm("bert-ja"), tmp_path / "manifest.json"
    assert main(["describe-mlm", str(model), "--output", str(output)]) == 0
    found = json.loads(output.read_text(encoding="utf-8"))
    assert found["name"] == model.name
    assert "config.json" in found["files"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["pretrain", "t.txt", "--output", "m", "--threads", "0"],
            "--threads: found '0'; expected a number of",
        ),
        (
            ["pretrain", "t.txt", "--output", "m", "--hidden-size", "33"],
            "--hidden-size: found '33'; expected a mul",
        ),
        (["pretrain", "t.txt", "--output", "m"], "t.txt: cannot read this file"),
        (["describe-mlm", "", "--output", "m.json"], "MLM: found ''; expected a name that is not empty"),
    ],
)
def test_wrong_values_name_their_option(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("words", [["pretrain", "t.txt"], ["describe-mlm", "--output", "m.json"]])
def test_what_is_required_is_asked_for(words, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert "the following arguments are required" in capsys.readouterr().err
