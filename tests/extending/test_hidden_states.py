"""docs/extending/hidden-states.md: its class and its lines are all that another source takes."""

import re

import numpy as np
import pytest
import tiny_study
from documented import PROJECT, Package

from zarpipe.cli import main
from zarpipe.formats.probabilities import read_probabilities
from zarpipe.formats.tagger import WEIGHTS_NAME, read_tensors


@pytest.fixture
def extended(tmp_path):
    """A copy of the package with the page's class and lines."""
    page = (PROJECT / "docs/extending/hidden-states.md").read_text(encoding="utf-8")
    (module,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (diff,) = re.findall(r"```diff\n(.*?)```", page, re.DOTALL)
    (path,) = re.findall(r"The file is `src/zarpipe/(.*?)`", page)
    package = Package(tmp_path)
    (package.source / "zarpipe" / path).write_text(module, encoding="utf-8")
    for removed, added in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)+)", diff, re.MULTILINE):
        before, after = (re.sub(r"^[+-]", "", lines, flags=re.MULTILINE) for lines in (removed, added))
        package.replace("config/tagger.py", re.escape(before), after)
    return package


def test_the_example_trains_and_predicts_with_its_own_hidden_states(extended, tmp_path, capsys):
    study = tiny_study.build(tmp_path)
    more = ("--variant-features", str(study.variant_features), "--seed", "1", "--epochs", "1")
    extended.run(*tiny_study.train_arguments(study, tmp_path / "unit", *more))
    assert read_tensors(tmp_path / "unit" / WEIGHTS_NAME)[1]["hidden_states"] == "unit"
    assert main(tiny_study.train_arguments(study, tmp_path / "usual", *more)) == 0
    probabilities = []
    for name in ("unit", "usual"):  # each tagger reads what it was trained on
        output = tmp_path / f"{name}.parquet"
        extended.run(*tiny_study.predict_arguments(study, tmp_path / name, output))
        probabilities.append(read_probabilities(output.with_suffix(".probabilities.h5")).values)
    assert np.isfinite(probabilities[0]).all()
    assert not np.array_equal(*probabilities)
    assert main(tiny_study.predict_arguments(study, tmp_path / "unit", tmp_path / "x.parquet")) == 1
    assert "reads hidden states 'unit'; expected one of cached, live" in capsys.readouterr().err
