"""Checks the tests of F1 differences on studies whose truth is known.

    python benchmarks/statistics.py [--studies 1000] [--draws 1000] [--documents 240] [--seeds 10] [--table]

A study has two systems of some seeds each, and a test set of documents of unequal length. Whether an
argument is found follows a probit model: how hard the document is for everybody, for one system, for one
model, and the argument itself, each a normal variable; and how good each system and each model is. So
arguments of a document are correlated, and models differ by more than the documents. Prints the correlation
and the spread that this gives, then ends with four lines, in percent:

- ``type_1_error``: share of studies of two equally good systems with p <= 0.05;
- ``coverage``: share of studies, of systems that differ, whose 95 % interval holds the true difference;
- ``instance_type_1_error``: as the first, by the permutation test over instances;
- ``power_error``: how often studies, of a size that `zarpipe plan --detect` names from a finished study's
  variance components, find the difference, less what it promised. The line above it says how often the
  interval of that size holds the size that the true components ask for.

With ``--table``: instead, for each number of seeds and documents in SEEDS and DOCUMENTS, the share of studies
of equal systems with p <= 0.05, and the share whose interval holds the true difference, which is 0.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from zarpipe.arrays import Float64, Int64
from zarpipe.task.statistics.comparison import compare, p_value, permuted_differences
from zarpipe.task.statistics.components import Components, f1_components
from zarpipe.task.statistics.planning import MOST_DOCUMENTS, documents_needed, plausible, power

LEVEL = 0.05
SEEDS, DOCUMENTS = (2, 3, 5, 10), (20, 120, 700)
# Of an argument that is not found, a wrong one is given in its place so often; else none is.
WRONG = 0.5
WANTED_POWER = 0.8
PLANNED_GAIN = 0.15


@dataclass(frozen=True)
class Truth:
    """What studies are drawn from: standard deviations on the probit scale, an argument's own being 1.

    Attributes:
        documents: of the test set.
        seeds: models of each system.
        arguments: mean arguments of a document; their number is geometric.
        level: how good the other system is.
        gain: how much better the system is.
        document: how hard documents are, for all systems.
        document_system: for one system.
        document_model: for one model.
        argument: how hard an argument is for all models.
        model: how good models of a system are.
    """

    documents: int = 240
    seeds: int = 10
    arguments: float = 4.0
    level: float = 0.4
    gain: float = 0.0
    document: float = 0.5
    document_system: float = 0.35
    document_model: float = 0.15
    argument: float = 0.8
    model: float = 0.06

    @property
    def difference(self) -> float:
        """The F1 difference on endless documents with endless seeds."""
        return self._f1(self.level + self.gain) - self._f1(self.level)

    def _f1(self, level: float) -> float:
        spread = 1 + sum(
            part**2
            for part in (self.document, self.document_system, self.document_model, self.argument, self.model)
        )
        right = NormalDist().cdf(level / spread**0.5)
        return 2 * right / (2 * right + (1 - right) * (1 + WRONG))


@dataclass(frozen=True)
class MadeStudy:
    """Counts of a study: two systems' [n arguments, K, 1, 3] each, and the document of each argument [n]."""

    systems: tuple[Int64, Int64]
    document: Int64

    def by_document(self) -> tuple[Int64, Int64]:
        """Sum the counts of each document: two [D, K, 1, 3]."""
        starts = np.flatnonzero(np.diff(self.document, prepend=-1))
        one, other = (np.add.reduceat(counts, starts, axis=0) for counts in self.systems)
        return one, other


def main() -> None:
    """Run all simulations."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=1000, help="studies of each kind")
    parser.add_argument(
        "--draws", type=int, default=1000, help="permutations and bootstrap samples of a study"
    )
    parser.add_argument("--documents", type=int, default=Truth.documents, help="documents of the test set")
    parser.add_argument("--seeds", type=int, default=Truth.seeds, help="models of each system")
    parser.add_argument("--table", action="store_true", help="rates by seeds and documents")
    arguments = parser.parse_args()
    if arguments.table:
        print_rates(arguments.studies, arguments.draws)
        return
    equal = Truth(documents=arguments.documents, seeds=arguments.seeds)
    better = replace(equal, gain=0.1)
    print(describe(equal))
    started = time.perf_counter()
    wrong, wrong_by_instance = type_1_errors(equal, arguments.studies, arguments.draws)
    covered, width = coverage(better, arguments.studies, arguments.draws)
    print(f"true difference of the systems that differ: {100 * better.difference:.2f} points of F1")
    print(f"mean width of the intervals: {100 * width:.2f} points")
    promised, found, held = found_as_promised(
        replace(equal, gain=PLANNED_GAIN), arguments.studies, arguments.draws
    )
    print(f"power promised: {100 * promised:.1f}, found: {100 * found:.1f}")
    print(f"intervals of the planned size that hold the true one: {100 * held:.1f}")
    print(f"{3 * arguments.studies} studies in {time.perf_counter() - started:.0f} s")
    print(f"type_1_error: {100 * wrong:.1f}")
    print(f"coverage: {100 * covered:.1f}")
    print(f"instance_type_1_error: {100 * wrong_by_instance:.1f}")
    print(f"power_error: {100 * (found - promised):.1f}")


def print_rates(studies: int, draws: int) -> None:
    """Print how often the test and the interval are wrong about equal systems, by seeds and documents."""
    print("documents seeds wrong at 5 % interval holds the truth")
    for documents in DOCUMENTS:
        for seeds in SEEDS:
            truth = Truth(documents=documents, seeds=seeds)
            wrong, holds = equal_systems(truth, studies, draws)
            print(f"{documents:9} {seeds:5} {100 * wrong:12.1f} {100 * holds:24.1f}", flush=True)


def equal_systems(truth: Truth, studies: int, draws: int) -> tuple[float, float]:
    """Return how often equal systems are told apart, and how often the interval holds 0."""
    wrong, holds = [], []
    for number in range(studies):
        study = make_study(truth, np.random.default_rng([1, number]))
        (found,) = compare(*study.by_document(), draws, number)
        low, high = found.interval or (-1.0, 1.0)
        wrong.append(found.p_value <= LEVEL)
        holds.append(low <= 0 <= high)
    return float(np.mean(wrong)), float(np.mean(holds))


def describe(truth: Truth) -> str:
    """Say how correlated the arguments of a document are, and where the difference's variance comes from."""
    rng = np.random.default_rng(0)
    large = make_study(replace(truth, documents=4000, seeds=20), rng)
    parts = components_of(large)
    kinds = {
        "seed": parts.seed / truth.seeds,
        "document": parts.document * parts.documents / truth.documents,
        "rest": parts.rest * parts.documents / truth.documents / truth.seeds,
    }
    shares = ", ".join(f"{name} {100 * kind / sum(kinds.values()):.0f} %" for name, kind in kinds.items())
    spread = 100 * sum(kinds.values()) ** 0.5
    return (
        f"{truth.documents} documents of {truth.arguments:g} arguments, {truth.seeds} seeds; correlation of"
        f" the difference within documents {correlation(large):.2f}\n"
        f"standard deviation of the difference: {spread:.2f} points of F1 ({shares})"
    )


def type_1_errors(truth: Truth, studies: int, draws: int) -> tuple[float, float]:
    """Return how often equal systems are told apart, by documents and seeds, and by instances."""
    rejected = np.zeros((studies, 2), bool)
    for number in range(studies):
        study = make_study(truth, np.random.default_rng([1, number]))
        (found,) = compare(*study.by_document(), draws, number)
        rejected[number] = found.p_value <= LEVEL, instance_p(study, found.difference, draws, number) <= LEVEL
    by_document, by_instance = rejected.mean(axis=0)
    return float(by_document), float(by_instance)


def instance_p(study: MadeStudy, difference: float, draws: int, seed: int) -> float:
    """Return the p-value of swapping instances, as if neither documents nor seeds were samples."""
    permuted = permuted_differences(*study.systems, draws, seed)[:, 0]
    return p_value(difference, permuted)


def coverage(truth: Truth, studies: int, draws: int) -> tuple[float, float]:
    """Return how often the interval holds the true difference, and its mean width."""
    held, widths = [], []
    for number in range(studies):
        study = make_study(truth, np.random.default_rng([2, number]))
        (found,) = compare(*study.by_document(), draws, number)
        low, high = found.interval or (0.0, 0.0)
        held.append(low <= truth.difference <= high)
        widths.append(high - low)
    return float(np.mean(held)), float(np.mean(widths))


def components_of(study: MadeStudy) -> Components:
    """Estimate the components of the difference; made studies have documents enough."""
    (parts,) = f1_components(*study.by_document())
    assert parts is not None
    return parts


def found_as_promised(truth: Truth, studies: int, draws: int) -> tuple[float, float, float]:
    """Plan studies from finished ones; return the mean power promised, and how many find the difference.

    Each finished study is planned from once. What its components get wrong is part of the result. Also
    returned: how many intervals of the planned documents hold the number that the true components ask for.
    """
    promised, found, held = [], [], []
    known = components_of(make_study(replace(truth, documents=4000, seeds=20), np.random.default_rng(0)))
    for number in range(studies):
        finished = make_study(truth, np.random.default_rng([3, number]))
        parts = components_of(finished)
        seeds, documents = planned_size(parts, truth)
        low, high, true = (
            documents_needed(one, truth.difference, seeds, WANTED_POWER) or MOST_DOCUMENTS
            for one in (*plausible(parts, documents, seeds), known)
        )
        held.append(low <= true <= high)
        promised.append(power(parts, truth.difference, documents, seeds))
        planned = make_study(
            replace(truth, documents=documents, seeds=seeds), np.random.default_rng([4, number])
        )
        (tested,) = compare(*planned.by_document(), draws, number)
        found.append(tested.p_value <= LEVEL and tested.difference > 0)
    return float(np.mean(promised)), float(np.mean(found)), float(np.mean(held))


def planned_size(parts: Components, truth: Truth) -> tuple[int, int]:
    """Return seeds and documents: as many seeds as before, or twice as many while no documents suffice."""
    seeds = truth.seeds
    while not (documents := documents_needed(parts, truth.difference, seeds, WANTED_POWER)):
        seeds *= 2
    return seeds, documents


def correlation(study: MadeStudy) -> float:
    """Return the correlation of two arguments of a document, in the systems' difference (by ANOVA)."""
    one, other = (counts[:, :, 0, 0].mean(axis=1) for counts in study.systems)
    difference = one - other
    starts = np.flatnonzero(np.diff(study.document, prepend=-1))
    sizes = np.diff(starts, append=len(difference))
    means = np.repeat(np.add.reduceat(difference, starts) / sizes, sizes)
    between = ((means - difference.mean()) ** 2).sum() / (len(sizes) - 1)
    within = ((difference - means) ** 2).sum() / (len(difference) - len(sizes))
    size = (len(difference) - (sizes**2).sum() / len(difference)) / (len(sizes) - 1)
    return float((between - within) / (between + (size - 1) * within))


def make_study(truth: Truth, rng: np.random.Generator) -> MadeStudy:
    """Draw a study."""
    sizes = rng.geometric(1 / truth.arguments, truth.documents)
    document = np.repeat(np.arange(truth.documents), sizes)
    shared = (truth.document * rng.standard_normal(truth.documents))[document]
    shared += truth.argument * rng.standard_normal(len(document))
    systems = [
        _decided(truth, shared, document, level, rng) for level in (truth.level + truth.gain, truth.level)
    ]
    return MadeStudy((systems[0], systems[1]), document)


def _decided(truth: Truth, shared: Float64, document: Int64, level: float, rng: np.random.Generator) -> Int64:
    """Draw what the models of a system decide: [n, K, 1, 3] counts."""
    of_document = truth.document_system * rng.standard_normal((truth.documents, 1))
    of_document = of_document + truth.document_model * rng.standard_normal((truth.documents, truth.seeds))
    of_model = truth.model * rng.standard_normal(truth.seeds)
    skill = level + shared[:, None] + of_document[document] + of_model
    missed = skill + rng.standard_normal(skill.shape) < 0
    wrong = missed & (rng.random(skill.shape) < WRONG)
    return np.stack([~missed, wrong, missed], axis=-1)[:, :, None].astype(np.int64)


if __name__ == "__main__":
    main()
