"""A job of the workflow as what decides its files: settings, code, versions, and the jobs that it builds on.

A job's *key* is a digest of all of that. It holds no path, so that a results folder may be moved or copied.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from zarpipe.study.digests import spec_digest


class Job:
    """One job.

    Args:
        name: rule and wildcards' values with slashes between, unique in the study (``train/baseline/seed1``).
        spec: plain values that its files depend on, besides what other jobs make.
        needs: the jobs whose files it reads.
    """

    def __init__(self, name: str, spec: Mapping[str, Any], needs: Iterable[Job] = ()) -> None:
        self.name = name
        self.spec = dict(spec)
        self.needs = tuple({job.name: job for job in needs}.values())

    @functools.cached_property
    def key(self) -> str:
        """Digest of all that decides the job's files."""
        return spec_digest(self.spec, sorted(f"{job.name} {job.key}" for job in self.needs))

    def record(self) -> dict[str, Any]:
        """Return what is kept beside the files: key, spec, and the keys of what was read."""
        return {
            "job": self.name,
            "key": self.key,
            "spec": self.spec,
            "needs": {job.name: job.key for job in self.needs},
        }
