"""Finished studies without their computation: every file is there, and Snakemake's own record says who made it.

Snakemake plans over names, times, checksums and its record of how each file was made; `--touch` writes that record
as a finished job does. So the plans are real, and the studies cost seconds.
"""

import contextlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from zarpipe.study.dry_run import PlannedJob, planned_jobs


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
        """Put a file at the place of each output, and let Snakemake record them as made."""
        from snakemake.cli import args_to_api, parse_args

        with contextlib.chdir(self.folder):
            for job in planned_jobs(self.arguments):
                for path in map(Path, job.output):
                    _put(path)
            parser, options = parse_args(
                ["--touch", "--forceall", "--quiet", "all", "--cores", "1", *self.arguments]
            )
            assert args_to_api(options, parser)
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


def _put(path: Path) -> None:
    if path.suffix:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(path), encoding="utf-8")
    else:  # the outputs that are folders have no ending
        path.mkdir(parents=True, exist_ok=True)


def files(folder: Path, names: tuple[str, ...], text: str) -> None:
    """Write some small files."""
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text(text, encoding="utf-8")
