"""The commands that write tables and figures: ``zarpipe report TABLE`` and ``zarpipe compare``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from zarpipe.config import CdaConfig
from zarpipe.corpus.pos import POS_SETS
from zarpipe.options import HelpFormatter, add_options, read_options

_EXAMPLE = """\
examples:
  zarpipe report table4 --results results --alphas 0.1 0.3 0.5 --seeds 1 2 3 --output results/table4.csv
  zarpipe report table5 --help
"""
_DEV_EXAMPLE = """\
example:
  zarpipe report {name} --results results --alphas 0.1 0.3 0.5 --seeds 1 2 3 --output results/{name}.csv
"""
_BEST = "Each row has the alpha with the best mean ZAR F1 on dev."
_WRITES = "Writes CSV, Markdown (.md) and LaTeX (.tex) and, as _runs.csv, every single run."

Parser = argparse.ArgumentParser
Subparsers = Any  # argparse keeps the class of add_subparsers() private


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's commands to the parser."""
    report = subparsers.add_parser(
        "report",
        help="write the tables and figures of the study",
        description="Write one table or figure from the files of a results folder.",
        epilog=_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    tables = report.add_subparsers(title="tables and figures", metavar="TABLE", required=True)
    _register_dev_tables(tables)


def _register_dev_tables(tables: Subparsers) -> None:
    table4 = _dev_table(
        tables,
        "table4",
        _run_table4,
        "compare baseline, doubled baseline, CDA and masking on dev",
        "Table 4 of the paper: augmentation methods on dev.",
    )
    add_options(table4, CdaConfig)
    table5 = _dev_table(
        tables,
        "table5",
        _run_table5,
        "compare the POS sets that are masked on dev",
        "Table 5 of the paper: the baseline and masking of each POS set on dev.",
    )
    _add_pos_sets(table5)
    _dev_table(
        tables,
        "table7",
        _run_table7,
        "compare CDA's ways to replace words on dev",
        "Table 7 of the paper: CDA with one mask or all masks at a time and the most probable or a drawn "
        "word, with the POS set all_but_verb_symbol, on dev.",
    )


def _dev_table(
    tables: Subparsers, name: str, run: Callable[[argparse.Namespace], None], summary: str, description: str
) -> Parser:
    parser = _add(
        tables, name, run, summary, f"{description} {_BEST} {_WRITES}", _DEV_EXAMPLE.format(name=name)
    )
    _add_alphas(parser)
    _add_seeds(parser)
    _add_published(parser)
    return parser


def _add(
    tables: Subparsers,
    name: str,
    run: Callable[[argparse.Namespace], None],
    summary: str,
    description: str,
    example: str,
) -> Parser:
    """Add a command that reads a results folder and writes one table or figure."""
    parser: Parser = tables.add_parser(
        name, help=summary, description=description, epilog=example, formatter_class=HelpFormatter
    )
    parser.add_argument(
        "--results", required=True, type=Path, metavar="DIR", help="results folder of the study"
    )
    parser.add_argument(
        "--output", required=True, type=Path, metavar="FILE", help=f"file to write, such as {name}.csv"
    )
    parser.set_defaults(run=run)
    return parser


def _add_alphas(parser: Parser) -> None:
    parser.add_argument("--alphas", required=True, nargs="+", metavar="ALPHA", help="masking probabilities")


def _add_seeds(parser: Parser) -> None:
    parser.add_argument(
        "--seeds", required=True, nargs="+", type=int, metavar="N", help="seeds that were run"
    )


def _add_pos_sets(parser: Parser) -> None:
    parser.add_argument(
        "--pos-sets",
        required=True,
        nargs="+",
        choices=POS_SETS,
        metavar="SET",
        help="POS sets that were masked",
    )


def _add_published(parser: Parser) -> None:
    parser.add_argument(
        "--published", action="store_true", help="put the paper's numbers (NTC 1.5) beside ours"
    )


def _run_table4(arguments: argparse.Namespace) -> None:
    from zarpipe.study import table4_methods

    _write_dev_table(
        "TABLE4", table4_methods(arguments.alphas, read_options(arguments, CdaConfig)), arguments
    )


def _run_table5(arguments: argparse.Namespace) -> None:
    from zarpipe.study import table5_methods

    _write_dev_table("TABLE5", table5_methods(arguments.alphas, arguments.pos_sets), arguments)


def _run_table7(arguments: argparse.Namespace) -> None:
    from zarpipe.study import table7_methods

    _write_dev_table("TABLE7", table7_methods(arguments.alphas), arguments)


def _write_dev_table(table: str, methods: dict[str, list[str]], arguments: argparse.Namespace) -> None:
    from zarpipe.report import dev_tables
    from zarpipe.report.folder import ResultsFolder

    dev_tables.write_dev_table(
        getattr(dev_tables, table),
        ResultsFolder(arguments.results),
        methods,
        arguments.seeds,
        arguments.output,
        arguments.published,
    )
