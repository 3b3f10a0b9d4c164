"""docs/extending/table.md: its module and its line are all that a new table takes."""

import csv
import json

import pytest
from documented import Package
from made_scores import scores_with
from made_study import made_study

from zarpipe.config import Config
from zarpipe.files import write_json

TABLE8 = "report/tables/table8.py"
LAST = '        "table7": "zarpipe.report.tables.table7",\n'
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
from zarpipe.study.study import Study, write_plan
study = Study.read("results")
table8 = TABLES.load("table8")
made = job(table8, study)
reads = [read.id for read in made.reads]
paths = [made.path(), write_plan(study, [made], "plans"), made.path("table8.csv")]
print(json.dumps([list(TABLES), made.name, reads, labels(table8), paths]))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    made = Package(tmp_path_factory.mktemp("table"))
    made.add("table.md", TABLE8, "report/tables/__init__.py", LAST)
    return made


@pytest.fixture
def results(tmp_path):
    """A results folder with scores."""
    config = {"augmentation": {"alphas": [0.3, 0.5]}, "training": {"seeds": [1, 2]}}
    study = made_study(Config.model_validate(config), tmp_path / "results")
    for recipe, of_seeds in SCORES.items():
        for seed, (precision, recall) in enumerate(of_seeds, start=1):
            write_json(study.scores_of(recipe, seed, "dev").path, scores_with(precision, recall))
    return tmp_path / "results"


def test_the_table_is_made_and_stands_on_the_page(package, results):
    folder = results.parent
    *_, (job, plan, path) = json.loads(package.python(ABOUT, folder))
    of_workflow = ("--job", job, "--plan", plan)
    package.run(*(*of_workflow, "report", "table8", "--results", "results", "--output", path), folder=folder)
    csv_file = folder / path
    with csv_file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [tuple(row.values()) for row in rows] == [
        ("baseline", "", "62.5", "50.0", "62.50", "50.00"),
        ("baseline2x", "", "50.0", "50.0", "50.00", "50.00"),
        ("cda", "0.5", "50.0", "75.0", "50.00", "75.00"),
        ("masking", "0.3", "75.0", "50.0", "75.00", "50.00"),
    ]
    assert "**75.00**" in csv_file.with_suffix(".md").read_text(encoding="utf-8")
    assert r"\label{tab:table8}" in csv_file.with_suffix(".tex").read_text(encoding="utf-8")
    package.run("report", "index", "--results", "results", "--output", "results/index.html", folder=folder)
    html = (results / "index.html").read_text(encoding="utf-8")
    assert '<a href="#table8">Precision and recall</a>' in html
    assert '<h2 id="table8-title">Table 8: precision and recall of ZAR on the development set</h2>' in html
    assert "for the best recipe of each method of Table 4." in html
    assert '<a href="table8.json">' in html


def test_the_workflow_and_the_command_know_it(package, results):
    names, job, needs, labels, _ = json.loads(package.python(ABOUT, results.parent))
    assert names[names.index("table7") + 1] == "table8"
    assert job == "table8"
    assert {f"evaluate/{recipe}/dev" for recipe in SCORES} == set(needs)
    assert labels == {"table": "Table 8: precision and recall on dev"}
    assert "table7, table8," in package.run("report", "--help")


def test_the_example_stands_the_checks(package):
    package.check(TABLE8)
