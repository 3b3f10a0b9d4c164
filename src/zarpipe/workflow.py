"""What the rules of the workflow ask: the study, its jobs by key, and what is copied to where people look."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zarpipe.config.files import load_config, refuse_repeated_configfiles
from zarpipe.config.folders import warn_of_strangers
from zarpipe.files import write_text
from zarpipe.mlm.files import local_model_files
from zarpipe.registry import Registry
from zarpipe.report import tables
from zarpipe.report.figures import learning_curves
from zarpipe.report.pages import antecedents_sheet, examples, index
from zarpipe.serve.bundle import jobs as bundles
from zarpipe.serve.bundle.manifest import NAME
from zarpipe.study.checks import check_inputs
from zarpipe.study.jobs import Job, value_digest, with_all_they_read
from zarpipe.study.recipe import chosen_name
from zarpipe.study.stages import name_of
from zarpipe.study.study import PLANS, RECIPES_FILE, STUDY_FILE, Study, write_plan

SHOWN = ".shown"
_AGES_AGO = 315532800  # 1980, which every file system knows
_BERT_BASE_MEGABYTES = 440


@dataclass(frozen=True)
class Shown:
    """What a job made for people, which is copied to the results folder.

    Attributes:
        job: the job.
        files: their names, in its folder and in the results folder.
        module: the table, figure or page that says how Snakemake's report shows it, or None.
    """

    job: Job
    files: Sequence[str]
    module: Any = None


class Workflow:
    """A study as the rules see it.

    Args:
        study: the study.
        main: whether this process runs the workflow (not one of its jobs).
    """

    def __init__(self, study: Study, main: bool) -> None:
        self.study = study
        self.main = main
        self.shown = _shown(study)
        self.curves = Registry("recipe that is run on the test set", _curves(study))
        self.bundles = Registry("recipe of this study (see recipes.json)", _bundles(study))
        wanted = [*self.shown.values(), *self.curves.values(), *self.bundles.values()]
        jobs = with_all_they_read(shown.job for shown in wanted)
        self._add_study(jobs)
        self.plan = write_plan(study, jobs.values(), f"{PLANS}/plans")
        by_key = {job.key: job for job in jobs.values()}
        self.jobs = Registry("key of a job of this study", by_key)
        self.now = f"{PLANS}/now"
        if main:
            # Other bytes each time: Snakemake takes a small input with bytes that it knows for unchanged.
            write_text(self.now, str(time.time_ns()))

    def _add_study(self, jobs: dict[str, Job]) -> None:
        """Add the job that writes down the study, whose keys it holds."""
        keys = value_digest({name: job.key for name, job in jobs.items()})
        made = self.study.jobs.report(
            "study",
            lambda: {"configuration": self.study.config.model_dump(mode="json"), "keys": keys},
            (),
            STUDY_FILE,
            rule="study",
        )
        jobs[made.id] = made
        self.shown["study"] = Shown(made, (STUDY_FILE, RECIPES_FILE))

    def reads(self, job: Job) -> list[str]:
        """Return what must be there before a job runs.

        What is dated ahead of the clock (another machine's) is there, and is left out: Snakemake would delete
        the outputs of a job with such an input. Nor does a job that is there need what was deleted.
        """
        reads = (read for read in job.reads if read.is_there) if job.is_there else job.reads
        return [path for path in (read.path() for read in reads) if not _is_ahead(path)]

    def copies(self, name: str, shown: Shown) -> tuple[list[str], bool]:
        """Return what a copy for people is made from: with another file each time if it is another job's.

        That copy is dated back, so that this file is newer whatever the clock says.
        """
        note = Path(self.study.shown(f"{SHOWN}/{name}"))
        current = note.is_file() and note.read_text(encoding="utf-8").strip() == shown.job.key
        if self.main and not current:
            for path in (note, *map(Path, map(self.study.shown, shown.files))):
                if path.exists():
                    os.utime(path, (_AGES_AGO, _AGES_AGO))
        made = shown.job.path()
        return ([] if _is_ahead(made) else [made]), current

    def finetuning_megabytes(self) -> int:
        """Return how many megabytes the training of an MLM needs, by the size of its weights.

        Of the weights there are some 16 copies at most: their gradients, two moments and the best ones, and
        all of these once more while a checkpoint is written; besides, what one pass through the model keeps.
        A model of the hub counts as a BERT-base.
        """
        mlm = self.study.config.mlm.model_copy(update={"path": self.study.jobs.model_path()})
        files = local_model_files(mlm)
        weights = sum(file.stat().st_size for file in files or []) // 2**20
        return 4000 + 16 * (weights if files else _BERT_BASE_MEGABYTES)

    def targets(self) -> list[str]:
        """Return what makes the whole study: every table and figure, learning curves and pages.

        Snakemake's report takes of these what is there.
        """
        files = [shown.files[0] for shown in self.shown.values()]
        paths = [*map(self.study.shown, [*files, *(f"learning_curves/{name}.svg" for name in self.curves)])]
        if any(word.split("=")[0] == "--report" for word in sys.argv):
            return [path for path in paths if Path(path).is_file()]
        return paths


def read_workflow(
    files: Sequence[Path], overrides: Mapping[str, Any], prefix: str | None, main: bool
) -> Workflow:
    """Read the study of a workflow, and refuse what no job could read.

    Args:
        files: config.yaml and overlays.
        overrides: what ``--config`` or an importing workflow says.
        prefix: of all paths, if another workflow imports this one with one.
        main: whether this process runs the workflow.
    """
    refuse_repeated_configfiles(sys.argv)
    config = load_config(files, overrides)
    study = Study(config, f"{prefix or ''}{config.results}")
    check_inputs(study)
    warn_of_strangers(config)
    tables.refuse_others(study, sys.argv)
    return Workflow(study, main)


def _shown(study: Study) -> dict[str, Shown]:
    """Return what people find in the results folder, by name."""
    modules: list[Any] = [*tables.wanted_tables(study).values(), index, examples]
    modules += [antecedents_sheet] if tables.is_wanted(antecedents_sheet, study) else []
    found = {
        module.NAME: Shown(tables.job(module, study), tables.files(module), module) for module in modules
    }
    return found | {"choose": Shown(study.jobs.choose(), ("chosen.json",))}


def _curves(study: Study) -> dict[str, Shown]:
    """Return the trainings that `all` draws: of the recipes that see the test set."""
    drawn = {name_of(recipe): learning_curves.job(study, recipe) for recipe in study.test_recipes}
    return {
        name: Shown(job, [f"learning_curves/{name}{ending}" for ending in learning_curves.ENDINGS])
        for name, job in drawn.items()
    }


def _bundles(study: Study) -> dict[str, Shown]:
    """Return the bundles: of each recipe whose taggers read features, and of the chosen masking recipe."""
    jobs = study.jobs
    made = {
        recipe.name: bundles.job(study, recipe)
        for recipe in study.grid.recipes()
        if not jobs.is_live(recipe) and recipe.documents is None
    }
    chosen = chosen_name(bundles.RECIPE)
    made |= {} if jobs.is_live(chosen) else {chosen: bundles.job(study)}
    return {name: Shown(job, [f"bundles/{name}/{NAME}"]) for name, job in made.items()}


def _is_ahead(path: str) -> bool:
    try:
        return Path(path).stat().st_mtime > time.time()
    except OSError:
        return False
