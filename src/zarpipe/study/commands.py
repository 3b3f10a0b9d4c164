"""The commands ``zarpipe study`` and ``zarpipe prune``."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

from zarpipe.config.options import Argument
from zarpipe.config.values import Section
from zarpipe.errors import ZarpipeError


class StudyFiles(Section):
    """The plan and its copy."""

    written: Annotated[Path, Argument("PLAN", positional=True)]
    """The plan that the workflow wrote."""
    output: Annotated[Path, Argument("FILE")]
    """study.json."""


class Pruned(Section):
    """Who needs jobs."""

    results: Annotated[list[Path], Argument("RESULTS", positional=True)]
    """Results folder of a study."""
    dry_run: Annotated[bool, Argument(switch=True)] = False
    """Only show them."""


def study(files: StudyFiles) -> None:
    """Write down the configuration, recipes and jobs of a study.

    Copies the plan of the workflow to study.json, and what each recipe is to recipes.json. The workflow does
    this itself.
    """
    from zarpipe.files import read_json, write_json
    from zarpipe.study.study import RECIPES_FILE

    plan = read_json(files.written)
    write_json(files.output, plan)
    write_json(files.output.with_name(RECIPES_FILE), plan["recipes"])


def prune(pruned: Pruned) -> None:
    """Remove the jobs' folders that no given study needs.

    Shows the folders below jobs/ that none of these studies needs as they are configured now, with their
    sizes, and removes them. Where studies share a store (config key `store`), name all of them: what only
    another study needs is removed too.

    Examples:
      zarpipe prune results --dry-run
      zarpipe prune results/ntc results/kwdlc
    """
    from zarpipe.study.prune import needless, size_of
    from zarpipe.study.study import Study

    sizes = {folder: size_of(folder) for folder in needless(list(map(Study.read, pruned.results)))}
    for folder, size in sizes.items():
        print(f"{size / 1e6:10.1f} MB  {folder}")
        if not pruned.dry_run:
            try:
                shutil.rmtree(folder)
            except OSError as error:
                raise ZarpipeError(f"{folder}: cannot be removed ({error.strerror}): whose is it?") from error
    done = "would be removed" if pruned.dry_run else "removed"
    total = sum(sizes.values()) / 1e6
    print(f"{len(sizes)} folders, {total:.1f} MB {done}" if sizes else "Nothing to remove.")
