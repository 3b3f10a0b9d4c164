"""Hurts a tiny study as long runs are hurt, and checks that nothing is lost.

    python tests/drill.py [FAULT ...] [--kills 20] [--seed 1]

Each fault works on its own copy of the study. In the end its tables have to equal those of an undisturbed run
byte for byte, and on the way every file that stands under its final name has to be whole. Prints a line per
fault (tries, survived, lost) and what each complaint said; ends with status 1 if anything was lost. The disk
faults mount a small file system of their own and need the rights to do so.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from workflow_copy import Workflow

from zarpipe.formats.features import Features
from zarpipe.job_folders import folders, problems
from zarpipe.sample import MODEL

TABLES = ("table5.csv", "table5_runs.csv")
STUDY = """\
corpus: {limit: {train: 6, dev: 3, test: 3}}
augmentation: {alphas: [0.5], pos_sets: [all]}
tagger: {layers: 1, hidden_size: 8}
training: {seeds: [1], epochs: 3, batch_size: 32}
"""


class Lost(Exception):
    """Something was lost, damaged in silence, or reported unclearly."""


@dataclass
class Study:
    """A tiny study in a copy of the workflow's files.

    Attributes:
        workflow: the copy.
        store: where its jobs are, if not in the results folder.
    """

    workflow: Workflow
    store: Path | None = None

    @classmethod
    def make(cls, folder: Path, store: Path | None = None) -> Study:
        """Copy the workflow and write the configuration."""
        made = cls(Workflow.make(folder), store)
        more = f'store: "{store}"\n' if store else ""
        (folder / "tiny.yaml").write_text(f"{STUDY}{more}", encoding="utf-8")
        return made

    @property
    def folder(self) -> Path:
        """Where Snakemake is called."""
        return self.workflow.folder

    @property
    def place(self) -> Path:
        """The results folder."""
        return self.folder / "results"

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a run towards the tables; ``arguments`` stand before the target."""
        return self.workflow.start("--configfile", "tiny.yaml", *arguments, "--", f"results/{TABLES[0]}")

    def run(self, *arguments: str, fails: bool = False) -> str:
        """Run the study; return what it said. ``fails``: it has to stop with an error."""
        run = self.start(*arguments)
        said, _ = run.communicate()
        if (run.returncode != 0) != fails:
            raise Lost(f"the run ended with status {run.returncode}:\n{said[-3000:]}")
        if fails and "Traceback" in said:
            raise Lost(f"the run ended with a traceback:\n{said[-3000:]}")
        return said

    def kill(self, run: subprocess.Popen[str]) -> None:
        """Kill -9 a run and all its jobs, and take away the lock that it leaves."""
        kill_session(run.pid)
        run.communicate()
        self.run("--unlock")

    def tables(self) -> dict[str, bytes]:
        """Return the bytes of the tables."""
        return {name: (self.place / name).read_bytes() for name in TABLES}

    def expect_tables(self, expected: dict[str, bytes]) -> None:
        """Raise Lost if the tables are not the expected ones."""
        if self.tables() != expected:
            raise Lost(f"the tables differ from the undisturbed run's ({self.place})")

    @property
    def jobs(self) -> Path:
        """Where the folders of jobs stand."""
        return Path(self.store or self.place) / "jobs"

    def file(self, pattern: str) -> Path:
        """Return the one file of a job: ``train/baseline/seed1@*/tagger.safetensors``."""
        (path,) = self.jobs.glob(pattern)
        return path

    def check_whole(self) -> None:
        """Check every folder of a job that has its final name."""
        if found := [problem for folder in folders(self.jobs) for problem in problems(folder)]:
            raise Lost("\n".join(found))


@dataclass
class Outcome:
    """What a fault did: tries, and what the messages said."""

    fault: str
    tries: int = 0
    lost: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def expect_message(self, said: str, *wanted: str) -> None:
        """Note the message; every wanted regular expression has to be in it."""
        # Snakemake lists each job's files; what counts is what is said of them.
        lines = [line for line in said.splitlines() if not line.startswith(("    input:", "    output:"))]
        for pattern in wanted:
            if not any(re.search(pattern, line) for line in lines):
                raise Lost(f"expected {pattern!r} in the message:\n{said[-3000:]}")
        line = next(line for line in lines if re.search(wanted[0], line))
        self.said.append(line.strip()[:230])


@dataclass
class Drill:
    """All faults, each a method that takes its outcome to fill.

    Attributes:
        folder: scratch folder.
        kills: how often `killed` kills.
        chance: when it kills.
    """

    folder: Path
    kills: int
    chance: random.Random
    expected: dict[str, bytes] = field(default_factory=dict)
    seconds: float = 0.0

    def undisturbed(self) -> None:
        """Run the study once as it should be; its tables and its time are what the faults go by."""
        study = Study.make(self.folder / "undisturbed")
        started = time.monotonic()
        study.run()
        self.seconds = time.monotonic() - started
        self.expected = study.tables()

    def killed(self, outcome: Outcome) -> None:
        """Kill -9 the whole session at random moments, and go on each time."""
        study = Study.make(self.folder / "killed")
        while outcome.tries < self.kills:
            run = study.start()
            try:
                # Together the runs get through the study several times.
                said, _ = run.communicate(timeout=self.chance.uniform(1, max(8, self.seconds / 3)))
            except subprocess.TimeoutExpired:
                study.kill(run)
                outcome.tries += 1
                study.check_whole()
                continue
            if run.returncode != 0 or not all((study.place / name).is_file() for name in TABLES):
                raise Lost(f"after {outcome.tries} kills a run failed:\n{said[-3000:]}")
            study.expect_tables(self.expected)
            shutil.rmtree(study.place)
        study.run()
        study.expect_tables(self.expected)

    def disk_full(self, outcome: Outcome) -> None:
        """Fill a small disk at several stages; with more space the study goes on."""
        needed = sum(file.stat().st_size for file in (self.folder / "undisturbed/results").rglob("*"))
        for share in (0.2, 0.5, 0.8):
            outcome.tries += 1
            study = Study.make(self.folder / f"full-{outcome.tries}")
            with mounted(study.place, int(share * needed / 1024)):
                said = study.run(fails=True)
                outcome.expect_message(said, "No space left on device")
                study.check_whole()
                remount(study.place, "size=500m")
                study.run()
                study.expect_tables(self.expected)

    def read_only(self, outcome: Outcome) -> None:
        """Make the results read-only: the run stops with a message, and goes on when they are writable."""
        outcome.tries = 1
        study = Study.make(self.folder / "read-only")
        with mounted(study.place, 500 * 1024):
            remount(study.place, "ro")
            said = study.run(fails=True)
            outcome.expect_message(said, "[Rr]ead-only file system")
            remount(study.place, "rw")
            study.run()
            study.expect_tables(self.expected)

    def store_job_killed(self, outcome: Outcome) -> None:
        """Two workflows fill one store; a job of the first is killed. The second goes on, the first after a rerun."""
        alone = Study.make(self.folder / "alone", self.folder / "alone-store")
        alone.run()
        name = "encode_variant/masking-all-0.5@*/features.h5"
        expected = alone.file(name).read_bytes()
        while outcome.tries < self.kills:
            outcome.tries += 1
            folder = self.folder / f"store-{outcome.tries}"
            studies = [Study.make(folder / number, folder / "store") for number in ("one", "two")]
            first, second = (study.start("--cores", "1") for study in studies)
            outcome.said.append(f"killed: {self.kill_a_job(first)}")
            first.communicate()
            said, _ = second.communicate()
            if second.returncode != 0:
                raise Lost(f"the second workflow failed:\n{said[-3000:]}")
            studies[0].run()
            for study in studies:
                study.check_whole()
                study.expect_tables(alone.tables())
                if study.file(name).read_bytes() != expected:
                    raise Lost("the hidden states differ from those of a workflow that was alone")

    def kill_a_job(self, run: subprocess.Popen[str]) -> str:
        """Kill -9 one job of a run, somewhere in one that fills the store; return what it did.

        If that one has ended by then, the next one is killed, of whatever kind.
        """
        wanted = self.chance.choice(("convert", "describe-mlm", "augment", "encode"))
        delay, seen = self.chance.uniform(0, 2), False
        while run.poll() is None:
            if not seen and any(f" {wanted} " in f"{line} " for _, line in jobs_of(run.pid)):
                time.sleep(delay)
                seen = True
            for process, line in jobs_of(run.pid) if seen else ():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    return line
            time.sleep(0.02)
        raise Lost(f"no job could be killed: {wanted}")

    def two_namespaces(self, outcome: Outcome) -> None:
        """Two writers with the same process ids write one file at the same time."""
        undisturbed = Study(Workflow(self.folder / "undisturbed"))
        corpus = undisturbed.file("convert/corpus@*/train.parquet")
        expected = undisturbed.file("encode/train@*/features.h5")
        while outcome.tries < self.kills:
            outcome.tries += 1
            output = self.folder / f"namespaces-{outcome.tries}/train.h5"
            own = ("unshare", "-pf", "--mount-proc", "zarpipe", "encode")
            command = [*own, str(corpus), "--mlm", str(MODEL), "--output", str(output)]
            running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
            said = [writer.communicate()[1] for writer in running]
            if any(writer.returncode for writer in running):
                raise Lost(f"a writer failed:\n{said}")
            Features.open(output).check_whole()
            if Features.open(output).provenance["digest"] != Features.open(expected).provenance["digest"]:
                raise Lost("the file is another one than a single writer's")
            if left := [path.name for path in output.parent.iterdir() if path.suffix == ".part"]:
                raise Lost(f"left behind: {left}")


FAULTS: dict[str, Callable[[Drill, Outcome], None]] = {
    one.__name__: one
    for one in (Drill.killed, Drill.disk_full, Drill.read_only, Drill.store_job_killed, Drill.two_namespaces)
}


def processes_of(leader: int) -> list[tuple[int, str]]:
    """Find the processes of a session: process id and command line."""
    command = ["ps", "-o", "pid=,args=", "-ww", "-s", str(leader)]
    found = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return [(int(pid), line) for pid, line in (one.split(maxsplit=1) for one in found.stdout.splitlines())]


def kill_session(leader: int) -> None:
    """Kill -9 every process of a session."""
    for process, _ in processes_of(leader):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def jobs_of(leader: int) -> list[tuple[int, str]]:
    """Find the commands `zarpipe` of a session: process id and command line."""
    return [
        (pid, line) for pid, line in processes_of(leader) if "/zarpipe --job" in line and "/bash" not in line
    ]


@contextlib.contextmanager
def mounted(place: Path, kibibytes: int) -> Iterator[None]:
    """Mount a file system of some size in memory."""
    place.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "drill", str(place)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)


def remount(place: Path, option: str) -> None:
    """Change an option of a mounted file system."""
    subprocess.run(["mount", "-o", f"remount,{option}", str(place)], check=True)


def drill(faults: list[str], folder: Path, kills: int, seed: int) -> list[Outcome]:
    """Run the faults; report each as it ends."""
    all_faults = Drill(folder, kills, random.Random(seed))
    all_faults.undisturbed()
    print(f"undisturbed run: {all_faults.seconds:.0f} s", flush=True)
    outcomes = []
    for name in faults:
        outcome = Outcome(name)
        try:
            FAULTS[name](all_faults, outcome)
        except Exception as problem:  # every kind of failure is a loss here
            outcome.lost.append(f"{type(problem).__name__}: {problem}")
        outcomes.append(outcome)
        survived = outcome.tries - len(outcome.lost)
        print(
            f"{name:22}{outcome.tries:4} tries {survived:4} survived {len(outcome.lost):4} lost", flush=True
        )
        for line in dict.fromkeys([*outcome.said, *outcome.lost]):
            print(f"    {line}", flush=True)
    return outcomes


def main() -> int:
    """Run the drill; return 1 if anything was lost."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "faults", nargs="*", metavar="FAULT", help=f"among {', '.join(FAULTS)} (default: all)"
    )
    parser.add_argument("--kills", type=int, default=20, help="how often to kill (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="decides the moments (default: %(default)s)")
    arguments = parser.parse_args()
    if unknown := set(arguments.faults) - set(FAULTS):
        parser.error(f"unknown fault {sorted(unknown)[0]!r}; choose from {', '.join(FAULTS)}")
    with tempfile.TemporaryDirectory(prefix="drill-") as folder:
        outcomes = drill(arguments.faults or list(FAULTS), Path(folder), arguments.kills, arguments.seed)
    return int(any(outcome.lost for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
