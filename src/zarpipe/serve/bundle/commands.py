"""The command ``zarpipe bundle``."""

from __future__ import annotations

import argparse
from pathlib import Path

from zarpipe.config.options import add_command

_EXAMPLES = """\
examples:
  zarpipe bundle results --recipe masking --output bundle
  zarpipe bundle results --recipe baseline --seed 1 --mlm reference --output small
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's command to the parser."""
    parser = add_command(
        subparsers,
        "bundle",
        _run,
        summary="put a recipe's taggers into one folder, with all that they need",
        description="Writes a folder with the taggers of a recipe, their thresholds, the masked language "
        "model, the configuration, the scores and a model card. It works without the results folder: "
        "`from zarpipe import load`. What is in it: docs/bundle.md.",
        example=_EXAMPLES,
    )
    parser.add_argument("results", type=Path, metavar="RESULTS", help="results folder of the study")
    parser.add_argument(
        "--recipe",
        required=True,
        metavar="NAME",
        help="a recipe of the study, or masking, cda or a name of `recipes` for the one chosen on dev",
    )
    parser.add_argument("--output", required=True, type=Path, metavar="FOLDER", help="folder to write")
    parser.add_argument("--seed", type=int, metavar="N", help="only the tagger of this seed (default: all)")
    parser.add_argument(
        "--mlm",
        choices=["copy", "reference"],
        default="copy",
        help="copy the masked language model into the bundle, or write down its name and digest alone, where "
        "its licence or size forbids a copy (default: copy)",
    )
    parser.add_argument(
        "--mlm-path", metavar="PATH", help="the masked language model, if not where the study has it"
    )


def _run(arguments: argparse.Namespace) -> None:
    from zarpipe.serve.bundle.make import Wanted, make_bundle
    from zarpipe.study.study import Study

    wanted = Wanted(arguments.recipe, arguments.seed, arguments.mlm, arguments.mlm_path)
    manifest = make_bundle(Study.read(arguments.results), wanted, arguments.output)
    seeds = ", ".join(str(tagger.seed) for tagger in manifest.taggers)
    print(f"{arguments.output}: {manifest.recipe['name']}, seeds {seeds}, {manifest.mlm.name}")
