"""A Slurm of one node for a test: munged, slurmctld and slurmd, with all their state below one folder."""

import contextlib
import getpass
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

STEP_DAEMON = "slurmstepd"
COMMANDS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol")

# As few seconds as Slurm allows wherever it waits, so that a test is short. The node claims memory and a GPU that the
# machine need not have: Slurm counts both, and nothing enforces them.
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={node}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
SchedulerType=sched/builtin
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MpiDefault=none
ReturnToService=2
BatchStartTimeout=1
MessageTimeout=2
SlurmdTimeout=60
KillWait=2
MinJobAge=86400
GresTypes=gpu
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={node} NodeAddr=127.0.0.1 CPUs=2 RealMemory=64000 Gres=gpu:1 State=UNKNOWN
PartitionName=short Nodes={node} Default=YES MaxTime=240 State=UP
PartitionName=long Nodes={node} MaxTime=INFINITE State=UP
PartitionName=gpu Nodes={node} MaxTime=INFINITE State=UP
"""


def missing_commands() -> list[str]:
    """Return the commands of Slurm and munge that this machine lacks."""
    return [name for name in COMMANDS if _command(name) is None]


@dataclass
class OneNodeSlurm:
    """The three daemons, and what can happen to the node.

    Attributes:
        folder: holds configuration, state, logs; its path must be short enough for a socket.
    """

    folder: Path
    environment: dict[str, str] = field(init=False)
    _daemons: dict[str, subprocess.Popen] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        self.environment = os.environ | {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": path}

    def __enter__(self) -> "OneNodeSlurm":
        self._configure()
        try:
            self._start("munged", *self._munge_options())
            _wait_until(lambda: (self.folder / "munge.socket").exists(), 20, "munged's socket")
            self._start("slurmctld", "-D", "-c")
            self.boot()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def client(self, *command: str) -> str:
        """Run one of Slurm's commands and return what it printed."""
        how = {"env": self.environment, "capture_output": True, "text": True, "timeout": 60}
        done = subprocess.run(command, check=False, **how)
        return done.stdout if done.returncode == 0 else ""

    def jobs(self) -> list[dict[str, str]]:
        """Return what squeue knows of every job and array task, finished ones too; the comment names the rule."""
        fields = {
            "id": "%i",
            "partition": "%P",
            "state": "%T",
            "reason": "%r",
            "memory": "%m",
            "comment": "%k",
        }
        lines = self.client("squeue", "--noheader", "--states=all", f"--format={'|'.join(fields.values())}")
        return [dict(zip(fields, line.split("|"), strict=True)) for line in lines.splitlines()]

    def submissions(self) -> int:
        """Return how often sbatch has submitted something; an array counts once."""
        return (self.folder / "slurmctld.log").read_text().count("_slurm_rpc_submit_batch_job: JobId=")

    def hurry(self) -> None:
        """Let jobs of a failed node start again at once. Slurm holds them back for two minutes."""
        for job in self.jobs():
            if (job["state"], job["reason"]) == ("PENDING", "BeginTime"):
                self.client("scontrol", "update", f"JobId={job['id']}", "StartTime=now")

    def boot(self) -> None:
        """Start the node and wait until it takes jobs."""
        self._start("slurmd", "-D")
        _wait_until(self._node_is_up, 60, "the node", self._logs)

    def has_started(self, job: str) -> bool:
        """Whether a process of the job itself runs. Slurm calls a job running while the node is still starting it."""
        return any(environment.get("SLURM_JOB_ID") == job for _, environment in self._node_processes())

    def crash(self) -> None:
        """Kill the node at once, as a power cut does: slurmd and every process of its jobs."""
        self._end("slurmd")
        self._kill_jobs()

    def stop(self) -> None:
        """End the daemons and the jobs."""
        for name in ("slurmd", "slurmctld", "munged"):
            self._end(name)
        self._kill_jobs()

    def _end(self, name: str) -> None:
        if daemon := self._daemons.pop(name, None):
            daemon.kill()
            daemon.wait()

    def _configure(self) -> None:
        for name in ("state", "spool", "bin"):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        node = socket.gethostname().split(".")[0]
        ports = dict(zip(("controller_port", "node_port"), _free_ports(2), strict=True))
        text = CONFIGURATION.format(node=node, user=getpass.getuser(), folder=self.folder, **ports)
        (self.folder / "slurm.conf").write_text(text, encoding="utf-8")
        # A node that says it has a GPU; any device file does.
        (self.folder / "gres.conf").write_text(f"NodeName={node} Name=gpu File=/dev/null\n", encoding="utf-8")

        # The plugin drops SLURM_CONF where it calls srun; clusters keep their configuration in one known place.
        wrapper = self.folder / "bin" / "srun"
        wrapper.write_text(
            f'#!/bin/sh\nexport SLURM_CONF={self.environment["SLURM_CONF"]}\nexec {_command("srun")} "$@"\n'
        )
        wrapper.chmod(0o755)

    def _munge_options(self) -> list[str]:
        files = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munged.pid"}
        files |= {"log-file": "munged.log", "seed-file": "munge.seed"}
        return [
            "--foreground",
            "--force",
            *(f"--{name}={self.folder / path}" for name, path in files.items()),
        ]

    def _start(self, name: str, *options: str) -> None:
        with (self.folder / f"{name}.out").open("ab") as output:
            streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
            command = [str(_command(name)), *options]
            self._daemons[name] = subprocess.Popen(
                command, env=self.environment, start_new_session=True, **streams
            )

    def _node_is_up(self) -> bool:
        state = self.client("sinfo", "--noheader", "--Node", "--format=%T", "--partition=short").strip()
        return state in ("idle", "mixed", "allocated")

    def _kill_jobs(self) -> None:
        """Kill the processes of all jobs, those too that are being started meanwhile."""
        while processes := [process for process, _ in self._node_processes()]:
            # First the daemons that watch over the jobs: they would report the failure.
            for process in sorted(processes, key=lambda process: _name(process) != STEP_DAEMON):
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            psutil.wait_procs(processes, timeout=5)

    def _node_processes(self) -> Iterator[tuple[psutil.Process, dict[str, str]]]:
        """Yield the processes of the jobs, and the daemons that watch over them or are about to, with environments."""
        slurmd = self._daemons.get("slurmd")
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                environment = process.environ()
                if self._is_of_the_node(process, environment) and not (slurmd and process.pid == slurmd.pid):
                    yield process, environment

    def _is_of_the_node(self, process: psutil.Process, environment: dict[str, str]) -> bool:
        if environment.get("SLURM_CONF") == self.environment["SLURM_CONF"]:
            return "SLURM_JOB_ID" in environment or process.name() in ("slurmd", STEP_DAEMON)
        # This daemon writes its title over its environment.
        logs = (file.path for file in process.open_files()) if process.name() == STEP_DAEMON else ()
        return str(self.folder / "slurmd.log") in logs

    def _logs(self) -> str:
        return "\n".join(path.read_text(errors="replace") for path in self.folder.glob("*.log"))


def _command(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return ""


def _free_ports(number: int) -> list[int]:
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


def _wait_until(condition, seconds: float, what: str, details=lambda: "") -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not come up in {seconds} s\n{details()}")
        time.sleep(0.2)
