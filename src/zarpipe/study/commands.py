"""The command ``zarpipe study``: a results folder says what its study is."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from zarpipe.config.options import HelpFormatter
from zarpipe.errors import ZarpipeError

_EXAMPLES = """\
examples:
  zarpipe study --configfile config.yaml mine.yaml --output results
  zarpipe study --configfile config.yaml --config training='{seeds: [1, 2, 3]}' --output results
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``study`` to the parser."""
    parser = subparsers.add_parser(
        "study",
        help="write down the configuration and the recipes of a study",
        description="Writes study.json (the whole configuration) and recipes.json (what each recipe is) "
        "into a results folder. `zarpipe report` and `zarpipe compare` read them. The workflow does this "
        "itself.",
        epilog=_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "--configfile",
        required=True,
        nargs="+",
        type=Path,
        metavar="FILE",
        help="config.yaml, then overlays, as for snakemake",
    )
    parser.add_argument(
        "--config",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help="sections or keys at the top level on top of the files, values in YAML, as for snakemake",
    )
    parser.add_argument("--output", required=True, type=Path, metavar="DIR", help="results folder")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> None:
    from zarpipe.config.files import load_config
    from zarpipe.study.study import Study

    config = load_config(arguments.configfile, dict(map(_override, arguments.config)))
    Study(config, arguments.output).write()


def _override(written: str) -> tuple[str, Any]:
    """Read ``KEY=VALUE``."""
    import yaml

    key, equals, value = written.partition("=")
    if not equals:
        raise ZarpipeError(f"--config: found {written!r}; expected KEY=VALUE, such as report='{{seed: 2}}'")
    try:
        return key, yaml.safe_load(value)
    except yaml.YAMLError as error:
        reason = getattr(error, "problem", None) or error
        raise ZarpipeError(f"--config: found {written!r}; not valid YAML: {reason}") from error
