"""A job of the workflow: its settings, the jobs that it reads, and the folder that both give a name.

A job's *key* is a digest of its settings (values, code, versions of libraries, digests of the user's files)
and of the keys of the jobs that it reads. It holds no path, so that folders may be moved, copied and shared.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from zarpipe.files import text_digest
from zarpipe.job_folders import JOB_FILE, KEY_LENGTH, is_there


class Job:
    """One job, of a rule; its name is unique among the jobs of the rule (``baseline/seed1``).

    ``settings`` gives plain values that its files depend on, besides what the jobs make that it reads;
    ``options`` what the rule's command is told, and may ask the job for its paths. A key that is not given is
    computed.
    """

    def __init__(
        self,
        root: str,
        rule: str,
        name: str,
        settings: Callable[[], Mapping[str, Any]],
        reads: Iterable[Job] = (),
        options: Callable[[Job], str] = lambda job: "",  # noqa: ARG005
        key: str | None = None,
    ) -> None:
        self.rule = rule
        self.name = name
        self.reads = tuple({job.id: job for job in reads}.values())
        self._root, self._settings, self._options, self._key = root, settings, options, key

    @property
    def id(self) -> str:
        """What it is within its study: ``train/baseline/seed1``."""
        return f"{self.rule}/{self.name}"

    @functools.cached_property
    def settings(self) -> dict[str, Any]:
        """Plain values that its files depend on."""
        return dict(self._settings())

    @functools.cached_property
    def key(self) -> str:
        """Digest of all that decides its files."""
        read = sorted(f"{job.id} {job.key}" for job in self.reads)
        return self._key or value_digest([self.id, self.settings, read])

    @property
    def folder(self) -> str:
        """Where its files stand."""
        return f"{self._root}/{self.id}@{self.key}"

    def path(self, file: str = JOB_FILE) -> str:
        """Return the path of one of its files; by default of the one that says that all are there."""
        return f"{self.folder}/{file}"

    @property
    def is_there(self) -> bool:
        """Whether its folder is there."""
        return is_there(self.folder)

    @property
    def options(self) -> str:
        """What the rule's command is told."""
        return self._options(self)

    def made_from(self) -> dict[str, Any]:
        """Return what ``job.json`` says of where its files come from."""
        return {
            "rule": self.rule,
            "name": self.name,
            "key": self.key,
            "settings": self.settings,
            "reads": {job.id: job.key for job in self.reads},
        }


def value_digest(value: Any) -> str:
    """Return a short digest of plain values (dicts, lists, texts, numbers), whatever the order of keys."""
    return text_digest(json.dumps(value, sort_keys=True, ensure_ascii=False))[:KEY_LENGTH]


def with_all_they_read(jobs: Iterable[Job]) -> dict[str, Job]:
    """Return these jobs and all that they read, at any depth, by what they are within their study."""
    found: dict[str, Job] = {}
    waiting = list(jobs)
    while waiting:
        job = waiting.pop()
        if job.id not in found:
            found[job.id] = job
            waiting.extend(job.reads)
    return found
