"""Fixtures of all tests."""

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]

# Tests never reach a model hub, and leave the cores to each other.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


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
