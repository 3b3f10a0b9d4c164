"""Studies made by hand: the keys of their jobs are no digests, so their folders need no ``job.json``."""

from pathlib import Path

from zarpipe.config import Config
from zarpipe.files import write_json
from zarpipe.report.figures import learning_curves
from zarpipe.report.pages import antecedents_sheet, examples, index
from zarpipe.report.tables import is_wanted, job, wanted_tables
from zarpipe.study.jobs import with_all_they_read
from zarpipe.study.study import Study

KEY = "made"


class _Keys(dict):
    """The same key for every job."""

    def get(self, name, default=None):  # noqa: ARG002
        return KEY

    def __bool__(self):
        return True


def made_study(config: Config, results: Path) -> Study:
    """Write the results folder's study.json."""
    study = Study(config, results, _Keys())
    modules = [*wanted_tables(study).values(), index, examples]
    modules += [antecedents_sheet] if is_wanted(antecedents_sheet, study) else []
    shown = [job(module, study) for module in modules]
    shown += [learning_curves.job(study, recipe) for recipe in study.test_recipes]
    shown += [study.jobs.evaluate(recipe, "test") for recipe in study.test_recipes]
    jobs = {name: {"key": KEY} for name in with_all_they_read(shown)}
    plan = {"results": str(results), "configuration": config.model_dump(mode="json"), "jobs": jobs}
    write_json(results / "study.json", plan)
    return study
