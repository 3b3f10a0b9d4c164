"""Runs Snakemake on the project's own Snakefile, in a folder of its own."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
WORKFLOW_FILES = ("Snakefile", "config.yaml", "rules", "profiles", "workflow", "envs")


@dataclass
class Workflow:
    """A copy of the workflow's files (not of the package), with its own results."""

    folder: Path

    def run(self, *arguments: str, check: bool = True) -> str:
        """Run snakemake and return all that it printed."""
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
        environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HF_HUB_OFFLINE": "1",
        }
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stdout
        return done.stdout

    def planned(self, *arguments: str) -> dict[str, int]:
        """Return how many jobs of each rule a dry run announces."""
        text = self.run("--dry-run", *arguments)
        stats = re.search(r"Job stats:\n.*?\n-+.*?\n(.*?)\n\n", text, re.DOTALL)
        if stats is None:
            assert "Nothing to be done" in text, text
            return {}
        counts = dict(line.split()[:2] for line in stats.group(1).splitlines())
        return {rule: int(count) for rule, count in counts.items() if rule not in ("total", "all")}


@pytest.fixture(scope="session")
def make_workflow(tmp_path_factory):
    """Make a fresh copy of the workflow."""

    def make() -> Workflow:
        folder = tmp_path_factory.mktemp("workflow")
        for name in WORKFLOW_FILES:
            source = PROJECT / name
            if source.is_dir():
                shutil.copytree(source, folder / name)
            else:
                shutil.copy(source, folder / name)
        return Workflow(folder)

    return make


@pytest.fixture(scope="session")
def finished(make_workflow) -> Workflow:
    """The tiny study, run once to the end."""
    workflow = make_workflow()
    workflow.run("results/table4.csv", "--configfile", str(HERE / "tiny.yaml"))
    return workflow
