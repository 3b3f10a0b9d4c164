"""The study as rules and commands see it: configuration, recipes, jobs and paths in one object."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from zarpipe.config import Config
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json, text_digest, write_text
from zarpipe.registry import did_you_mean
from zarpipe.study.grid import Grid
from zarpipe.study.jobs import Job
from zarpipe.study.recipe import Recipe, Variant
from zarpipe.study.stages import Jobs

PLANS = ".snakemake/zarpipe"
"""Where a workflow keeps the plans of its studies (below plans/) and other small files."""
STUDY_FILE, RECIPES_FILE = "study.json", "recipes.json"


@dataclass(frozen=True)
class Input:
    """A file that a job reads, and the job that makes it."""

    path: str
    job: Job

    @classmethod
    def of(cls, job: Job, file: str) -> Input:
        """Return a file of a job by its name."""
        return cls(job.path(file), job)


class Study:
    """A study.

    ``results`` may be another folder than is configured (it may have been moved since); ``keys`` are those of
    jobs by their ids, where they are known.
    """

    def __init__(
        self, config: Config, results: str | Path | None = None, keys: Mapping[str, str] | None = None
    ) -> None:
        self.config = config
        self.results = str(results if results is not None else config.results)
        self.root = f"{config.store or self.results}/jobs"
        self.grid = Grid(config)
        self.keys = dict(keys or {})
        self.jobs = Jobs(config, self.root, keys)

    @classmethod
    def read(cls, place: str | Path) -> Study:
        """Read the study that a results folder belongs to, or a plan that `write_plan` wrote.

        Raises ZarpipeError if the folder does not say so, or another version wrote it.
        """
        path = Path(place) if Path(place).is_file() else Path(place, STUDY_FILE)
        if not path.is_file():
            raise ZarpipeError(
                f"{path}: no such file; expected the results folder of a study (`snakemake {path}` writes it)"
            )
        read = read_json(path)
        try:
            keys = {name: job["key"] for name, job in read["jobs"].items()}
            results = read["results"] if path == Path(place) else place
            return cls(Config.model_validate(read["configuration"]), results, keys)
        except (ValidationError, KeyError, TypeError, AttributeError) as error:
            reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else f"{error} is missing"
            raise ZarpipeError(
                f"{path}: not a study of this version ({reason}); `snakemake {path}` writes it again"
            ) from error

    def job_folders(self) -> list[str]:
        """Return the names of the folders of a study that was read: ``train/baseline/seed1@0123456789ab``."""
        return [f"{job}@{key}" for job, key in self.keys.items()]

    def plan(self, jobs: Iterable[Job]) -> str:
        """Return what the commands of the jobs are told of the study, as JSON: what each is made from."""
        made_from = {job.id: job.made_from() for job in jobs}
        plan = {
            "results": self.results,
            "configuration": self.config.model_dump(mode="json"),
            "recipes": {recipe.name: recipe.definition() for recipe in self.grid.recipes()},
            "jobs": made_from,
        }
        return json.dumps(plan, ensure_ascii=False, allow_nan=False)

    @property
    def seeds(self) -> list[int]:
        """Seeds of the taggers."""
        return list(self.config.training.seeds)

    @property
    def test_recipes(self) -> list[Recipe | str]:
        """The only recipes whose taggers see the test set."""
        return list(self.grid.tested().values())

    @functools.cached_property
    def recipes(self) -> dict[str, Recipe | str]:
        """The recipes by name; the chosen ones, whose files are known by the name alone, too."""
        named: dict[str, Recipe | str] = {recipe.name: recipe for recipe in self.grid.recipes()}
        return named | {name: name for name in self.grid.chosen()}

    def recipe(self, name: str) -> Recipe | str:
        """Return the recipe of a name, or the name of a chosen one. Raises ZarpipeError if there is none."""
        if name not in self.recipes:
            hint = did_you_mean(name, self.recipes) or f"; their names: {self.shown(RECIPES_FILE)}"
            raise ZarpipeError(f"{name}: not a recipe of the study in {self.results}{hint}")
        return self.recipes[name]

    def _found(self, recipe: Recipe | str) -> Recipe | str:
        return self.recipe(recipe) if isinstance(recipe, str) else recipe

    def shown(self, file: str) -> str:
        """Return where people find a file: directly in the results folder."""
        return f"{self.results}/{file}"

    # --- files with the jobs that make them

    def corpus(self, split: str) -> Input:
        """Return the corpus Parquet of a split."""
        return Input(self.jobs.corpus(split), self.jobs.convert())

    def variant(self, variant: Variant) -> Input:
        """Return the Parquet of a variant."""
        return Input.of(self.jobs.augment(variant), "variant.parquet")

    def held_out(self, decided: Variant | str) -> list[Input]:
        """Return what all seeds decide of the originals (``train``) or a refilled variant, not seen."""
        job = self.jobs.predict_held_out(decided)
        return [Input(path, job) for path in self.jobs.held_out(decided)]

    def kept_copies(self, recipe: Recipe) -> list[Input]:
        """Return the lists of the copies that a filtered recipe is trained on, one for each draw.

        Its baseline has the same; other recipes have none.
        """
        refilled = map(self.grid.refilled, recipe.filters)
        return [Input.of(self.jobs.filter_copies(variant), "copies.parquet") for variant in refilled]

    def mlm(self) -> Input:
        """Return what says which masked language model it is."""
        return Input.of(self.jobs.describe_mlm(), "manifest.json")

    def scores_of(self, recipe: Recipe | str, seed: int, split: str) -> Input:
        """Return the scores of a tagger."""
        return Input.of(self.jobs.evaluate(self._found(recipe), split), f"seed{seed}.json")

    def decisions_of(self, recipe: Recipe | str, seed: int, split: str) -> Input:
        """Return the decisions of a tagger."""
        return Input.of(self.jobs.predict(self._found(recipe), split), f"seed{seed}.parquet")

    def probabilities_of(self, recipe: Recipe | str, seed: int, split: str) -> Input:
        """Return the probabilities of a tagger."""
        return Input.of(self.jobs.predict(self._found(recipe), split), f"seed{seed}.probabilities.h5")

    def tagger_of(self, recipe: Recipe | str, seed: int, file: str) -> Input:
        """Return a file of a tagger's folder."""
        found = self._found(recipe)
        job = self.jobs.choose() if isinstance(found, str) else self.jobs.train(found, seed)
        return Input(f"{self.jobs.tagger(found, seed)}/{file}", job)

    def history_of(self, recipe: Recipe | str, seed: int) -> Input:
        """Return the training history of a tagger."""
        return self.tagger_of(recipe, seed, self.jobs.tagger_files(self._found(recipe))[-1])

    def scores(self, recipes: Iterable[Recipe | str], split: str) -> list[Input]:
        """Return the scores of all seeds of these recipes."""
        return [self.scores_of(recipe, seed, split) for recipe in recipes for seed in self.seeds]

    def decisions(self, recipes: Iterable[Recipe | str], split: str) -> list[Input]:
        """Return the decisions of all seeds of these recipes."""
        return [self.decisions_of(recipe, seed, split) for recipe in recipes for seed in self.seeds]

    def probabilities(self, recipes: Iterable[Recipe | str], split: str) -> list[Input]:
        """Return the probabilities of all seeds of these recipes."""
        return [self.probabilities_of(recipe, seed, split) for recipe in recipes for seed in self.seeds]

    def histories(self, recipes: Iterable[Recipe | str]) -> list[Input]:
        """Return the training histories of all seeds of these recipes."""
        return [self.history_of(recipe, seed) for recipe in recipes for seed in self.seeds]

    def segmenter_of(self, seed: int, file: str) -> Input:
        """Return a file of the segmenter of a seed."""
        return Input.of(self.jobs.train_segmenter(seed), file)

    def segmentation_scores_of(self, seed: int, split: str) -> Input:
        """Return the scores of the segmenter of a seed."""
        return Input.of(self.jobs.evaluate_segmenter(seed, split), "scores.json")

    def chosen(self) -> Input:
        """Return which recipes were chosen for the test set."""
        return Input.of(self.jobs.choose(), "chosen.json")


def write_plan(study: Study, jobs: Iterable[Job], folder: str) -> str:
    """Write the plan of a study for the commands of its jobs; return the file. Its name is its digest."""
    text = study.plan(jobs)
    path = f"{folder}/{text_digest(text)[:16]}.json"
    if not Path(path).is_file():
        write_text(path, text)
    return path


def job_of_plan(path: str | Path, folder: Path) -> dict[str, Any]:
    """Return what the job of a folder is made from. Raises ZarpipeError if the plan has no such job."""
    for job in read_json(path)["jobs"].values():
        if folder.as_posix().endswith(f"{job['rule']}/{job['name']}@{job['key']}"):
            return dict(job)
    raise ZarpipeError(f"{folder}: not a job of the plan {path}; run snakemake again")
