"""What a tagger cost: tokens that went through the MLM, and minutes of training."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json
from zarpipe.formats.corpus import read_instances
from zarpipe.formats.history import read_history
from zarpipe.study.plan import recorded_seconds
from zarpipe.study.recipe import Recipe

if TYPE_CHECKING:
    from zarpipe.study.study import Study


class Costs:
    """Costs of the taggers of a study, as far as its results folder tells.

    Args:
        study: the study.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self._tokens: dict[str, int] = {}

    def encoder_tokens(self, recipe: Recipe) -> float | None:
        """Return how many tokens went through the MLM for one tagger of a recipe, the mean over seeds.

        A frozen MLM reads each distinct sequence once, for all seeds and all epochs; None where the manifests
        of features are gone. An MLM that is trained reads all instances in each epoch.
        """
        if not self.study.jobs.is_live(recipe):
            names = ["train", "dev", *(variant.name for variant in recipe.variants)]
            encoded = [self._manifest(name).get("tokens_encoded") for name in names]
            return None if None in encoded else float(sum(map(int, filter(None, encoded))))
        seen = recipe.copies + recipe.variant_copies * (1 if recipe.per_epoch else len(recipe.variants))
        each_epoch = seen * self._tokens_of("train") + self._tokens_of("dev")
        return statistics.mean(self._epochs(recipe, seed) for seed in self.study.seeds) * each_epoch

    def training_minutes(self, recipe: Recipe) -> float | None:
        """Return the minutes of one training, the mean over seeds; None where a run time is not recorded."""
        layout, seeds = self.study.layout, self.study.seeds
        live = self.study.jobs.is_live(recipe)
        # A job of several seeds is named after its first one.
        first = seeds if live else seeds[:: self.study.config.training.seeds_per_job]
        rule = "finetune" if live else "train"
        files = [Path(layout.benchmark(f"{rule}/{recipe.name}/seed{seed}")) for seed in first]
        seconds = [recorded_seconds(file) for file in files]
        known = [one for one in seconds if one is not None]
        return sum(known) / len(seeds) / 60 if len(known) == len(seconds) else None

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
