"""What a tagger cost: tokens that went through the MLM, and minutes of training."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json
from zarpipe.formats.corpus import read_instances
from zarpipe.formats.history import read_history
from zarpipe.study.plan import recorded_seconds
from zarpipe.study.recipe import Recipe, encoded

if TYPE_CHECKING:
    from zarpipe.study.study import Study

_BYTES = 2  # float16


class Costs:
    """Costs of the taggers of a study, as far as its results folder tells."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._tokens: dict[str, int] = {}

    def encoder_tokens(self, recipe: Recipe) -> float | None:
        """Return how many tokens went through the MLM for one tagger of a recipe, the mean over seeds.

        A frozen MLM reads each distinct sequence once, for all seeds and all epochs; None where the manifests
        of features are gone. An MLM that is trained reads all instances in each epoch.
        """
        if not self.study.jobs.is_live(recipe):
            return self._sum_of_features(recipe, lambda manifest: manifest["tokens_encoded"])
        seen = recipe.copies + recipe.variant_copies * (1 if recipe.per_epoch else len(recipe.variants))
        each_epoch = seen * self._tokens_of("train") + self._tokens_of("dev")
        return statistics.mean(self._epochs(recipe, seed) for seed in self.study.seeds) * each_epoch

    def feature_megabytes(self, recipe: Recipe) -> float | None:
        """Return the size of the hidden states that the taggers of a recipe read (1 MB is a million bytes).

        All seeds read the same; None where the manifests of features are gone.
        """
        if self.study.jobs.is_live(recipe):
            return 0.0
        values = self._sum_of_features(
            recipe, lambda manifest: manifest["tokens_encoded"] * manifest["hidden_size"]
        )
        return None if values is None else values * _BYTES / 1e6

    def training_minutes(self, recipe: Recipe) -> float | None:
        """Return the minutes of one training, the mean over seeds; None where a run time is not recorded."""
        layout, seeds = self.study.layout, self.study.seeds
        rule = "finetune" if self.study.jobs.is_live(recipe) else "train"
        files = [Path(layout.benchmark(f"{rule}/{recipe.name}/seed{seed}")) for seed in seeds]
        seconds = [recorded_seconds(file) for file in files]
        known = [one for one in seconds if one is not None]
        return sum(known) / len(seeds) / 60 if len(known) == len(seconds) else None

    def _sum_of_features(self, recipe: Recipe, number: Callable[[dict[str, Any]], int]) -> float | None:
        """Return the sum of a number over the manifests of a recipe's feature files; None if one lacks it."""
        names = ["train", "dev", *(variant.name for variant in recipe.variants)]
        try:
            return float(sum(number(self._manifest(encoded(name, recipe.states))) for name in names))
        except KeyError:
            return None

    def _manifest(self, name: str) -> dict[str, Any]:
        try:
            return dict(read_json(self.study.layout.features_manifest(name)))
        except (ZarpipeError, TypeError, ValueError):
            return {}

    def _tokens_of(self, split: str) -> int:
        """Return the tokens of all instances of a split."""
        if split not in self._tokens:
            self._tokens[split] = int(read_instances(Path(self.study.layout.corpus(split))).offsets[-1])
        return self._tokens[split]

    def _epochs(self, recipe: Recipe, seed: int) -> int:
        return len(read_history(Path(self.study.layout.history(recipe.name, seed))).epochs)
