"""The commands of this stage: ``report NAME``, ``count`` and ``compare``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from zarpipe.config import SPLITS, ReportConfig
from zarpipe.config.options import Argument, Options, OwnPosSets
from zarpipe.config.values import Name, Positive, Section
from zarpipe.errors import ZarpipeError
from zarpipe.log import start_logging
from zarpipe.report.tables import TABLES, is_wanted, write

_NAMES = (*TABLES, "choose", "learning-curves", "index", "antecedents-sheet", "examples")

if TYPE_CHECKING:
    from zarpipe.study.study import Study

    OutputName = str
    Split = str
else:
    OutputName, Split = Literal[_NAMES], Literal[SPLITS]

Tests = Annotated[ReportConfig, Options(without=("published", "examples", "example_words"))]
"""The settings of significance tests."""


class Reported(Section):
    """The study, and what is written of it."""

    name: Annotated[
        OutputName, Argument("NAME", positional=True), Field(description=f"One of {', '.join(_NAMES)}.")
    ]
    results: Annotated[Path, Argument("DIR")]
    """Results folder of the study."""
    output: Annotated[Path, Argument("FILE")]
    """File to write, such as results/table4.csv."""
    recipe: Annotated[str, Argument("RECIPE")] | None = None
    """For learning-curves: a recipe's name, as in taggers/."""
    mlm: Annotated[Name, Argument("PATH")] | None = None
    """For examples: the masked language model, if not where the study has it."""
    threads: Annotated[Positive, Argument("N")] = 1
    """For examples: CPU threads."""


class Counted(Section):
    """The corpus, and the tables of its counts."""

    corpus: Annotated[Path, Argument("CORPUS_DIR", positional=True)]
    """Folder with the three Parquet files."""
    output_table1: Annotated[Path, Argument("CSV")]
    """Table 1."""
    output_table2: Annotated[Path, Argument("CSV")]
    """Table 2."""
    published: Annotated[bool, Argument(switch=True)] = False
    """The corpus is NTC 1.5: put the paper's numbers and the differences beside ours, and say whether they
    match."""


class Compared(Section):
    """What is compared."""

    results_a: Annotated[Path, Argument("RESULTS_A", positional=True)]
    """One results folder."""
    others: Annotated[list[Path], Argument("OTHER", positional=True)]
    """The other results folder; or files of decisions (.parquet, .csv, .jsonl), one of each model."""
    recipe: Annotated[str, Argument("NAME")] | None = None
    """What files are compared with, a recipe of RESULTS_A."""
    split: Split | None = None
    """What files have decided (default: test)."""
    output: Annotated[Path, Argument("FILE")] | None = None
    """Write the table here too: CSV, and .md, .tex and .json beside it."""


def report(reported: Reported) -> None:
    """Write the tables, figures and pages of the study.

    Writes one table, figure or page from the files of a results folder, which says itself what its study is
    (study.json). A table or figure is written in several formats, beside FILE. choose: the recipes that go on
    to the test set, by dev, with copies of their taggers. What the names stand for: docs/results-folder.md.

    Examples:
      zarpipe report table4 --results results --output results/table4.csv
      zarpipe report learning-curves --results results --recipe masking-all-0.5 --output curves.svg
    """
    from zarpipe.study.study import Study

    start_logging()
    study, output = Study.read(reported.results), reported.output
    if reported.name in TABLES:
        module = TABLES.load(reported.name)
        _check_wanted(module, study, reported.results)
        if remark := write(module, study, output):
            print(remark)
    elif reported.name == "choose":
        from zarpipe.report.choose import choose

        choose(study, output)
    elif reported.name == "learning-curves":
        from zarpipe.report.figures import learning_curves

        if reported.recipe is None:
            raise ZarpipeError("--recipe: found nothing; expected a recipe's name, such as baseline")
        learning_curves.draw(study, study.recipe(reported.recipe), output)
    elif reported.name == "index":
        from zarpipe.report.pages.index import write_index

        write_index(study, output)
    elif reported.name == "antecedents-sheet":
        from zarpipe.report.pages import antecedents_sheet

        _check_wanted(antecedents_sheet, study, reported.results)
        antecedents_sheet.write_sheet(study, output)
    else:
        import torch

        from zarpipe.report.pages.examples import write_examples

        torch.set_num_threads(reported.threads)
        write_examples(study, output, reported.mlm)


def _check_wanted(module: Any, study: Study, results: Path) -> None:
    if not is_wanted(module, study):
        raise ZarpipeError(
            f"{module.NAME}: the study in {results} does not have it; its configuration "
            f"({study.shown('study.json')}) compares nothing that would stand there"
        )


def count(counted: Counted, pos_sets: OwnPosSets) -> None:
    """Count arguments and tokens of a converted corpus (Tables 1 and 2).

    Counts the arguments by relation and case, documents, sentences, predicates and tokens of each split
    (Table 1), and the training tokens of each POS set, a sentence once per predicate (Table 2). Prints how
    many annotated arguments are not labelled, by the rule that removed them, and what is lost in other words
    than the corpus's own.

    Example:
      zarpipe count results/corpus --output-table1 table1.csv --output-table2 table2.csv --published
    """
    from zarpipe.report.corpus_counts import removed_lines, words_lines
    from zarpipe.report.table import write_table
    from zarpipe.report.tables.table1 import arguments_table
    from zarpipe.report.tables.table2 import tokens_table

    start_logging()
    corpus, published = counted.corpus, counted.published
    if corpus.is_file():
        raise ZarpipeError(f"{corpus}: found a file; expected the folder of the three Parquet files")
    table1 = arguments_table(corpus, published)
    table2 = tokens_table(corpus, published, pos_sets.define)
    for table, output in ((table1, counted.output_table1), (table2, counted.output_table2)):
        write_table(table, output)
        if table.remark:
            print(table.remark)
    for line in [*removed_lines(corpus), *words_lines(corpus)]:
        print(line)


def compare(compared: Compared, tests: Tests) -> None:
    """Put two results folders, or another system's decisions, side by side.

    Compares every recipe that two results folders have in common, on dev and on test: F1, difference (B minus
    A), its 95 % confidence interval and p-value (paired permutation test over documents). Or compares files
    of another system's decisions with all seeds of a recipe. Prints a table.

    Examples:
      zarpipe compare results results-with-another-mlm --output compare.csv
      zarpipe compare results theirs.csv theirs-again.jsonl --recipe chosen-masking --split test
    """
    from zarpipe.report.compare import compare_files, compare_results
    from zarpipe.report.table import markdown, write_table
    from zarpipe.study.study import Study

    first, *more = compared.others
    if first.is_dir():
        _check_folders(compared, more)
        a, b = Study.read(compared.results_a), Study.read(first)
        table = compare_results(a, b, tests.permutations, tests.seed)
    else:
        recipe = _checked_files(compared)
        study, split = Study.read(compared.results_a), compared.split or "test"
        table = compare_files(study, compared.others, recipe, split, tests.permutations, tests.seed)
    print(markdown(table), end="")
    if compared.output is not None:
        write_table(table, compared.output)


def _check_folders(compared: Compared, more: Sequence[Path]) -> None:
    if more:
        raise ZarpipeError(f"{more[0]}: found more than one OTHER; expected one results folder, or files")
    for option in ("recipe", "split"):
        if getattr(compared, option):
            raise ZarpipeError(
                f"--{option}: found with two results folders, of which all is compared; leave it out"
            )


def _checked_files(compared: Compared) -> str:
    """Return the recipe that files are compared with."""
    for path in compared.others:
        if not path.exists():
            raise ZarpipeError(
                f"{path}: no such file or folder; expected a results folder, or files of decisions "
                "(.parquet, .csv or .jsonl)"
            )
    if compared.recipe is None:
        raise ZarpipeError(
            "--recipe: found nothing; expected the recipe that files are compared with, such as baseline"
        )
    return compared.recipe
