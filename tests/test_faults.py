"""The drill with few tries; `python tests/drill.py` runs it whole."""

import shutil

import drill
import pytest


@pytest.mark.skipif(shutil.which("ps") is None, reason="needs ps (procps) to find the processes of a session")
def test_killed_runs_lose_nothing(tmp_path):
    outcomes = drill.drill(["killed"], tmp_path, kills=2, seed=7)
    assert [outcome.lost for outcome in outcomes] == [[]]
    assert outcomes[0].tries == 2
