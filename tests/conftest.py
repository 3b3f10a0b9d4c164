"""Fixtures of all tests."""

import os
import signal
import threading
from pathlib import Path

import hypothesis
import pytest
import tiny_models

PROJECT = Path(__file__).resolve().parents[1]

# How long an example takes says how busy the machine is.
hypothesis.settings.register_profile("no deadline", deadline=None)
hypothesis.settings.load_profile("no deadline")
# Tests never reach a model hub, and leave the cores to each other.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# A shell starts what runs in the background deaf to Ctrl-C, and so would be all that the tests start.
if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    and threading.current_thread() is threading.main_thread()
):
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def project() -> Path:
    """The root of the checkout."""
    return PROJECT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder beside the checkout with corpora and models that cannot be part of the project.

    With CI=true its absence fails the test; elsewhere the test is skipped.
    """
    folder = PROJECT.parent / "shared"
    if not folder.is_dir():
        message = f"needs {folder} (corpora and models that are not part of the project)"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture(scope="session")
def tiny_mlm(tmp_path_factory):
    """A function that gives the folder of a tiny random masked language model of a kind (see tiny_models)."""
    built: dict[tuple[str, int], Path] = {}

    def folder(kind: str, positions: int = 512) -> Path:
        if (kind, positions) not in built:
            place = tmp_path_factory.mktemp(f"{kind}-{positions}") / kind
            built[kind, positions] = tiny_models.build(kind, place, positions)
        return built[kind, positions]

    return folder
