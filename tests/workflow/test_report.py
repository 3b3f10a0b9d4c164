"""Snakemake's own report, and what the pages need."""

import shutil
from pathlib import Path

import pytest

TINY = str(Path(__file__).parent / "tiny.yaml")
TARGET = ["results/table4.csv", "--configfile", TINY]


@pytest.fixture
def copied(finished, make_workflow):
    """The finished tiny study in a folder of its own, to be changed."""
    workflow = make_workflow()
    for name in ("results", ".snakemake"):
        shutil.copytree(finished.folder / name, workflow.folder / name, symlinks=True)
    return workflow


@pytest.mark.parametrize("target", [TARGET, TARGET[1:]])
def test_the_report_has_the_table_with_its_caption(copied, target):
    """Without a target too: it has what is there."""
    copied.run("--report", "report.html", *target)
    html = (copied.folder / "report.html").read_text(encoding="utf-8")
    assert "table4.csv" in html
    assert "baseline with doubled data" in html  # the caption
    assert "frozen masked language model" in html  # the description of the workflow
    assert "augmentation methods on dev" in html  # a label


def test_only_the_workflow_has_a_text_of_its_own(project):
    """Captions stand in the modules of the tables, figures and pages."""
    assert [path.name for path in (project / "workflow/report").iterdir()] == ["workflow.rst"]
