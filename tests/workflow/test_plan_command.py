"""`zarpipe plan` on the real workflow."""

from pathlib import Path

import pytest

from zarpipe.cli import main

TINY = str(Path(__file__).parent / "tiny.yaml")


@pytest.fixture
def workflow(make_workflow, monkeypatch):
    folder = make_workflow().folder
    monkeypatch.chdir(folder)
    return folder


def test_a_fresh_study_is_planned_in_a_few_lines(workflow, capsys):
    assert main(["plan", "--configfile", TINY, "--cores", "2", "--", "results/table4.csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert 8 <= len(lines) <= 12
    assert any(line.split() == ["encode", "encode", "2,", "encode_variant", "2"] for line in lines)
    assert any("not there yet" in line for line in lines)
    assert not (workflow / "results").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--config", "tagger={size: 9}"], "unknown key 'tagger.size'"),
        (["results/table99.csv"], "table99.csv"),
        (["--configfile", "missing.yaml"], "missing.yaml"),
        (["--no-such-option"], "--no-such-option"),
    ],
)
@pytest.mark.usefixtures("workflow")
def test_what_snakemake_refuses_is_said_without_a_traceback(capsys, arguments, expected):
    assert main(["plan", *arguments]) == 1
    error = capsys.readouterr().err
    assert expected in error
    assert "Traceback" not in error
