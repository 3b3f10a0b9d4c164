"""Flips bits in the files of a finished study, and exchanges files, and runs the jobs that read them.

    python tests/flips.py FOLDER [--flips 1000] [--seed 1]

FOLDER is where Snakemake is called, with a finished study in `results`; it is copied. A damage is *noticed* when the
command that reads the file ends with a message, *harmless* when what it writes is the same as from the sound file,
and *silent* when something else is written. Ends with status 1 if anything was silent, or ended in a traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shlex
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from zarpipe.cli import main as zarpipe
from zarpipe.job_folders import JOB_FILE
from zarpipe.study.jobs import Job, with_all_they_read
from zarpipe.study.study import Study
from zarpipe.workflow import Workflow

# The rules whose commands are tried as readers, cheap ones first.
COMMANDS = {
    **{rule: rule for rule in ("report", "evaluate", "predict", "augment", "train")},
    **dict.fromkeys(("encode_variant", "encode"), "encode"),
}
_SECONDS = 300


class Trial:
    """A copy of a finished study, in which files are damaged.

    Args:
        finished: where Snakemake was called.
        folder: for the copy; the process works in it from now on.
    """

    def __init__(self, finished: Path, folder: Path) -> None:
        import h5py  # noqa: F401 (what the commands share)
        import torch

        torch.set_num_threads(1)
        shutil.copytree(finished / "results", folder / "results")
        self.folder = folder
        with contextlib.chdir(folder):
            study = Workflow(Study.read("results"), main=False)
            self.plan = study.plan
            every = with_all_they_read(shown.job for shown in study.shown.values()).values()
            self.jobs = [job for job in every if job.is_there]
        self._sound: dict[str, dict[str, bytes]] = {}

    def readers(self) -> dict[str, Job]:
        """Return the files of all jobs that another job reads, each with the cheapest such job."""
        found = {}
        for rule in reversed(COMMANDS):
            for reader in (job for job in self.jobs if job.rule == rule):
                for read in reader.reads:
                    found.update(dict.fromkeys(self._files(read), reader))
        return found

    def _files(self, job: Job) -> list[str]:
        place = self.folder / job.folder
        return sorted(str(path.relative_to(self.folder)) for path in place.rglob("*") if path.is_file())

    def outcome(self, reader: Job, change: Callable[[], None], *changed: str) -> tuple[str, str]:
        """Change files, run a job that reads them, and put them back; return what came of it, and the message."""
        with contextlib.chdir(self.folder):
            if reader.id not in self._sound:
                status, said, self._sound[reader.id] = self._run(reader)
                assert status == 0, said
            before = {name: Path(name).read_bytes() for name in changed}
            try:
                change()
                status, said, written = self._run(reader)
            finally:
                for name, content in before.items():
                    Path(name).write_bytes(content)
        if status == 0:
            return ("harmless" if written == self._sound[reader.id] else "silent"), said
        return ("noticed" if status == 1 else "traceback"), said

    def _run(self, reader: Job) -> tuple[int, str, dict[str, bytes]]:
        out = Path("out")
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        options = shlex.split(reader.options.replace(reader.folder, str(out)))
        results = ["--results", self.plan] if reader.rule == "report" else []
        status, said = _in_child([COMMANDS[reader.rule], *options, *results], Path("said.txt"))
        return status, said, {str(path): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def _in_child(arguments: list[str], said: Path) -> tuple[int, str]:
    """Run a command of zarpipe in a process of its own, which shares what is imported already."""
    child = os.fork()
    if child == 0:
        signal.alarm(_SECONDS)
        with said.open("w", encoding="utf-8") as stream:
            for descriptor in (1, 2):
                os.dup2(stream.fileno(), descriptor)
            sys.stdout = sys.stderr = stream  # pytest has put others there
            try:
                status = zarpipe(arguments)
            except BaseException:  # a traceback is what is looked for
                traceback.print_exc()
                status = 70
        os._exit(status)
    _, ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended), said.read_text(encoding="utf-8", errors="replace")


def flips(trial: Trial, count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """Flip bits, by turns in the files of each rule; give file, outcome and message."""
    chance, readers = random.Random(seed), trial.readers()
    by_rule: dict[str, list[str]] = {}
    for name in readers:
        by_rule.setdefault(Path(name).parts[2], []).append(name)
    for number in range(count):
        name = chance.choice(list(by_rule.values())[number % len(by_rule)])
        content = bytearray((trial.folder / name).read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        yield name, *trial.outcome(readers[name], lambda name=name, new=content: _write(name, new), name)


def swaps(trial: Trial, with_job_file: bool) -> Iterator[tuple[str, str, str]]:
    """Put in the place of a file of each rule and name the one of another job, perhaps with its job.json."""
    readers, seen = trial.readers(), set()
    for name, reader in readers.items():
        folder = next(job.folder for job in trial.jobs if name.startswith(f"{job.folder}/"))
        file = name.removeprefix(f"{folder}/")
        others = [other for other in readers if other.endswith(f"/{file}") and not other.startswith(folder)]
        rule = Path(name).parts[2]
        source = next((other for other in others if Path(other).parts[2] == rule), None)
        content = (trial.folder / name).read_bytes()
        same = source is None or (trial.folder / source).read_bytes() == content
        if (rule, file) in seen or file == JOB_FILE or same:
            continue
        seen.add((rule, file))
        new = {name: (trial.folder / source).read_bytes()}
        if with_job_file:
            job_file = trial.folder / source.removesuffix(file) / JOB_FILE
            new[f"{folder}/{JOB_FILE}"] = job_file.read_bytes()
        yield name, *trial.outcome(reader, lambda new=new: [_write(*one) for one in new.items()], *new)


def _write(name: str, content: bytes) -> None:
    Path(name).write_bytes(content)


def main() -> int:
    """Run flips and swaps; return 1 if anything was silent or ended in a traceback."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--flips", type=int, default=1000, help="how many bits (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="decides which (default: %(default)s)")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="flips-") as folder:
        trial = Trial(arguments.folder.absolute(), Path(folder))
        found = [flips(trial, arguments.flips, arguments.seed), swaps(trial, False), swaps(trial, True)]
        for name, outcome, said in (one for many in found for one in many):
            counts[outcome] += 1
            if outcome in ("silent", "traceback"):
                print(f"{outcome}: {name}: {said[-1500:]}", flush=True)
    print(", ".join(f"{outcome}: {count}" for outcome, count in counts.items()))
    return int(bool(counts["silent"] or counts["traceback"]))


if __name__ == "__main__":
    sys.exit(main())
