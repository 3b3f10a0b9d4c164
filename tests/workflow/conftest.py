"""Copies of the workflow for its tests."""

import shutil
from pathlib import Path

import pytest
from workflow_copy import Workflow

TINY = Path(__file__).parent / "tiny.yaml"


@pytest.fixture(scope="session")
def make_workflow(tmp_path_factory):
    """Make a fresh copy of the workflow."""
    return lambda: Workflow.make(tmp_path_factory.mktemp("workflow"))


@pytest.fixture(scope="session")
def finished(make_workflow) -> Workflow:
    """The tiny study, run once to the end."""
    workflow = make_workflow()
    shutil.copy(TINY, workflow.folder)
    workflow.run("results/table4.csv", "results/study.json", "--configfile", "tiny.yaml")
    return workflow
