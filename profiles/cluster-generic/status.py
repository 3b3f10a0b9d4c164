#!/usr/bin/env python3
"""Say for Snakemake what became of a PBS job: `status.py JOB` prints running, success or failed."""

import re
import subprocess
import sys

FINISHED = ("C", "F", "X")  # Torque's completed; PBS Pro's finished and expired


def record_of(job: str) -> str:
    """Return what qstat knows of a job; finished ones need -x on PBS Pro, which Torque has not."""
    for options in (("-x", "-f"), ("-f",)):
        done = subprocess.run(("qstat", *options, job), capture_output=True, text=True, check=False)
        if "job_state" in done.stdout:
            return done.stdout
    return ""


def status_of(record: str) -> str:
    """Return running, success or failed. A job that qstat has forgotten has failed: it is tried again."""
    state = re.search(r"job_state\s*=\s*(\S)", record)
    if state is None:
        return "failed"
    if state[1] not in FINISHED:
        return "running"
    code = re.search(r"exit_status\s*=\s*(-?\d+)", record, re.IGNORECASE)
    return "success" if code and int(code[1]) == 0 else "failed"


if __name__ == "__main__":
    print(status_of(record_of(sys.argv[1])))
