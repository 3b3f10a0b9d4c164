"""The drill with few tries; `python tests/drill.py` runs it whole."""

import os
import shutil

import drill
import pytest


@pytest.mark.skipif(shutil.which("ps") is None, reason="needs ps (procps) to find the processes of a session")
def test_killed_runs_and_shared_stores_lose_nothing(tmp_path):
    faults = ["killed", "store_job_killed"]
    if os.geteuid() == 0 and shutil.which("unshare"):
        faults.append("two_namespaces")
    outcomes = drill.drill(faults, tmp_path, kills=1, seed=7)
    assert [outcome.lost for outcome in outcomes] == [[]] * len(faults)
    assert [outcome.tries for outcome in outcomes] == [1] * len(faults)
