"""``zarpipe plan --detect``: how large a study must be to find a difference, and what it would cost.

What seeds and documents do to the difference is known from a finished study's variance components
(`zarpipe.report.tables.variance`), what a seed costs from the run times beside its results.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator

from zarpipe import job_folders
from zarpipe.config.options import Argument, add_command
from zarpipe.config.values import Section, only
from zarpipe.errors import ZarpipeError
from zarpipe.report.table import counted, two_digits
from zarpipe.study import plan as plan_of_jobs
from zarpipe.study.jobs import Job
from zarpipe.study.study import Study

if TYPE_CHECKING:
    from zarpipe.report.table import CellRow
    from zarpipe.task.statistics.components import Components

_DETECT = "--detect"
# Numbers of seeds for which the documents are said, besides the study's own.
_SEEDS = (5, 10, 20, 50, 100)


def _between(above: float, below: float, expected: str) -> BeforeValidator:
    def holds(written: Any) -> bool:
        try:
            return above < float(written) < below
        except ValueError:
            return False

    return BeforeValidator(only(holds, expected))


class Question(Section):
    """What is asked of a finished study."""

    detect: Annotated[
        float,
        _between(0, 100, "expected a difference in points of F1, such as 0.5"),
        Argument("POINTS"),
    ]
    """The difference, in points of F1."""
    category: Literal["ALL", "DEP", "ZAR"] = "ZAR"
    """Which arguments count."""
    power: Annotated[
        float,
        _between(0.05, 1, "expected a probability above 0.05 and below 1, such as 0.8"),
        Argument("SHARE"),
    ] = 0.8
    """How likely it is to be found."""
    results: Annotated[Path, Argument("DIR")] = Path("results")
    """Of the finished study."""


@dataclass(frozen=True)
class Costs:
    """Seconds of one seed of a recipe, by the median over the recipes that have a record.

    ``seed``: training it and deciding dev; ``test``: deciding and scoring the test set at hand.
    """

    seed: float
    test: float

    def hours(self, recipes: int, seeds: int, test_sets: float) -> float:
        """Return the hours of so many recipes, with a test set so many times as large."""
        return recipes * seeds * (self.seed + self.test * test_sets) / 3600


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``plan`` to the parser: of jobs, and with ``--detect`` of whole studies."""
    parser = plan_of_jobs.register(subparsers)
    parser.set_defaults(run=lambda arguments: _run(parser, arguments.snakemake))


def _run(parser: argparse.ArgumentParser, arguments: list[str]) -> None:
    if not any(argument.split("=")[0] == _DETECT for argument in arguments):
        plan_of_jobs.run(parser, arguments)
        return
    detecting = argparse.ArgumentParser(prog="zarpipe")
    add_command(detecting.add_subparsers(), plan)
    read = detecting.parse_args(["plan", *arguments])
    read.run(read)


def plan(question: Question) -> None:
    """Say how many seeds and test documents a difference needs.

    How many seeds and test documents a difference of F1 needs, by the variance components of a finished
    study, and what they would cost by its run times.

    Examples:
      zarpipe plan --detect 0.5
      zarpipe plan --detect 0.26 --category ZAR --power 0.9 --results results/ntc
    """
    print(*describe_size(question), sep="\n")


def describe_size(question: Question) -> list[str]:
    """Say how many seeds and test documents a difference needs, and what they cost.

    Raises:
        ZarpipeError: the study is not finished.
    """
    from zarpipe.report.names import spoken_names
    from zarpipe.study.study import Study

    study = Study.read(question.results)
    names, costs = spoken_names(study), recorded_costs(study)
    lines = []
    for row in _differences(study, question.category):
        lines += _paragraph(question, row, names, costs, len(study.grid.recipes()))
    return lines


def recorded_costs(study: Study) -> Costs | None:
    """Return what a seed costs by the run times of the study's jobs; None where none has been trained."""
    jobs, seeds = study.jobs, len(study.seeds)
    recipes = study.grid.recipes()
    trained = _known_seconds(jobs.train(recipe, study.seeds[0]) for recipe in recipes)
    if not trained:
        return None
    dev, test = (
        sum(
            _typical(_known_seconds(map(job, asked, [split] * len(asked))))
            for job in (jobs.predict, jobs.evaluate)
        )
        for split, asked in (("dev", recipes), ("test", study.test_recipes))
    )
    return Costs(_typical(trained) + dev / seeds, test / seeds)


def _differences(study: Study, category: str) -> list[CellRow]:
    """Return the rows of the fair comparisons: of each method with the baseline of as many updates."""
    from zarpipe.report.significance import fair_comparisons
    from zarpipe.report.table import read_table

    path = Path(study.shown("variance.json"))
    if not path.is_file():
        raise ZarpipeError(
            f"{path}: no such file; expected a finished study (`snakemake {study.shown('variance.csv')}` "
            "makes it)"
        )
    fair = fair_comparisons(study)
    rows = [
        row
        for row in reversed(read_table(path).rows)
        if row["category"] == category and (row["recipe"], row["other_recipe"]) in fair
    ]
    return list({(row["recipe"], row["other_recipe"]): row for row in rows}.values())


def _components(row: CellRow) -> Components | None:
    from zarpipe.task.statistics.components import Components

    if row["document"] is None:
        return None
    seed, document, rest = (_cell(row, name) / 100**2 for name in ("seed", "document", "rest"))
    return Components(seed, document, rest, int(_cell(row, "documents")), int(_cell(row, "seeds")))


def _paragraph(
    question: Question, row: CellRow, names: Mapping[str, str], costs: Costs | None, recipes: int
) -> list[str]:
    from zarpipe.task.statistics.components import MIN_DOCUMENTS
    from zarpipe.task.statistics.planning import detectable, plausible

    found = _components(row)
    name = names.get(str(row["recipe"]), str(row["recipe"]))
    what = f"{name} against {row['other_recipe']}, {question.category} F1 on test:"
    if found is None:
        return [
            f"{what} nothing can be planned: fewer than {MIN_DOCUMENTS} of {row['documents']} documents move "
            "the difference, so its variance cannot be estimated.",
            "",
        ]
    if found.seeds < 2:
        why = "one seed does not tell how much seeds differ; train two or more."
        return [f"{what} nothing can be planned: {why}", ""]
    size = f"{counted(found.seeds, 'seed')} and {counted(found.documents, 'document')}"
    smallest, low, high = (
        min(100.0, 100 * detectable(one, found.documents, found.seeds, question.power))
        for one in (found, *plausible(found, found.documents, found.seeds))
    )
    lines = [
        f"{what} {size} find a difference of {smallest:.2f} points or more with a power of "
        f"{question.power:g} (95 % interval {low:.2f} to {high:.2f}).",
        f"To find {question.detect:g} points, with 95 % intervals:",
        f"  {_more_seeds(question, found, costs, recipes)}",
    ]
    for seeds in sorted({found.seeds, *_SEEDS}):
        lines.append(f"  with {counted(seeds, 'seed')}: {_documents(question, found, seeds, costs, recipes)}")
    return [*lines, ""]


def _more_seeds(question: Question, found: Components, costs: Costs | None, recipes: int) -> str:
    from zarpipe.task.statistics.planning import MOST_SEEDS, detectable, plausible, seeds_needed

    def needed(one: Components) -> int | None:
        return seeds_needed(one, question.detect / 100, found.documents, question.power)

    there, seeds = f"on these {found.documents:,} documents", needed(found)
    low, high = map(needed, plausible(found, found.documents, seeds or MOST_SEEDS))
    if seeds is not None:
        said = _about(seeds, low, high, "seed")
        return f"{there}: {said}{_cost(costs, recipes, seeds, 1.0)}"
    least = 100 * detectable(found, found.documents, MOST_SEEDS, question.power)
    return (
        f"{there}: more seeds alone can never do it, since the documents themselves vary too much; with any "
        f"number of seeds they find {least:.2f} points or more{_upwards(low, 'seed')}"
    )


def _documents(question: Question, found: Components, seeds: int, costs: Costs | None, recipes: int) -> str:
    from zarpipe.task.statistics.planning import MOST_DOCUMENTS, documents_needed, plausible

    def needed(one: Components) -> int | None:
        return documents_needed(one, question.detect / 100, seeds, question.power)

    documents = needed(found)
    low, high = map(needed, plausible(found, documents or MOST_DOCUMENTS, seeds))
    if documents is None:
        return f"no number of documents is enough; the seeds differ too much{_upwards(low, 'test document')}"
    said = _about(documents, low, high, "test document")
    return f"{said}{_cost(costs, recipes, seeds, documents / found.documents)}"


def _about(number: int, low: int | None, high: int | None, word: str) -> str:
    """Say a number with its interval, in two digits, more of which it does not carry."""
    least = number if low is None else low
    upper = "and more" if high is None else f"to {two_digits(high)}"
    return f"about {two_digits(number)} {word}s, {two_digits(least)} {upper}"


def _upwards(low: int | None, word: str) -> str:
    """Say that the estimate may be wrong, if the lower end of its interval says so."""
    return "" if low is None else f"; that is the estimate, the interval begins at {two_digits(low)} {word}s"


def _cost(costs: Costs | None, recipes: int, seeds: int, test_sets: float) -> str:
    if costs is None:
        return " (no run times on record)"
    both, whole = (costs.hours(count, seeds, test_sets) for count in (2, recipes))
    return f" ({both:,.1f} h for the two recipes, {whole:,.1f} h for all {recipes} of the study)"


def _known_seconds(jobs: Iterable[Job]) -> list[float]:
    """Return the seconds of the jobs that have run."""
    known = (job_folders.seconds(job.folder) for job in jobs)
    return [one for one in known if one is not None]


def _typical(seconds: Sequence[float]) -> float:
    return statistics.median(seconds) if seconds else 0.0


def _cell(row: CellRow, name: str) -> float:
    return float(row[name] or 0)
