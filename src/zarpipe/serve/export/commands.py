"""The command ``zarpipe export``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from zarpipe.config.options import add_command
from zarpipe.serve.export.table import FORMATS

_EXAMPLES = """\
examples:
  zarpipe export results/corpus/dev.parquet --format conllu --output dev.conllu
  zarpipe export results/corpus/dev.parquet --format conllu \\
    --predictions results/predictions/baseline/seed1/dev.parquet --output baseline.conllu
  zarpipe export results/corpus/dev.parquet --format json | head -n 1
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's command to the parser."""
    parser = add_command(
        subparsers,
        "export",
        _run,
        summary="write a corpus, or decisions on it, as CoNLL-U, KNP or JSON",
        description="Writes a corpus Parquet in a format of other programs: CoNLL-U in the style of CorefUD "
        "(omitted arguments are empty nodes), KNP with <rel> tags, or JSON with offsets of characters, one "
        "sentence a line. With --predictions the decided arguments stand in the place of the gold ones. What "
        "each format holds: docs/export.md.",
        example=_EXAMPLES,
    )
    parser.add_argument("corpus", metavar="CORPUS", type=Path, help="corpus Parquet of one split")
    parser.add_argument("--format", required=True, choices=list(FORMATS), help="what to write")
    parser.add_argument(
        "--predictions",
        type=Path,
        metavar="FILE",
        help="decided arguments on this corpus (.parquet, .csv or .jsonl)",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="file to write (default: standard output)"
    )


def _run(arguments: argparse.Namespace) -> None:
    from zarpipe.files import whole_stream
    from zarpipe.log import start_logging
    from zarpipe.serve.export.sentences import read_exported
    from zarpipe.serve.export.table import writer

    start_logging()
    texts = writer(arguments.format).write(*read_exported(arguments.corpus, arguments.predictions))
    if arguments.output is None:
        # Not in the terminal's encoding: files are UTF-8.
        for text in texts:
            sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    with whole_stream(arguments.output) as stream:
        for text in texts:
            stream.write(text.encode())
