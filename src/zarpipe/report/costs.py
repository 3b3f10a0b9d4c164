"""What a tagger cost: tokens that went through the MLM, and minutes of training."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

from zarpipe import job_folders
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import read_instances
from zarpipe.formats.features import read_provenance
from zarpipe.formats.history import read_history
from zarpipe.study.recipe import Recipe
from zarpipe.study.study import Study

_BYTES = 2  # float16


class Costs:
    """Costs of the taggers of a study, as far as its results folder tells."""

    def __init__(self, study: Study) -> None:
        self.study = study

    def encoder_tokens(self, recipe: Recipe) -> float | None:
        """Return how many tokens went through the MLM for one tagger of a recipe, the mean over seeds.

        A frozen MLM reads each distinct sequence once, for all seeds and all epochs; None where the features
        are gone. An MLM that is trained reads all instances in each epoch.
        """
        if not self.study.jobs.is_live(recipe):
            return self._sum_of_features(recipe, lambda manifest: manifest["tokens_encoded"])
        seen = recipe.copies + recipe.variant_copies * (1 if recipe.per_epoch else len(recipe.variants))
        train, dev = (
            int(read_instances(Path(self.study.jobs.corpus(split))).offsets[-1]) for split in ("train", "dev")
        )
        histories = [Path(self.study.history_of(recipe, seed).path) for seed in self.study.seeds]
        return statistics.mean(len(read_history(path).epochs) for path in histories) * (seen * train + dev)

    def feature_megabytes(self, recipe: Recipe) -> float | None:
        """Return the size of the hidden states that the taggers of a recipe read (1 MB is a million bytes).

        All seeds read the same; None where the features are gone.
        """
        if self.study.jobs.is_live(recipe):
            return 0.0
        values = self._sum_of_features(
            recipe, lambda manifest: manifest["tokens_encoded"] * manifest["hidden_size"]
        )
        return None if values is None else values * _BYTES / 1e6

    def training_minutes(self, recipe: Recipe) -> float | None:
        """Return the minutes of one training, the mean over seeds; None where a run time is not recorded."""
        seconds = [job_folders.seconds(job.folder) for job in self.study.jobs.taggers(recipe)]
        known = [one for one in seconds if one is not None]
        return statistics.mean(known) / 60 if len(known) == len(seconds) else None

    def _sum_of_features(self, recipe: Recipe, number: Callable[[dict[str, Any]], int]) -> float | None:
        """Return the sum of a number over the manifests of a recipe's feature files; None if one lacks it."""
        encoded = self.study.jobs.encoded_for(recipe)
        try:
            return float(sum(number(self._manifest(job.path("features.h5"))) for job in encoded))
        except KeyError:
            return None

    def _manifest(self, path: str) -> dict[str, Any]:
        try:
            return read_provenance(path)
        except (ZarpipeError, TypeError, ValueError):
            return {}
