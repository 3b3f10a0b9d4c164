"""The study as rules and commands see it: configuration, recipes, jobs and paths in one object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from zarpipe import seals
from zarpipe.config import Config
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json, write_json
from zarpipe.registry import did_you_mean
from zarpipe.study.grid import Grid
from zarpipe.study.jobs import Job
from zarpipe.study.layout import Layout
from zarpipe.study.recipe import Recipe, Variant
from zarpipe.study.specs import Jobs, name_of


@dataclass(frozen=True)
class Input:
    """A file that a job reads, and the job that makes it."""

    path: str
    job: Job


class Study:
    """A study.

    Args:
        config: its configuration.
        results: the results folder; None: as configured (it may have been moved since).
    """

    def __init__(self, config: Config, results: str | Path | None = None) -> None:
        self.config = config
        self.grid = Grid(config)
        self.jobs = Jobs(config)
        self.layout = Layout(str(results if results is not None else config.results))

    @classmethod
    def read(cls, results: str | Path) -> Study:
        """Read the study that a results folder belongs to. Raises ZarpipeError when it does not say so."""
        path = Path(Layout(str(results)).study())
        if not path.is_file():
            raise ZarpipeError(
                f"{path}: no such file; expected the results folder of a study (`snakemake {path}` writes it)"
            )
        seals.check(path)
        seals.check(Layout(str(results)).recipes())
        try:
            return cls(Config.model_validate(read_json(path)), results)
        except ValidationError as error:
            raise ZarpipeError(
                f"{path}: not the configuration of this version ({error.errors()[0]['msg']}); "
                f"`snakemake {path}` writes it again"
            ) from error

    @property
    def seeds(self) -> list[int]:
        """Seeds of the taggers."""
        return list(self.config.training.seeds)

    @property
    def test_recipes(self) -> list[Recipe | str]:
        """The only recipes whose taggers see the test set."""
        return list(self.grid.tested().values())

    def recipe(self, name: str) -> Recipe | str:
        """Return the recipe of a name, or the name itself when it is that of a chosen one.

        Raises:
            ZarpipeError: the study has no such recipe.
        """
        if name in self.grid.chosen():
            return name
        known = {recipe.name: recipe for recipe in self.grid.recipes()}
        if name not in known:
            hint = did_you_mean(name, [*known, *self.grid.chosen()])
            hint = hint or f"; their names: {self.layout.recipes()}"
            raise ZarpipeError(f"{name}: not a recipe of the study in {self.layout.results}{hint}")
        return known[name]

    def write(self) -> None:
        """Write the configuration and the definitions of all recipes."""
        write_json(self.layout.study(), self.config.model_dump(mode="json"))
        definitions = {recipe.name: recipe.definition() for recipe in self.grid.recipes()}
        write_json(self.layout.recipes(), definitions)

    # --- files with the jobs that make them

    def corpus(self, split: str) -> Input:
        """Return the corpus Parquet of a split."""
        return Input(self.layout.corpus(split), self.jobs.convert())

    def variant(self, recipe: Recipe) -> Input:
        """Return the Parquet of a recipe's variant."""
        if recipe.variant is None:
            raise ValueError(f"{recipe.name} has no variant")
        return self.variant_file(recipe.variant)

    def variant_file(self, variant: Variant) -> Input:
        """Return the Parquet of a variant."""
        return Input(self.layout.variant(variant.name), self.jobs.augment(variant))

    def held_out(self, decided: Variant | str) -> list[Input]:
        """Return what all seeds decide of the originals (``train``) or a refilled variant, not seen."""
        name = decided if isinstance(decided, str) else decided.name
        job = self.jobs.predict_held_out(decided)
        return [Input(self.layout.held_out(name, seed), job) for seed in self.jobs.held_out_seeds()]

    def kept_copies(self, recipe: Recipe) -> list[Input]:
        """Return the lists of the copies that a filtered recipe is trained on, one for each draw."""
        variants = [self.grid.refilled(variant) for variant in recipe.variants]
        return [Input(self.layout.kept_copies(one.name), self.jobs.filter_copies(one)) for one in variants]

    def mlm(self) -> list[Input]:
        """Return what says which MLM it is."""
        return [Input(self.layout.mlm_manifest(), self.jobs.describe_mlm())]

    def scores(self, recipes: Iterable[Recipe | str], split: str) -> list[Input]:
        """Return the scores of all seeds of these recipes."""
        return [
            Input(self.layout.scores(name_of(recipe), seed, split), self.jobs.evaluate(recipe, split))
            for recipe in recipes
            for seed in self.seeds
        ]

    def decisions(self, recipes: Iterable[Recipe | str], split: str) -> list[Input]:
        """Return the decisions of all seeds of these recipes."""
        return [
            Input(self.layout.decisions(name_of(recipe), seed, split), self.jobs.predict(recipe, split))
            for recipe in recipes
            for seed in self.seeds
        ]

    def probabilities(self, recipes: Iterable[Recipe | str], split: str) -> list[Input]:
        """Return the probabilities of all seeds of these recipes."""
        return [
            Input(self.layout.probabilities(name_of(recipe), seed, split), self.jobs.predict(recipe, split))
            for recipe in recipes
            for seed in self.seeds
        ]

    def histories(self, recipes: Iterable[Recipe | str]) -> list[Input]:
        """Return the training histories of all seeds of these recipes."""
        return [
            Input(self.layout.history(name_of(recipe), seed), job)
            for recipe in recipes
            for seed, job in zip(self.seeds, self._tagger_jobs(recipe), strict=True)
        ]

    def taggers(self, recipes: Iterable[Recipe | str]) -> list[Input]:
        """Return all files of the taggers of these recipes."""
        return [
            Input(path, job)
            for recipe in recipes
            for seed, job in zip(self.seeds, self._tagger_jobs(recipe), strict=True)
            for path in self.layout.tagger_files(name_of(recipe), seed, self.jobs.is_live(recipe))
        ]

    def segmenter(self, seed: int) -> list[Input]:
        """Return the files of the segmenter of a seed."""
        job = self.jobs.train_segmenter(seed)
        return [Input(path, job) for path in self.layout.segmenter_files(seed)]

    def segmentation_scores(self, split: str) -> list[Input]:
        """Return the scores of the segmenters of all seeds."""
        return [
            Input(self.layout.segmentation_scores(seed, split), self.jobs.evaluate_segmenter(seed, split))
            for seed in self.config.segmentation.seeds
        ]

    def chosen(self) -> Input:
        """Return which recipes were chosen for the test set."""
        return Input(self.layout.chosen(), self.jobs.choose())

    def _tagger_jobs(self, recipe: Recipe | str) -> list[Job]:
        jobs = self.jobs.taggers(recipe)
        return jobs if len(jobs) == len(self.seeds) else jobs * len(self.seeds)
