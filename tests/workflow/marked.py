"""Finished studies without their computation: every file is there, and the records say what it was made from.

Whether a job is up to date is decided by its record in the results folder alone, so the plans are real, and the
studies cost seconds.
"""

import contextlib
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from zarpipe.study.records import Stored

from zarpipe.files import read_json, write_json
from zarpipe.study.dry_run import PlannedJob, planned_jobs

FAILS = "print('zarpipe: error: no')\nsys.exit(1)\n"


@dataclass
class MarkedStudy:
    """A study all of whose files are there.

    Attributes:
        folder: where Snakemake is called.
        arguments: target and configuration files.
    """

    folder: Path
    arguments: tuple[str, ...]

    def finish(self) -> None:
        """Put a file at the place of each output that is not there, and the record of a finished job beside it."""
        with contextlib.chdir(self.folder):
            for job in planned_jobs(self.arguments):
                content = read_json(job.job_file)
                links = content["stored"]["links"]
                for path in job.output:
                    put(links.get(path, path))
                Stored(**content["stored"]).link()
                for record, made_from in content["records"].items():
                    write_json(record, made_from)
        assert self.jobs() == []

    def jobs(self, overlay: str = "") -> list[PlannedJob]:
        """Return what Snakemake plans with some keys changed."""
        with contextlib.chdir(self.folder):
            # Snakemake refuses a file without keys.
            Path("overlay.yaml").write_text(f"{overlay}\nx-nothing: 0\n", encoding="utf-8")
            return planned_jobs([*self.arguments, "overlay.yaml"])

    def planned(self, overlay: str = "") -> Counter[str]:
        """Return how many jobs of each rule are planned."""
        return Counter(job.rule for job in self.jobs(overlay))


def put(path: str) -> None:
    """Write a small file where there is none."""
    if not Path(path).exists():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(path, encoding="utf-8")


def files(folder: Path, names: tuple[str, ...], text: str) -> None:
    """Write some small files."""
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text(text, encoding="utf-8")


def make_sources(folder: Path) -> Path:
    """Write what stands for a corpus and a model of a study on a shared store."""
    files(folder / "corpus", ("950101-0002-950101008.ntc",), "EOS\n")
    files(folder / "model", ("config.json", "model.safetensors"), "{}")
    return folder


def configuration(path: Path, results: str, store: Path, corpus: Path, mlm: Path, more: str = "") -> str:
    """Write the configuration of a study on a shared store; return its path."""
    path.write_text(
        f"results: {results}\nfeatures: {store}\ncorpus: {{path: {corpus}}}\nmlm: {{path: {mlm}}}\n{more}",
        encoding="utf-8",
    )
    return str(path)


def stand_in(folder: Path, lines: str) -> Path:
    """Put a command `zarpipe` of some lines of Python into a folder; return the folder."""
    command = folder / "zarpipe"
    command.write_text(f"#!{sys.executable}\nimport sys\n{lines}", encoding="utf-8")
    command.chmod(0o755)
    return folder
