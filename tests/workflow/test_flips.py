"""Damaged and exchanged files of a finished study never change a number in silence.

`python tests/flips.py RESULTS` flips a thousand bits.
"""

import shutil
from pathlib import Path

import flips
import pytest

from zarpipe.cli import main

TINY = str(Path(__file__).parent / "tiny.yaml")


@pytest.fixture(scope="module")
def trial(finished, make_workflow, tmp_path_factory):
    """The tiny study with all tables and pages."""
    whole = make_workflow()
    for name in ("results", ".snakemake"):
        shutil.copytree(finished.folder / name, whole.folder / name, symlinks=True)
    whole.run("all", "--configfile", TINY)
    return flips.make_trial(whole.folder / "results", tmp_path_factory.mktemp("flips"))


def test_every_file_of_a_finished_study_has_a_seal(trial, capsys):
    sealed = {
        path.relative_to(trial.results / flips.FOLDER)
        for path in (trial.results / flips.FOLDER).rglob("*.json")
    }
    for kind, names in trial.files().items():
        assert names, kind
        assert [name for name in names if Path(f"{name}.json") not in sealed] == []
    assert main(["check", str(trial.results)]) == 0
    assert "no problem" in capsys.readouterr().out


def test_no_flipped_bit_is_silent(trial):
    found = list(flips.flips(trial, 60, seed=2))
    bad = [one for one in found if one[2] not in ("noticed", "harmless")]
    assert bad == []
    assert sum(outcome == "noticed" for _, _, outcome, _ in found) > 50


@pytest.mark.parametrize("swap", flips.SWAPS, ids=lambda swap: swap.what)
def test_no_exchanged_file_is_silent(trial, swap):
    outcome, said = flips.swap(trial, swap)
    assert outcome == "noticed", said
    assert "zarpipe: error: " in said
    assert "let snakemake make it again" in said


@pytest.mark.parametrize(
    "swap", [swap for swap in flips.SWAPS if isinstance(swap.source, str)], ids=lambda swap: swap.what
)
def test_nor_is_one_that_brings_its_seal(trial, swap):
    outcome, said = flips.swap(trial, swap, with_seal=True)
    assert outcome == "noticed", said
    assert "its seal" in said
