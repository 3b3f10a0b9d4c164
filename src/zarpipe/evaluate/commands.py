"""The command ``zarpipe evaluate``."""

from __future__ import annotations

import argparse

from zarpipe.config.options import HelpFormatter
from zarpipe.task.cases import CASE_NAMES

_DESCRIPTION = f"""\
Score decided arguments against the annotated corpus: precision, recall and F1 for ZAR (intra-sentential
zero arguments), DEP (arguments in a direct dependency relation) and ALL, by case and over all cases.

A prediction file is a Parquet with one row per decided argument and the columns sent_id, predicate (token
index, from 0), case ({", ".join(CASE_NAMES)}), token (index of the argument) and probability. It may come
from `zarpipe predict` or any other system, whose decisions may also be a CSV with a header (.csv) or JSON
lines (.jsonl) with these columns; there the probability may be left out. A row that does not fit the corpus
is an error; nothing is skipped.

The gold arguments are taken as annotated: a token that is the argument of two cases counts twice."""

_EPILOG = """\
example:
  zarpipe evaluate --corpus results/corpus/dev.parquet --predictions mine.parquet --output mine.json"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's commands to the parser."""
    parser = subparsers.add_parser(
        "evaluate",
        help="score decided arguments against the corpus",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "--corpus", required=True, metavar="PARQUET", help="annotated split, from `zarpipe convert`"
    )
    parser.add_argument(
        "--predictions", required=True, nargs="+", metavar="FILE", help="one or more prediction files"
    )
    parser.add_argument(
        "--output", required=True, nargs="+", metavar="JSON", help="one scores file per prediction file"
    )
    parser.set_defaults(run=run_evaluate)


def run_evaluate(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe evaluate``."""
    from zarpipe.evaluate.evaluation import evaluate_files
    from zarpipe.task.relations import Relation
    from zarpipe.task.scores import ALL

    results = evaluate_files(arguments.corpus, arguments.predictions, arguments.output)
    categories = (Relation.ZAR.name, Relation.DEP.name, ALL)
    for path, result in zip(arguments.predictions, results, strict=True):
        by_category = (f"{name} F1 {100 * result[name][ALL]['f1']:.2f}" for name in categories)
        print(f"{path}: {', '.join(by_category)}")
