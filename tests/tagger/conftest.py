"""The small study of these tests, and what makes its files."""

from types import SimpleNamespace

import pytest
import tiny_study
import torch


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
