"""Checks the intervals of learning curves on studies whose truth is known.

    python benchmarks/learning_curve.py [--studies 500] [--draws 500] [--documents 120] [--subsets 3]

A study trains two methods on four numbers of documents, each on some subsets with some seeds; all documents
are one subset. Whether an argument is found follows a probit model: how good the method is at that size, how
hard the document is for everybody and for one training, how good the subset is (for both methods, and for
one), and how good the training is, each a normal variable. The evaluated documents have unequal lengths.
Ends with three lines, in percent:

- ``told_apart``: share of the studies of two equally good methods in which some size tells them apart, after
  Holm's correction (up to 5 is right);
- ``difference_coverage``: share of the sizes of studies whose methods differ where the interval of the
  difference holds the truth;
- ``documents_coverage``: the same of the interval of documents, where one is given.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from zarpipe.arrays import Float64, Int64
from zarpipe.report.documents_worth import Curves, Worth, told_apart
from zarpipe.task.statistics.curves import CurvePoint, draw_curves, more_documents

SIZES = [100, 250, 500, 1000]
# Of an argument that is not found, a wrong one is given in its place so often; else none is.
WRONG = 0.5


@dataclass(frozen=True)
class Truth:
    """What studies are drawn from: standard deviations on the probit scale, an argument's own being 1."""

    documents: int = 120
    subsets: int = 3
    seeds: int = 3
    arguments: float = 8.0
    gain: float = 0.0
    document: float = 0.5
    document_model: float = 0.2
    subset: float = 0.06
    subset_method: float = 0.03
    model: float = 0.04

    def f1(self, gain: float) -> Float64:
        """Return the F1 of a method at each size, on endless documents with endless subsets and seeds."""
        parts = (self.document, self.document_model, self.subset, self.subset_method, self.model)
        spread = 1 + sum(part**2 for part in parts)
        right = np.array([NormalDist().cdf(level / spread**0.5) for level in levels(gain)])
        return np.asarray(2 * right / (2 * right + (1 - right) * (1 + WRONG)))


def levels(gain: float) -> Float64:
    """Return how good a method is at each size."""
    return np.asarray(-0.3 + 0.15 * np.log(np.array(SIZES) / SIZES[0]) + gain)


def make_study(truth: Truth, rng: np.random.Generator) -> list[CurvePoint]:
    """Draw a study: the points of the baseline, then those of the method."""
    arguments = rng.geometric(1 / truth.arguments, (truth.documents, 1, 1))
    hard = truth.document * rng.standard_normal((truth.documents, 1, 1))
    points: list[list[CurvePoint]] = [[], []]
    for size in range(len(SIZES)):
        whole = size == len(SIZES) - 1
        units, trainings = (1, truth.seeds) if whole else (truth.subsets, truth.seeds)
        # All documents are no sample of subsets.
        of_subset = 0.0 if whole else truth.subset * rng.standard_normal((1, units, 1))
        for method, gain in enumerate((0.0, truth.gain)):
            own = 0.0 if whole else truth.subset_method * rng.standard_normal((1, units, 1))
            model = truth.model * rng.standard_normal((1, units, trainings))
            of_document = truth.document_model * rng.standard_normal((truth.documents, units, trainings))
            level = levels(gain)[size] + hard + of_subset + own + model + of_document
            counts = count(arguments, level, rng)
            if whole or truth.subsets == 1:
                points[method].append(CurvePoint(np.moveaxis(counts, 1, 2), "seeds"))
            else:
                points[method].append(CurvePoint(counts, "subsets"))
    return points[0] + points[1]


def count(arguments: Int64, level: Float64, rng: np.random.Generator) -> Int64:
    """Draw right, wrong and missed arguments: [D, U, R, 1, 3]."""
    steps = np.linspace(-6, 6, 2401)
    normal = np.array([NormalDist().cdf(step) for step in steps])
    right = rng.binomial(arguments, np.interp(level, steps, normal))
    wrong = rng.binomial(arguments - right, WRONG)
    return np.stack([right, wrong, arguments - right], axis=-1)[:, :, :, None]


def worths(points: list[CurvePoint], draws: int, seed: int) -> tuple[list[Worth], bool]:
    """Return what is said of the method at each size, and whether some size tells it apart."""
    drawn = draw_curves(points, draws, seed)[:, :, 0]
    f1 = np.array([point.f1[0] for point in points])
    half, documents = len(SIZES), len(points[0].counts)
    units = [point.counts.shape[1] if point.units == "subsets" else 1 for point in points[half:-1]]
    units.append(points[-1].counts.shape[1])
    curves = Curves(
        "ZAR", SIZES, "masking", f1[half:], drawn[:, half:], f1[:half], drawn[:, :half], documents, units
    )
    (curves,) = told_apart([curves])
    return [curves.worth(place) for place in range(half)], any(curves.apart)


def main() -> None:
    """Run all simulations."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=500, help="studies of each kind")
    parser.add_argument("--draws", type=int, default=500, help="draws of a study")
    parser.add_argument("--documents", type=int, default=Truth.documents, help="evaluated documents")
    parser.add_argument("--subsets", type=int, default=Truth.subsets, help="subsets of each size")
    parser.add_argument("--seeds", type=int, default=Truth.seeds, help="trainings on each subset")
    given = parser.parse_args()
    equal = Truth(given.documents, given.subsets, given.seeds)
    better = replace(equal, gain=0.15)
    started = time.perf_counter()
    told, held, documents, widths = [], [], [], []
    truth, baseline = better.f1(better.gain), better.f1(0.0)
    for number in range(given.studies):
        told.append(worths(make_study(equal, np.random.default_rng([1, number])), given.draws, number)[1])
        found, _ = worths(make_study(better, np.random.default_rng([2, number])), given.draws, number)
        for place, worth in enumerate(found):
            if worth.interval is not None:
                low, high = worth.interval
                held.append(low <= truth[place] - baseline[place] <= high)
                widths.append(high - low)
            if worth.more_interval is not None:
                (more,) = more_documents(SIZES, baseline[None], place, truth[place : place + 1])
                documents.append(worth.more_interval[0] <= more <= worth.more_interval[1])
    print("F1 of the baseline: " + ", ".join(f"{100 * one:.1f}" for one in baseline))
    print("of the method: " + ", ".join(f"{100 * one:.1f}" for one in truth))
    print(f"mean width of the intervals of the difference: {100 * np.mean(widths):.2f} points")
    print(f"sizes with an interval of documents: {len(documents)} of {len(held)}")
    print(f"{2 * given.studies} studies in {time.perf_counter() - started:.0f} s")
    print(f"told_apart: {100 * np.mean(told):.1f}")
    print(f"difference_coverage: {100 * np.mean(held):.1f}")
    print(f"documents_coverage: {100 * np.mean(documents) if documents else float('nan'):.1f}")


if __name__ == "__main__":
    main()
