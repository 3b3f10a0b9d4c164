"""docs/extending/architecture.md: its module and its line are all that a new architecture takes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import tiny_study
from safetensors.numpy import load_file

import zarpipe

TABLE = "config/tagger.py"
LAST = '        "linear": "zarpipe.tagger.architectures.linear",\n'


@pytest.fixture
def page(project):
    return (project / "docs/extending/architecture.md").read_text(encoding="utf-8")


@pytest.fixture
def extended(page, tmp_path):
    """A copy of the package with the page's module and line; returns the folder that holds it."""
    module, line = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    package = tmp_path / "src" / "zarpipe"
    shutil.copytree(Path(zarpipe.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (path,) = re.findall(r"The file is `src/zarpipe/(.*?)`", page)
    (package / path).write_text(module, encoding="utf-8")
    table = package / TABLE
    text = table.read_text(encoding="utf-8")
    assert LAST in text
    table.write_text(text.replace(LAST, LAST + line), encoding="utf-8")
    return package.parent


def test_the_example_trains_and_predicts(extended, tmp_path):
    study = tiny_study.build(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(extended), "OMP_NUM_THREADS": "1"}

    def run(arguments):
        command = [sys.executable, "-m", "zarpipe", *arguments]
        subprocess.run(command, env=environment, check=True, cwd=tmp_path)

    more = ("--architecture", "pair", "--seed", "1", "--epochs", "1")
    run(tiny_study.train_arguments(study, tmp_path / "tagger", *more))
    weights = load_file(tmp_path / "tagger/tagger.safetensors")
    assert weights["hidden.weight"].shape == (12, 2 * tiny_study.HIDDEN_SIZE + 2)
    run(tiny_study.predict_arguments(study, tmp_path / "tagger", tmp_path / "decided.parquet"))
    assert pq.read_table(tmp_path / "decided.parquet").num_rows > 0


def test_the_example_is_typed_and_tidy(extended):
    """The module stands the project's own checks."""
    module = extended / "zarpipe/tagger/architectures/pair.py"
    command = [sys.executable, "-m", "ruff", "check", "--select", "E,F,W,I,B,UP,D,N", "--line-length", "110"]
    command += ["--config", "lint.pydocstyle.convention='google'", "--ignore", "D105,D107", str(module)]
    subprocess.run(command, check=True)
