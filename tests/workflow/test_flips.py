"""Damaged and exchanged files of a finished study never change a number in silence.

`python tests/flips.py FOLDER` flips a thousand bits.
"""

import contextlib

import flips
import pytest

from zarpipe.cli import main


@pytest.fixture(scope="module")
def trial(finished, tmp_path_factory):
    """The tiny study."""
    return flips.Trial(finished.folder, tmp_path_factory.mktemp("flips"))


def test_no_flipped_bit_is_silent(trial, capsys):
    with contextlib.chdir(trial.folder):
        assert main(["check", "results"]) == 0
    assert "no problem" in capsys.readouterr().out
    found = list(flips.flips(trial, 40, seed=2))
    assert [one for one in found if one[1] not in ("noticed", "harmless")] == []
    assert sum(outcome == "noticed" for _, outcome, _ in found) > 20


@pytest.mark.parametrize("with_job_file", [False, True], ids=["file", "file and job.json"])
def test_no_exchanged_file_is_silent(trial, with_job_file):
    found = list(flips.swaps(trial, with_job_file))
    assert len(found) > 5
    assert [one for one in found if one[1] not in ("noticed", "harmless")] == []
    assert sum("let snakemake make it again" in said for _, _, said in found) > 3
