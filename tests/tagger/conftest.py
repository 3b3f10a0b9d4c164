"""The small study of these tests, and what makes its files."""

import contextlib
from pathlib import Path
from types import SimpleNamespace

import pytest
import tiny_study
import torch

from zarpipe.cli import main
from zarpipe.formats.corpus import read_instances
from zarpipe.formats.features import Features
from zarpipe.job_folders import JOB_FILE, making
from zarpipe.tagger import loop
from zarpipe.tagger.cached import CachedStates, encoded_instances


@pytest.fixture(autouse=True, scope="session")
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """Corpus and feature files of a training and a development split, and of one variant."""
    return tiny_study.build(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="session")
def make():
    """What makes the study's files, for tests that need others."""
    return SimpleNamespace(corpus=tiny_study.write_corpus, features=tiny_study.write_split_features)


@pytest.fixture(scope="session")
def train(study):
    """The training split's instances as a tagger reads them."""
    return encoded_instances(
        read_instances(study.train), CachedStates((Features.open(study.train_features),))
    )


def run_in_job(arguments):
    """Run a command that writes a folder as a job does; return its exit status."""
    output = arguments[arguments.index("--output") + 1]
    status = None
    with contextlib.suppress(InterruptedError), making(Path(output), {}) as work:
        status = main([str(work) if argument == output else argument for argument in arguments])
        if status:
            raise InterruptedError
    return status


@pytest.fixture
def interrupted(monkeypatch):
    """A function that runs a job, which is interrupted after each epoch, to its end; returns the runs."""

    def run(arguments):
        save = loop.save_checkpoint

        def save_and_stop(path, state):
            save(path, state)
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(loop, "save_checkpoint", save_and_stop)
            statuses = [run_in_job(arguments)]
            while statuses[-1] == 130 and len(statuses) < 20:
                statuses.append(run_in_job(arguments))
        assert statuses[-1] == 0
        Path(arguments[arguments.index("--output") + 1], JOB_FILE).unlink()
        return len(statuses)

    return run
