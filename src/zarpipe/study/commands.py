"""The commands ``zarpipe study`` and ``zarpipe prune``."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from zarpipe.config.options import HelpFormatter
from zarpipe.errors import ZarpipeError

_PRUNE_EXAMPLES = """\
examples:
  zarpipe prune results --dry-run
  zarpipe prune results/ntc results/kwdlc
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``study`` and ``prune`` to the parser."""
    study = subparsers.add_parser(
        "study",
        help="write down the configuration, recipes and jobs of a study",
        description="Copies the plan of the workflow to study.json, and what each recipe is to recipes.json.",
        epilog="The workflow does this itself.",
        formatter_class=HelpFormatter,
    )
    study.add_argument("written", type=Path, metavar="PLAN", help="the plan that the workflow wrote")
    study.add_argument("--output", required=True, type=Path, metavar="FILE", help="study.json")
    study.set_defaults(run=_run_study)
    prune = subparsers.add_parser(
        "prune",
        help="remove the jobs' folders that no given study needs",
        description="Shows the folders below jobs/ that none of these studies needs as they are configured "
        "now, with their sizes, and removes them. Where studies share a store (config key `store`), name all "
        "of them: what only another study needs is removed too.",
        epilog=_PRUNE_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    prune.add_argument("results", type=Path, nargs="+", metavar="RESULTS", help="results folder of a study")
    prune.add_argument("--dry-run", action="store_true", help="only show them")
    prune.set_defaults(run=_run_prune)


def _run_study(arguments: argparse.Namespace) -> None:
    from zarpipe.files import read_json, write_json
    from zarpipe.study.study import RECIPES_FILE

    plan = read_json(arguments.written)
    write_json(arguments.output, plan)
    write_json(arguments.output.with_name(RECIPES_FILE), plan["recipes"])


def _run_prune(arguments: argparse.Namespace) -> None:
    from zarpipe.study.prune import needless, size_of
    from zarpipe.study.study import Study

    folders = needless([Study.read(results) for results in arguments.results])
    total = 0
    for folder in folders:
        size = size_of(folder)
        total += size
        print(f"{size / 1e6:10.1f} MB  {folder}")
        if not arguments.dry_run:
            try:
                shutil.rmtree(folder)
            except OSError as error:
                raise ZarpipeError(f"{folder}: cannot be removed ({error.strerror}): whose is it?") from error
    done = "would be removed" if arguments.dry_run else "removed"
    print(f"{len(folders)} folders, {total / 1e6:.1f} MB {done}" if folders else "Nothing to remove.")
