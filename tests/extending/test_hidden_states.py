"""docs/extending/hidden-states.md: its class and its lines are all that another source takes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tiny_study

import zarpipe
from zarpipe.formats.probabilities import read_probabilities

BATCHES = "tagger/batches.py"
# Anchor of the import in the example's diff.
AFTER = "from zarpipe.tagger.hidden_states import HiddenStates\n"


@pytest.fixture
def extended(project, tmp_path):
    """A copy of the package with the page's class and lines; returns the folder that holds it."""
    page = (project / "docs/extending/hidden-states.md").read_text(encoding="utf-8")
    (module,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (diff,) = re.findall(r"```diff\n(.*?)```", page, re.DOTALL)
    (path,) = re.findall(r"The file is `src/zarpipe/(.*?)`", page)
    package = tmp_path / "src" / "zarpipe"
    shutil.copytree(Path(zarpipe.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / path).write_text(module, encoding="utf-8")
    new_import, removed, added = (line[1:] + "\n" for line in diff.splitlines())
    text = (package / BATCHES).read_text(encoding="utf-8")
    assert text.count(removed) == text.count(AFTER) == 1
    text = text.replace(AFTER, AFTER + new_import).replace(removed, added)
    (package / BATCHES).write_text(text, encoding="utf-8")
    return package.parent


def test_the_example_trains_and_predicts_with_its_own_hidden_states(extended, tmp_path):
    study = tiny_study.build(tmp_path)

    def run(arguments, source):
        environment = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
        subprocess.run(
            [sys.executable, "-m", "zarpipe", *arguments], env=environment, check=True, cwd=tmp_path
        )

    more = ("--variant-features", str(study.variant_features), "--seed", "1", "--epochs", "1")
    run(tiny_study.train_arguments(study, tmp_path / "tagger", *more), extended)
    probabilities = []
    for name, source in (("unit", extended), ("usual", Path(zarpipe.__file__).parents[1])):
        output = tmp_path / name / "decided.parquet"
        run(tiny_study.predict_arguments(study, tmp_path / "tagger", output), source)
        probabilities.append(read_probabilities(output.with_suffix(".probabilities.h5")).values)
    assert np.isfinite(probabilities[0]).all()
    assert not np.array_equal(*probabilities)
