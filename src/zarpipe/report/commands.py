"""The commands of this stage: ``report NAME``, ``count`` and ``compare``."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe.config import SPLITS, ReportConfig
from zarpipe.config.options import HelpFormatter, OwnPosSets, add_options, read_options
from zarpipe.errors import ZarpipeError
from zarpipe.report.figures import learning_curves
from zarpipe.report.pages import antecedents_sheet, examples, index
from zarpipe.report.tables import Output, all_tables, is_wanted, write

if TYPE_CHECKING:
    from zarpipe.report.table import Table
    from zarpipe.study.study import Study

_REPORT_EXAMPLES = """\
examples:
  zarpipe report table4 --results results --output results/table4.csv
  zarpipe report learning-curves --results results --recipe masking-all-0.5 --output curves.svg
"""
_EXAMPLE = """\
example:
  zarpipe report {name} --results results --output results/{file}
"""
_CURVES_EXAMPLE = """\
example:
  zarpipe report learning-curves --results results --recipe baseline --output baseline.svg
"""
_COUNT_EXAMPLE = """\
example:
  zarpipe count results/corpus --output-table1 table1.csv --output-table2 table2.csv --published
"""
_COMPARE_EXAMPLES = """\
examples:
  zarpipe compare results results-with-another-mlm --output compare.csv
  zarpipe compare results theirs.csv theirs-again.jsonl --recipe chosen-masking --split test
"""
_NOT_IN_TESTS = ("published", "examples", "example_words")

Parser = argparse.ArgumentParser
Run = Callable[[argparse.Namespace], None]
Subparsers = Any  # argparse keeps the class of add_subparsers() private


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's commands to the parser."""
    report = subparsers.add_parser(
        "report",
        help="write the tables, figures and pages of the study",
        description="Write one table, figure or page from the files of a results folder, which says itself "
        "what its study is (study.json).",
        epilog=_REPORT_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    names = report.add_subparsers(title="tables, figures and pages", metavar="NAME", required=True)
    for module in all_tables():
        _register_table(names, module)
    _register_choose(names)
    _register_learning_curves(names)
    _register_pages(names)
    _register_count(subparsers)
    _register_compare(subparsers)


def _register_table(names: Subparsers, module: Output) -> None:
    endings = ", ".join(module.ENDINGS)
    _add(
        names,
        module.NAME,
        functools.partial(_run_table, module),
        summary=module.SHOWS,
        description=f"{module.CAPTION} Writes FILE and beside it the same with the endings {endings}.",
        file=f"{module.NAME}.csv",
    )


def _register_choose(names: Subparsers) -> None:
    _add(
        names,
        "choose",
        _run_choose,
        summary="choose on dev the recipes that go on to the test set",
        description="Choose the CDA and the masking recipe with the best mean ZAR F1 on dev, and the best "
        "alpha of each recipe that the configuration names; copy their taggers to taggers/chosen-cda, "
        "taggers/chosen-masking and taggers/chosen-NAME. Only these and the baselines are run on test.",
        file="chosen.json",
    )


def _register_learning_curves(names: Subparsers) -> None:
    parser = _add(
        names,
        "learning-curves",
        _run_learning_curves,
        summary="draw the trainings of all seeds of a recipe",
        description="Draw dev F1 and training loss by epoch, all seeds in one figure, as SVG and PDF.",
        file="learning_curves/baseline.svg",
    )
    parser.add_argument("--recipe", required=True, metavar="NAME", help="a recipe's name, as in taggers/")
    parser.epilog = _CURVES_EXAMPLE


def _register_pages(names: Subparsers) -> None:
    _add(
        names,
        index.NAME,
        _run_index,
        summary="write the page with all tables and figures",
        description=f"{index.CAPTION} What the results folder does not have yet is left out.",
        file="index.html",
    )
    endings = ", ".join(antecedents_sheet.ENDINGS)
    _add(
        names,
        antecedents_sheet.NAME,
        _run_sheet,
        summary="write the sheet of refilled sentences that a person judges",
        description=f"{antecedents_sheet.CAPTION} Writes FILE and beside it the same with the endings "
        f"{endings}; the last one is the key.",
        file="antecedents-sheet.html",
    )
    parser = _add(
        names,
        examples.NAME,
        _run_examples,
        summary="write the page of examples",
        description=examples.CAPTION,
        file="examples.html",
    )
    parser.add_argument(
        "--mlm", metavar="PATH", help="the masked language model, if not where the study has it"
    )
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="CPU threads (default: 1)")


def _add(names: Subparsers, name: str, run: Run, summary: str, description: str, file: str) -> Parser:
    """Add a command that reads a results folder and writes one table, figure or page."""
    parser: Parser = names.add_parser(
        name,
        help=summary.replace("%", "%%"),
        description=" ".join(description.split()),
        epilog=_EXAMPLE.format(name=name, file=file),
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "--results", required=True, type=Path, metavar="DIR", help="results folder of the study"
    )
    parser.add_argument(
        "--output", required=True, type=Path, metavar="FILE", help=f"file to write, such as {file}"
    )
    parser.set_defaults(run=run)
    return parser


def _register_count(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "count",
        help="count arguments and tokens of a converted corpus (Tables 1 and 2)",
        description="Counts the arguments by relation and case, documents, sentences, predicates and tokens "
        "of each split (Table 1), and the training tokens of each POS set, a sentence once per predicate "
        "(Table 2). Prints how many annotated arguments are not labelled, by the rule that removed them, and "
        "what is lost in other words than the corpus's own.",
        epilog=_COUNT_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("corpus", metavar="CORPUS_DIR", type=Path, help="folder with the three Parquet files")
    parser.add_argument("--output-table1", required=True, type=Path, metavar="CSV", help="Table 1")
    parser.add_argument("--output-table2", required=True, type=Path, metavar="CSV", help="Table 2")
    parser.add_argument(
        "--published",
        action="store_true",
        help="the corpus is NTC 1.5: put the paper's numbers and the differences beside ours, and say "
        "whether they match",
    )
    add_options(parser, OwnPosSets)
    parser.set_defaults(run=_run_count)


def _register_compare(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "compare",
        help="put two results folders, or another system's decisions, side by side",
        description="Compare every recipe that two results folders have in common, on dev and on test: F1, "
        "difference (B minus A), its 95 % confidence interval and p-value (paired permutation test over "
        "documents). Or compare files of another system's decisions with all seeds of a recipe. "
        "Prints a table.",
        epilog=_COMPARE_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("results_a", type=Path, metavar="RESULTS_A", help="one results folder")
    parser.add_argument(
        "others",
        type=Path,
        nargs="+",
        metavar="OTHER",
        help="the other results folder; or files of decisions (.parquet, .csv, .jsonl), one of each model",
    )
    parser.add_argument(
        "--recipe", metavar="NAME", help="what files are compared with, a recipe of RESULTS_A"
    )
    parser.add_argument("--split", choices=SPLITS, help="what files have decided (default: test)")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="write the table here too: CSV, and .md, .tex and .json beside it",
    )
    add_options(parser, ReportConfig, exclude=_NOT_IN_TESTS)
    parser.set_defaults(run=_run_compare)


def _study(results: Path) -> Study:
    from zarpipe.study.study import Study

    return Study.read(results)


def _run_table(module: Output, arguments: argparse.Namespace) -> None:
    from zarpipe.log import start_logging

    start_logging()
    study = _study(arguments.results)
    _check_wanted(module, study, arguments.results)
    remark = write(module, study, arguments.output)
    if remark:
        print(remark)


def _check_wanted(module: Any, study: Study, results: Path) -> None:
    if not is_wanted(module, study):
        raise ZarpipeError(
            f"{module.NAME}: the study in {results} does not have it; its configuration "
            f"({study.shown('study.json')}) compares nothing that would stand there"
        )


def _run_choose(arguments: argparse.Namespace) -> None:
    from zarpipe.report.choose import choose

    choose(_study(arguments.results), arguments.output)


def _run_learning_curves(arguments: argparse.Namespace) -> None:
    study = _study(arguments.results)
    learning_curves.draw(study, study.recipe(arguments.recipe), arguments.output)


def _run_index(arguments: argparse.Namespace) -> None:
    index.write_index(_study(arguments.results), arguments.output)


def _run_sheet(arguments: argparse.Namespace) -> None:
    study = _study(arguments.results)
    _check_wanted(antecedents_sheet, study, arguments.results)
    antecedents_sheet.write_sheet(study, arguments.output)


def _run_examples(arguments: argparse.Namespace) -> None:
    import torch

    from zarpipe.log import start_logging

    _check_number("--threads", arguments.threads)
    start_logging()
    torch.set_num_threads(arguments.threads)
    examples.write_examples(_study(arguments.results), arguments.output, arguments.mlm)


def _run_count(arguments: argparse.Namespace) -> None:
    from zarpipe.log import start_logging
    from zarpipe.report.corpus_counts import removed_lines, words_lines
    from zarpipe.report.table import write_table
    from zarpipe.report.tables.table1 import arguments_table
    from zarpipe.report.tables.table2 import tokens_table

    start_logging()
    corpus, published = arguments.corpus, arguments.published
    if corpus.is_file():
        raise ZarpipeError(f"{corpus}: found a file; expected the folder of the three Parquet files")
    table1 = arguments_table(corpus, published)
    table2 = tokens_table(corpus, published, read_options(arguments, OwnPosSets).define)
    for table, output in ((table1, arguments.output_table1), (table2, arguments.output_table2)):
        write_table(table, output)
        if table.remark:
            print(table.remark)
    for line in [*removed_lines(corpus), *words_lines(corpus)]:
        print(line)


def _run_compare(arguments: argparse.Namespace) -> None:
    from zarpipe.report.table import markdown, write_table

    table = _compare_folders(arguments) if arguments.others[0].is_dir() else _compare_files(arguments)
    print(markdown(table), end="")
    if arguments.output is not None:
        write_table(table, arguments.output)


def _compare_folders(arguments: argparse.Namespace) -> Table:
    from zarpipe.report.compare import compare_results

    if len(arguments.others) > 1:
        raise ZarpipeError(
            f"{arguments.others[1]}: found more than one OTHER; expected one results folder, or files"
        )
    for option in ("recipe", "split"):
        if getattr(arguments, option):
            raise ZarpipeError(
                f"--{option}: found with two results folders, of which all is compared; leave it out"
            )
    report = read_options(arguments, ReportConfig)
    a, b = _study(arguments.results_a), _study(arguments.others[0])
    return compare_results(a, b, report.permutations, report.seed)


def _compare_files(arguments: argparse.Namespace) -> Table:
    from zarpipe.report.compare_files import compare_files

    for path in arguments.others:
        if not path.exists():
            raise ZarpipeError(
                f"{path}: no such file or folder; expected a results folder, or files of decisions "
                "(.parquet, .csv or .jsonl)"
            )
    if arguments.recipe is None:
        raise ZarpipeError(
            "--recipe: found nothing; expected the recipe that files are compared with, such as baseline"
        )
    report = read_options(arguments, ReportConfig)
    return compare_files(
        _study(arguments.results_a),
        arguments.others,
        arguments.recipe,
        arguments.split or "test",
        report.permutations,
        report.seed,
    )


def _check_number(option: str, value: int | None) -> None:
    if value is not None and value < 1:
        raise ZarpipeError(f"{option}: found {value}; expected a number from 1")
