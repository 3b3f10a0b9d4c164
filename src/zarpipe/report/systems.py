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
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.predictions import Gold, read_decisions
from zarpipe.formats.probabilities import read_probabilities
from zarpipe.report.significance import CATEGORIES, counts_by_document, counts_of_categories
from zarpipe.study.recipe import Recipe
from zarpipe.study.stages import name_of
from zarpipe.study.study import Study
from zarpipe.task.cases import LABELS
from zarpipe.task.instances import Instances
from zarpipe.task.scores import count_by_instance
from zarpipe.task.thresholds import candidates, gold_of_labels, search_thresholds

SPLIT = "test"


class Systems:
    """Reads what the recipes of a study decided on a split, as counts by document. Ensembles are of test.

    ``categories``: those of `counts`, c of ``ALL``, ``DEP`` and ``ZAR``.
    """

    def __init__(self, study: Study, split: str = SPLIT, categories: Sequence[str] = CATEGORIES) -> None:
        self.study, self.split, self.categories = study, split, categories
        # Whether an ensemble's candidate must exceed its threshold, not just reach it.
        self.must_exceed = study.config.tagger.accept == "exceeds"
        corpus = Path(study.jobs.corpus(split))
        self.gold: Gold = read_gold(corpus)
        self.documents = documents_of(corpus, self.gold)
        self._known: dict[str, Int64] = {}

    def counts(self, recipe: Recipe | str) -> Int64:
        """Count the decisions of each single model by document, each once: [D, seeds, c, 3]."""
        name = name_of(recipe)
        if name not in self._known:
            self._known[name] = counts_of_categories(self.single(recipe), self.categories)
        return self._known[name]

    def single(self, recipe: Recipe | str) -> Int64:
        """Count the decisions of each single model by document: [D, seeds, 3 relations, C cases, 3]."""
        counts = count_seeds(self.study, name_of(recipe), self.split, self.gold)
        return counts_by_document(counts, self.documents)

    def ensemble(self, recipe: Recipe | str) -> Int64:
        """Count the decisions of the ensemble by document: [D, 1, 3 relations, C cases, 3]."""
        thresholds = ensemble_thresholds(self.study, recipe)
        instances = self.gold.instances
        probabilities = _mean_probabilities(self.study, recipe, SPLIT, instances)
        decided = candidates(probabilities, instances.offsets).decide(thresholds, self.must_exceed)
        return counts_by_document(_count(decided, self.gold)[:, None], self.documents)


def ensemble_thresholds(study: Study, recipe: Recipe | str) -> dict[str, float]:
    """Search on dev the thresholds for the mean of the probabilities of a recipe's taggers, by case."""
    dev = read_gold(Path(study.jobs.corpus("dev"))).instances
    found = candidates(_mean_probabilities(study, recipe, "dev", dev), dev.offsets)
    must_exceed = study.config.tagger.accept == "exceeds"
    return search_thresholds(found, gold_of_labels(dev.labels), dev.offsets, must_exceed).thresholds


def _mean_probabilities(study: Study, recipe: Recipe | str, split: str, instances: Instances) -> Floats:
    """Average the probabilities of all seeds: [N, labels] float32."""
    total = np.zeros((int(instances.offsets[-1]), LABELS))
    for seed in study.seeds:
        path = Path(study.probabilities_of(recipe, seed, split).path)
        read = read_probabilities(path)
        if not np.array_equal(read.offsets, instances.offsets):
            raise ZarpipeError(
                f"{path}: made from another corpus than {study.jobs.corpus(split)} "
                f"(found {len(read.offsets) - 1} instances, expected the corpus's {len(instances)})"
                "; make it again with `zarpipe predict`"
            )
        total += read.values
    return (total / len(study.seeds)).astype(np.float32)


def documents_of(corpus: Path, gold: Gold) -> Int64:
    """Return the number of the document, from 0, that each instance of a corpus Parquet stands in: [n]."""
    of_sentence = read_corpus(corpus, ["doc_id"])["doc_id"].to_numpy()
    _, documents = np.unique(of_sentence[gold.instances.sentence].astype(str), return_inverse=True)
    return documents.astype(np.int64)


def count_seeds(study: Study, recipe: str, split: str, gold: Gold) -> Int64:
    """Count what each of a recipe's taggers decided, by instance: [n, seeds, 3 relations, C cases, 3]."""
    of_seeds = [count_file(Path(study.decisions_of(recipe, seed, split).path), gold) for seed in study.seeds]
    return np.stack(of_seeds, axis=1)


def count_file(path: Path, gold: Gold) -> Int64:
    """Count the decisions of a prediction file by instance: [n, 3 relations, C cases, 3]."""
    return _count(read_decisions(path, gold), gold)


def _count(decided: Int64, gold: Gold) -> Int64:
    instances = gold.instances
    return count_by_instance(decided, instances.gold, instances.position_category, instances.offsets)
