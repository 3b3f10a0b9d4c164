"""The profiles for clusters: a real Slurm whose jobs and node die, and what the dry run asks a scheduler for."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from one_node_slurm import OneNodeSlurm, missing_commands

TINY = str(Path(__file__).parent / "tiny.yaml")
TABLES = ("table5.csv", "table5.md", "table5.tex", "table5_runs.csv")
# Of the finished tiny study another alpha. Four jobs for Slurm: a variant and its encoding, a group of the two
# trainings, and one of prediction and evaluation. The table itself is local.
WANTED = ("--configfile", TINY, "--config", "augmentation={alphas: [0.3]}", "--", "results/table5.csv")
# Beside what the profile says: look often; no more threads than the node has; one job on its GPU.
OPTIONS = (
    *("--profile", "profiles/slurm"),
    *("--slurm-init-seconds-before-status-checks", "1"),
    *("--max-threads", "2"),
    *("--group-components", "train=2", "score=2"),
    *("--slurm-partition-config", str(Path(__file__).parent / "partitions.yaml")),
    *("--set-resources", "encode_variant:gpu=1"),
)


@dataclass
class SlurmRun:
    """A workflow that ran through the profile, and what happened on the way.

    Attributes:
        folder: where it ran.
        jobs: Slurm's records of the jobs when it had ended.
        submissions: how many calls of sbatch it took.
        cancelled: Slurm's id of the training that was cancelled.
        lost: the ids of the jobs that ran when the node went down.
    """

    folder: Path
    jobs: list[dict[str, str]]
    submissions: int
    cancelled: str
    lost: list[str]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """A running Slurm of one node. Fails with CI=true where it cannot run; elsewhere the tests are skipped."""
    lacking = missing_commands()
    reason = (
        f"needs Slurm and munge (apt-get install slurm-wlm munge): no {', '.join(lacking)}" if lacking else ""
    )
    if os.geteuid() != 0:
        reason = reason or "starts Slurm's daemons, as root"
    if reason and os.environ.get("CI") == "true":
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    with OneNodeSlurm(tmp_path_factory.mktemp("slurm")) as running:
        yield running


@pytest.fixture(scope="module")
def slurm_run(slurm, finished, tmp_path_factory) -> SlurmRun:
    """More of the tiny study through Slurm; the node goes down during an encoding, and a training is cancelled."""
    folder = shutil.copytree(finished.folder, tmp_path_factory.mktemp("slurm_run") / "workflow")
    with (folder / "snakemake.out").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "snakemake", *OPTIONS, *WANTED],
            cwd=folder,
            env=slurm.environment
            | {"PATH": f"{Path(sys.executable).parent}:{slurm.environment['PATH']}", "HF_HUB_OFFLINE": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        lost = crash_during(slurm, process, "rule_encode_variant")
        cancelled = cancel_one(slurm, process, "rule_train")
        process.wait()
    finally:
        process.kill()
    text = (folder / "snakemake.out").read_text(encoding="utf-8")
    assert process.returncode == 0, text
    return SlurmRun(folder, slurm.jobs(), slurm.submissions(), cancelled, lost)


def jobs_once(condition, slurm, process, what):
    """Wait until some of Slurm's jobs meet a condition while the workflow runs, and return their ids."""
    while process.poll() is None:
        if found := [job["id"] for job in slurm.jobs() if condition(job)]:
            return found
        time.sleep(0.5)
    raise AssertionError(f"the workflow ended before {what}")


def running(rule):
    return lambda job: job["state"] == "RUNNING" and job["comment"].startswith(rule)


def crash_during(slurm, process, rule):
    """Take the node down while jobs of a rule run, and start it again; return what ran."""
    runs = running(rule)
    lost = jobs_once(lambda job: runs(job) and slurm.has_started(job["id"]), slurm, process, f"{rule} ran")
    slurm.crash()
    # Slurm takes a job as lost only when it had started some seconds before the node came back.
    time.sleep(4)
    slurm.boot()
    jobs_once(lambda job: job["reason"] == "BeginTime", slurm, process, "Slurm saw that the node had failed")
    slurm.hurry()
    return lost


def cancel_one(slurm, process, rule):
    """Cancel the first job of a rule that runs; return its id."""
    cancelled = jobs_once(running(rule), slurm, process, f"{rule} ran")[0]
    slurm.client("scancel", cancelled)
    return cancelled


def test_the_tables_equal_those_of_a_local_run(slurm_run, finished):
    finished.run(*WANTED)
    for name in TABLES:
        path = Path("results") / name
        assert (slurm_run.folder / path).read_bytes() == (finished.folder / path).read_bytes()


def test_slurm_started_the_lost_jobs_again_under_their_number(slurm_run):
    states = {job["id"]: job["state"] for job in slurm_run.jobs}
    assert slurm_run.lost
    assert [states[job] for job in slurm_run.lost] == ["COMPLETED"] * len(slurm_run.lost)


def test_time_and_gpu_choose_a_jobs_partition(slurm_run):
    partitions = {job["comment"].split("_wildcards")[0]: job["partition"] for job in slurm_run.jobs}
    assert partitions.pop("rule_train_train") == "long"
    assert partitions.pop("rule_encode_variant") == "gpu"
    assert set(partitions.values()) == {"short"}


def test_the_cancelled_training_was_tried_again_with_twice_the_memory(slurm_run):
    trainings = [job for job in slurm_run.jobs if job["comment"].startswith("rule_train")]
    (cancelled,) = [job for job in trainings if job["state"] != "COMPLETED"]
    assert (cancelled["id"], cancelled["state"]) == (slurm_run.cancelled, "CANCELLED")
    assert sorted(job["memory"] for job in trainings) == ["16000M", "8000M"]


def test_trainings_and_scores_share_places_in_the_queue(slurm_run):
    assert slurm_run.submissions == len(slurm_run.jobs) == 4 + 1
    rules = [job["comment"] for job in slurm_run.jobs]
    assert rules.count("rule_train_train") == 1 + 1
    assert rules.count("rule_score_evaluate_predict") == 1


def test_the_cancelled_jobs_log_lies_where_the_profile_says(slurm_run):
    assert (slurm_run.folder / f"results/logs/slurm/group_train_train/{slurm_run.cancelled}.log").is_file()


def resources(text):
    """Return the rule and the resources of each job that a dry run prints."""
    blocks = re.split(r"^ *rule (\w+):$", text, flags=re.MULTILINE)[1:]
    return [
        (rule, re.search(r"resources: (.*)", block)[1])
        for rule, block in zip(blocks[::2], blocks[1::2], strict=True)
        if "resources:" in block
    ]


@pytest.mark.parametrize(("device", "gpu"), [("cpu", False), ("cuda", True)])
def test_only_what_runs_on_a_gpu_asks_for_one(make_workflow, tmp_path, device, gpu):
    overlay = tmp_path / "device.yaml"
    overlay.write_text(f"encoding: {{device: {device}}}\ntraining: {{device: {device}}}\n", encoding="utf-8")
    text = make_workflow().run("--dry-run", "results/table4.csv", "--configfile", TINY, str(overlay))
    asking = Counter(rule for rule, found in resources(text) if "gpu=1" in found)
    # Of the two augmentations CDA alone: masking runs no model.
    assert asking == ({"encode": 2, "encode_variant": 2, "augment": 1, "train": 8} if gpu else {})


@pytest.mark.parametrize(
    ("record", "status"),
    [
        ("    job_state = Q\n", "running"),
        ("    job_state = E\n    Exit_status = 0\n", "running"),
        ("    job_state = F\n    Exit_status = 0\n", "success"),  # PBS Pro
        ("    job_state = F\n    Exit_status = 271\n", "failed"),  # qdel
        ("    job_state = F\n    Exit_status = -29\n", "failed"),
        ("    job_state = C\n    exit_status = 0\n", "success"),  # Torque
        ("    job_state = F\n", "failed"),  # deleted before it ran
        ("qstat: Unknown Job Id 12\n", "failed"),
    ],
)
def test_the_generic_profile_reads_the_state_of_a_job(tmp_path, project, record, status):
    (tmp_path / "record").write_text(record)
    qstat = tmp_path / "qstat"
    qstat.write_text(f'#!/bin/sh\n[ "$1" = -x ] && exit 1\ncat {tmp_path / "record"}\n')
    qstat.chmod(0o755)
    done = subprocess.run(
        [sys.executable, str(project / "profiles/cluster-generic/status.py"), "12"],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{status}\n"
