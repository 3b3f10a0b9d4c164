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
from zarpipe.cli import main
from zarpipe.formats.probabilities import read_probabilities
from zarpipe.formats.tagger import WEIGHTS_NAME, read_tensors

TABLE = "config/tagger.py"


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
    text = (package / TABLE).read_text(encoding="utf-8")
    for removed, added in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)+)", diff, re.MULTILINE):
        before, after = (re.sub(r"^[+-]", "", lines, flags=re.MULTILINE) for lines in (removed, added))
        assert text.count(before) == 1
        text = text.replace(before, after)
    (package / TABLE).write_text(text, encoding="utf-8")
    return package.parent


def test_the_example_trains_and_predicts_with_its_own_hidden_states(extended, tmp_path):
    study = tiny_study.build(tmp_path)

    def run(arguments, source=extended):
        environment = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "zarpipe", *arguments]
        return subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    more = ("--variant-features", str(study.variant_features), "--seed", "1", "--epochs", "1")
    assert run(tiny_study.train_arguments(study, tmp_path / "unit", *more)).returncode == 0
    assert read_tensors(tmp_path / "unit" / WEIGHTS_NAME)[1]["hidden_states"] == "unit"
    assert main(tiny_study.train_arguments(study, tmp_path / "usual", *more)) == 0
    probabilities = []
    for name in ("unit", "usual"):  # each tagger reads what it was trained on
        output = tmp_path / f"{name}.parquet"
        assert run(tiny_study.predict_arguments(study, tmp_path / name, output)).returncode == 0
        probabilities.append(read_probabilities(output.with_suffix(".probabilities.h5")).values)
    assert np.isfinite(probabilities[0]).all()
    assert not np.array_equal(*probabilities)
    unknown = run(
        tiny_study.predict_arguments(study, tmp_path / "unit", tmp_path / "x.parquet"),
        Path(zarpipe.__file__).parents[1],
    )
    assert "reads hidden states 'unit'; expected one of cached, live" in unknown.stderr
