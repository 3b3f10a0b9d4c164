"""docs/extending/recipe.md: a row of the grid adds its own jobs and changes no other."""

import json
import re

from documented import PROJECT, Package, example

PAGE = "recipe.md"
GRID = "study/grid.py"
BEFORE = '            "baseline2x": [BASELINE_TWICE],\n'
JOBS = """\
import json
from pathlib import Path
from zarpipe.config.files import load_config
from zarpipe.study.study import Study

study = Study(load_config([Path("config.yaml")], {}))
recipes = study.grid.recipes()
jobs = [study.jobs.train(recipe, seed) for recipe in recipes for seed in study.seeds]
jobs += [study.jobs.evaluate(recipe, "dev") for recipe in recipes]
definitions = {recipe.name: recipe.definition() for recipe in recipes}
print(json.dumps([definitions, {job.id: job.key for job in jobs}]))
"""


def test_the_example_of_a_recipe_adds_its_own_jobs_and_changes_no_other(tmp_path):
    package = Package(tmp_path)
    recipes, jobs = json.loads(package.python(JOBS, PROJECT))
    package.replace(GRID, re.escape(BEFORE), BEFORE + example(PAGE, f"src/zarpipe/{GRID}"))
    more_recipes, more_jobs = json.loads(package.python(JOBS, PROJECT))
    (definition,) = re.findall(
        r"^```json\n(.*?)^```",
        (PROJECT / "docs/extending" / PAGE).read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    assert more_recipes == recipes | json.loads(f"{{{definition}}}")
    assert {name for name in more_jobs if name not in jobs} == {
        "train/baseline3x/seed1",
        "train/baseline3x/seed2",
        "evaluate/baseline3x/dev",
    }
    assert {name: more_jobs[name] for name in jobs} == jobs
