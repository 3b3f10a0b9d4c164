"""The commands that write tables: ``zarpipe table4``."""

from __future__ import annotations

import argparse
from pathlib import Path

from zarpipe.config import CdaConfig
from zarpipe.options import HelpFormatter, add_options, read_options

_EXAMPLE = """\
example:
  zarpipe table4 --scores results/scores --alphas 0.1 0.3 0.5 --seeds 1 2 3 --output results/table4.csv
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's commands to the parser."""
    parser = subparsers.add_parser(
        "table4",
        help="compare baseline, doubled baseline, CDA and masking on dev",
        description="Write Table 4 of the paper from the scores of all runs: for CDA and masking the alpha "
        "with the best mean ZAR F1 on dev. Writes the table as CSV, as .md for reading, and every single run "
        "as _runs.csv beside it.",
        epilog=_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "--scores", required=True, type=Path, metavar="DIR", help="folder with RECIPE/seedN/dev.json"
    )
    parser.add_argument(
        "--alphas", required=True, nargs="+", help="masking probabilities of the CDA and masking recipes"
    )
    parser.add_argument("--seeds", required=True, nargs="+", type=int, help="seeds that were run")
    parser.add_argument(
        "--published", action="store_true", help="put the paper's numbers (NTC 1.5) beside ours"
    )
    parser.add_argument(
        "--output", required=True, type=Path, metavar="FILE", help="table to write, such as table4.csv"
    )
    add_options(parser, CdaConfig)
    parser.set_defaults(run=run_table4)


def run_table4(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe table4``."""
    from zarpipe.report.table4 import write_table4
    from zarpipe.study import table4_methods

    methods = table4_methods(arguments.alphas, read_options(arguments, CdaConfig))
    write_table4(arguments.scores, methods, arguments.seeds, arguments.output, arguments.published)
