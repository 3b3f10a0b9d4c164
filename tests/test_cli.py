"""The commands: one list of them, and none writes over what it reads, or twice to one file."""

import argparse
import subprocess
import sys

import pytest

from zarpipe.cli import COMMANDS, STEPS, build_parser, main, refuse_overwriting
from zarpipe.errors import ZarpipeError


@pytest.mark.parametrize(
    "command",
    [
        "encode {file} --mlm x --output {file}",
        "augment {file} --method masking --pos-set all --alpha 0.5 --output {file}",
        "evaluate --corpus c.parquet --predictions {file} --output {file}",
        "show {file} --html {file}",
    ],
)
def test_an_input_is_not_overwritten(tmp_path, capsys, command):
    file = tmp_path / "file"
    file.write_text("data")
    assert main(command.format(file=file).split()) == 1
    assert f"{file}: is to be read and to be written" in capsys.readouterr().err
    assert file.read_text() == "data"


def test_two_outputs_are_two_files(tmp_path, capsys):
    table = str(tmp_path / "t.csv")
    assert main(["count", str(tmp_path), "--output-table1", table, "--output-table2", table]) == 1
    assert "is named twice as an output" in capsys.readouterr().err


# What the system refuses to look at: like a folder that may not be entered, for the superuser too.
ODD = "/" + "x" * 300


@pytest.mark.parametrize(
    "command",
    [
        f"analyse 男は --bundle {ODD}",
        f"check {ODD}",
        f"check {ODD}.parquet",
        f"show {ODD}.parquet",
        f"export {ODD}.parquet --format json",
        f"describe-mlm {ODD} --output {{file}}",
        f"convert {ODD} --format knp --output {{file}}",
        f"compare {ODD} {ODD}",
        f"evaluate --corpus {ODD} --predictions {ODD} --output {{file}}",
        f"schema --schema {ODD}/x",
    ],
)
def test_a_path_that_may_not_be_looked_at_is_one_line(tmp_path, capsys, command):
    assert main(command.format(file=tmp_path / "out").split()) == 1
    said = capsys.readouterr().err
    assert ODD in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(("closed", "status"), [("<&-", 0), (">&-", 1), ("2>&-", 0), ("<&- >&- 2>&-", 1)])
def test_streams_that_are_closed(closed, status):
    command = ["bash", "-c", f'exec "$0" -m zarpipe schema {closed}', sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert bool(done.stdout) == (status == 0)
    assert "Traceback" not in done.stderr
    if closed == ">&-":
        assert done.stderr == "zarpipe: error: standard output cannot be written (Bad file descriptor)\n"


def test_a_folder_may_be_read_and_written_and_options_that_are_no_files_may_be_equal(tmp_path):
    refuse_overwriting(argparse.Namespace(path=str(tmp_path), output=str(tmp_path), run=print, jobs=1))
    with pytest.raises(ZarpipeError):
        refuse_overwriting(argparse.Namespace(path=tmp_path / "x", output=[tmp_path / "x"]))
    refuse_overwriting(argparse.Namespace(per_epoch="false", output_bias="false", output="taggers"))


def test_the_table_of_commands_is_what_the_modules_add(capsys):
    for names in ([name] for name in COMMANDS | STEPS):
        assert list(build_parser(names)._subparsers._group_actions[0].choices) == names
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    shown = capsys.readouterr().out
    listed, _, steps = shown.partition("Steps that the workflow runs")
    assert all(f"\n    {name}" in listed for name in COMMANDS)
    assert all(f"\n    {name}" not in listed and name in steps.replace("\n", " ") for name in STEPS)
