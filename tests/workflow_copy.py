"""Runs Snakemake on the project's own Snakefile, in a folder of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
WORKFLOW_FILES = ("Snakefile", "config.yaml", "rules", "profiles", "workflow", "envs")


@dataclass
class Workflow:
    """A copy of the workflow's files (not of the package), with its own results."""

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> Workflow:
        """Copy the workflow's files to a folder, made if need be."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in WORKFLOW_FILES:
            source = PROJECT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
        return cls(folder)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Start snakemake in a session of its own."""
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
        own = os.environ | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HF_HUB_OFFLINE": "1",
            "OMP_WAIT_POLICY": "PASSIVE",
        }
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=own | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, check: bool = True, **environment: str) -> str:
        """Run snakemake and return all that it printed."""
        process = self.start(*arguments, **environment)
        printed, _ = process.communicate()
        assert not check or process.returncode == 0, printed
        return printed

    def planned(self, *arguments: str) -> dict[str, int]:
        """Return how many jobs of each rule a dry run announces."""
        text = self.run("--dry-run", *arguments)
        stats = re.search(r"Job stats:\n.*?\n-+.*?\n(.*?)\n\n", text, re.DOTALL)
        if stats is None:
            assert "Nothing to be done" in text, text
            return {}
        counts = dict(line.split()[:2] for line in stats.group(1).splitlines())
        return {rule: int(count) for rule, count in counts.items() if rule not in ("total", "all")}
