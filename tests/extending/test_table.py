"""docs/extending/table.md: its module and its line are all that a new table takes."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from made_scores import scores_with

import zarpipe
from zarpipe.config import Config
from zarpipe.files import write_json
from zarpipe.study.study import Study

# Precision and recall of each recipe's two taggers.
SCORES = {
    "baseline": [(0.5, 0.25), (0.75, 0.75)],
    "baseline2x": [(0.5, 0.5), (0.5, 0.5)],
    "cda-all-0.3-multi-argmax": [(0.1, 0.1), (0.1, 0.1)],
    "cda-all-0.5-multi-argmax": [(0.25, 0.5), (0.75, 1.0)],
    "masking-all-0.3": [(0.875, 0.5), (0.625, 0.5)],
    "masking-all-0.5": [(0.2, 0.2), (0.2, 0.2)],
}
ABOUT = """
import json
from zarpipe.report.tables import TABLES, job, labels
from zarpipe.study.study import Study
study = Study.read("results")
table8 = TABLES.load("table8")
made = job(table8, study)
print(json.dumps([list(TABLES), made.name, sorted(need.name for need in made.needs), labels(table8)]))
"""


@pytest.fixture(scope="module")
def extended(project, tmp_path_factory):
    """A copy of the package with the page's module and line; returns the folder that holds it."""
    page = (project / "docs/extending/table.md").read_text(encoding="utf-8")
    module, line = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    package = tmp_path_factory.mktemp("extended") / "zarpipe"
    shutil.copytree(Path(zarpipe.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (path,) = re.findall(r"The file is `src/zarpipe/(.*?)`", page)
    (package / path).write_text(module, encoding="utf-8")
    tables = package / "report/tables/__init__.py"
    text = tables.read_text(encoding="utf-8")
    before = '        "table7": "zarpipe.report.tables.table7",\n'
    assert text.count(before) == 1
    text = text.replace(before, before + line)
    tables.write_text(text, encoding="utf-8")
    return package.parent


@pytest.fixture
def run(extended, tmp_path):
    """Runs Python with the copy, in the folder of a results folder with scores."""
    config = {"augmentation": {"alphas": [0.3, 0.5]}, "training": {"seeds": [1, 2]}}
    study = Study(Config.model_validate(config), tmp_path / "results")
    study.write()
    for recipe, of_seeds in SCORES.items():
        for seed, (precision, recall) in enumerate(of_seeds, start=1):
            write_json(study.layout.scores(recipe, seed, "dev"), scores_with(precision, recall))
    environment = {**os.environ, "PYTHONPATH": str(extended)}

    def python(*arguments):
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, env=environment, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout

    return python


def test_the_table_is_made_and_stands_on_the_page(run, tmp_path):
    results = tmp_path / "results"
    run("-m", "zarpipe", "report", "table8", "--results", "results", "--output", "results/table8.csv")
    with (results / "table8.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [tuple(row.values()) for row in rows] == [
        ("baseline", "", "62.5", "50.0", "62.50", "50.00"),
        ("baseline2x", "", "50.0", "50.0", "50.00", "50.00"),
        ("cda", "0.5", "50.0", "75.0", "50.00", "75.00"),
        ("masking", "0.3", "75.0", "50.0", "75.00", "50.00"),
    ]
    assert "**75.00**" in (results / "table8.md").read_text(encoding="utf-8")
    assert r"\label{tab:table8}" in (results / "table8.tex").read_text(encoding="utf-8")
    run("-m", "zarpipe", "report", "index", "--results", "results", "--output", "results/index.html")
    html = (results / "index.html").read_text(encoding="utf-8")
    assert '<a href="#table8">Precision and recall</a>' in html
    assert '<h2 id="table8-title">Table 8: precision and recall of ZAR on the development set</h2>' in html
    assert "for the best recipe of each method of Table 4." in html
    assert '<a href="table8.json">' in html


def test_the_workflow_and_the_command_know_it(run):
    names, job, needs, labels = json.loads(run("-c", ABOUT))
    assert names[names.index("table7") + 1] == "table8"
    assert job == "table8"
    assert needs == sorted(f"evaluate/{recipe}/dev" for recipe in SCORES)
    assert labels == {"table": "Table 8: precision and recall on dev"}
    assert "Table 8: precision and recall of zero arguments" in run(
        "-m", "zarpipe", "report", "table8", "--help"
    )


def test_the_example_is_typed_and_tidy(extended):
    """The module stands the project's own checks."""
    module = extended / "zarpipe/report/tables/table8.py"
    ruff = [sys.executable, "-m", "ruff", "check", "--select", "E,F,W,I,B,UP,D,N", "--line-length", "110"]
    subprocess.run([*ruff, "--config", "lint.pydocstyle.convention='google'", str(module)], check=True)
    mypy = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports",
        "silent",
        "--ignore-missing-imports",
    ]
    environment = {**os.environ, "MYPYPATH": str(extended)}
    subprocess.run([*mypy, "-m", "zarpipe.report.tables.table8"], env=environment, check=True, cwd=extended)
