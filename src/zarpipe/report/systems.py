"""The systems that are compared on the test set: single models, and their ensemble.

An ensemble decides by the mean of its models' probabilities, with thresholds searched on dev for that mean,
as a single model's are (golden evaluation notes).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from zarpipe.arrays import Floats, Int64
from zarpipe.errors import ZarpipeError
from zarpipe.evaluate.evaluation import read_gold
from zarpipe.formats.predictions import Gold, read_decisions
from zarpipe.formats.probabilities import read_probabilities
from zarpipe.report.folder import ResultsFolder
from zarpipe.task.instances import Instances
from zarpipe.task.scores import count_by_instance
from zarpipe.task.thresholds import candidates, gold_of_labels, search_thresholds


class Systems:
    """Reads what the recipes of a results folder decided on one split.

    Args:
        folder: results folder.
        seeds: seeds of the models.
        split: the split that is scored.
        exceed: an ensemble's candidate must exceed its threshold, not just reach it.
    """

    def __init__(
        self, folder: ResultsFolder, seeds: Sequence[int], split: str = "test", exceed: bool = False
    ) -> None:
        self.folder = folder
        self.seeds = tuple(seeds)
        self.split = split
        self.exceed = exceed
        self.gold: Gold = read_gold(folder.corpus(split))

    def single(self, recipe: str) -> Int64:
        """Count the decisions of each single model by instance: [n, seeds, 3 relations, C cases, 3]."""
        paths = [self.folder.decisions(recipe, seed, self.split) for seed in self.seeds]
        return np.stack([count_file(path, self.gold) for path in paths], axis=1)

    def ensemble(self, recipe: str) -> Int64:
        """Count the decisions of the ensemble by instance: [n, 1, 3 relations, C cases, 3]."""
        dev = read_gold(self.folder.corpus("dev")).instances
        found = candidates(self._mean_probabilities(recipe, "dev", dev), dev.offsets)
        searched = search_thresholds(found, gold_of_labels(dev.labels), dev.offsets, self.exceed)
        instances = self.gold.instances
        probabilities = self._mean_probabilities(recipe, self.split, instances)
        decided = candidates(probabilities, instances.offsets).decide(searched.thresholds, self.exceed)
        return _count(decided, self.gold)[:, None]

    def _mean_probabilities(self, recipe: str, split: str, instances: Instances) -> Floats:
        """Average the probabilities of all seeds: [N, 4] float32."""
        total = np.zeros((int(instances.offsets[-1]), 4))
        for seed in self.seeds:
            path = self.folder.probabilities(recipe, seed, split)
            read = read_probabilities(path)
            if not np.array_equal(read.offsets, instances.offsets):
                raise ZarpipeError(
                    f"{path}: made from another corpus than {self.folder.corpus(split)} "
                    f"(found {len(read.offsets) - 1} instances, expected the corpus's {len(instances)})"
                    "; make it again with `zarpipe predict`"
                )
            total += read.values
        return (total / len(self.seeds)).astype(np.float32)


def count_file(path: Path, gold: Gold) -> Int64:
    """Count the decisions of a prediction Parquet by instance: [n, 3 relations, C cases, 3]."""
    return _count(read_decisions(path, gold), gold)


def _count(decided: Int64, gold: Gold) -> Int64:
    instances = gold.instances
    return count_by_instance(decided, instances.gold, instances.position_category, instances.offsets)
