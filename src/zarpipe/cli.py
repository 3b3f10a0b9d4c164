"""The command ``zarpipe``: one subcommand per step of the pipeline, each usable without Snakemake."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from zarpipe import __version__
from zarpipe.characters import printable
from zarpipe.config.options import HelpFormatter, add_command
from zarpipe.errors import ZarpipeError
from zarpipe.light_imports import light_imports
from zarpipe.registry import load

# Why standard output cannot be written: the disk or pipe behind it, or that it was closed.
_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF)
# A message may have lines, as the list of a configuration's problems has.
_LAYOUT = "\n\t"
# Each module has functions of these names (zarpipe.config.options), or register(subparsers), which adds them.
# Heavy libraries are imported only when a command runs, a module only when one of its commands is asked for.
COMMANDS = {
    "convert": "zarpipe.readers.commands",
    "check": "zarpipe.readers.commands",
    "evaluate": "zarpipe.evaluate.commands",
    "compare": "zarpipe.report.commands",
    "show": "zarpipe.serve.show.commands",
    "export": "zarpipe.serve.export.commands",
    "bundle": "zarpipe.serve.bundle.commands",
    "analyse": "zarpipe.serve.analyse.commands",
    "plan": "zarpipe.report.planning",
    "prune": "zarpipe.study.commands",
    "schema": "zarpipe.config.docs",
}
# What the workflow runs; people may, too.
STEPS = {
    "describe-mlm": "zarpipe.mlm.commands",
    "augment": "zarpipe.augment.commands",
    "encode": "zarpipe.encode.commands",
    "cache": "zarpipe.encode.commands",
    "train": "zarpipe.tagger.commands",
    "predict": "zarpipe.tagger.commands",
    "predict-held-out": "zarpipe.tagger.commands",
    "filter-copies": "zarpipe.tagger.commands",
    "train-segmenter": "zarpipe.tagger.commands",
    "evaluate-segmenter": "zarpipe.tagger.commands",
    "count": "zarpipe.report.commands",
    "report": "zarpipe.report.commands",
    "study": "zarpipe.study.commands",
}


@light_imports()
def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status (0 done, 1 a problem that was explained, 2 wrong usage)."""
    # Threads that wait for work must not spin: several jobs share the cores. Read when torch is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # Notebooks set a backend of theirs, without which matplotlib cannot be imported here; figures need none.
    os.environ.pop("MPLBACKEND", None)
    _open_what_is_closed()
    _take_every_character(sys.stdout)
    words = sys.argv[1:] if argv is None else argv
    try:
        arguments = build_parser(words).parse_args(words)
        refuse_overwriting(arguments)
        if arguments.job is None:
            arguments.run(arguments)
        else:
            run_job(arguments)
        sys.stdout.flush()
    except ZarpipeError as error:
        print(f"zarpipe: error: {printable(str(error), keep=_LAYOUT)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("zarpipe: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output (head, less) has gone.
        _forget_output()
        return 141
    except OSError as error:
        if error.filename is not None and error.strerror:
            path = printable(str(error.filename))
            message = f"{path}: {error.strerror}; check this path, and who may enter the folders above it"
        elif error.errno in _UNWRITABLE:
            message = f"standard output cannot be written ({error.strerror})"
            _forget_output()
        else:
            raise
        print(f"zarpipe: error: {message}", file=sys.stderr)
        return 1
    return 0


def _open_what_is_closed() -> None:
    """Give streams for those that the caller has closed: an empty input, and an output that fails as such."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # The lowest number that is free, so that no file that is opened later takes it.
            null = os.open(os.devnull, os.O_RDWR if name == "stderr" else os.O_RDONLY)
            setattr(sys, name, os.fdopen(null, mode, encoding="utf-8"))


def _forget_output() -> None:
    """Silence the interpreter's own complaint about what could not be written, at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run_job(arguments: argparse.Namespace) -> None:
    """Run a command for the workflow: all that it writes appears at once, in the folder of the job."""
    from zarpipe.job_folders import is_there, making, redirected
    from zarpipe.study.study import job_of_plan

    folder = arguments.job.parent
    made_from = job_of_plan(arguments.plan, folder)
    if is_there(folder):
        print(f"{folder}: is there already; to make it again, delete it")
        return
    with making(folder, made_from) as work:
        for name in set(_WRITTEN) & set(vars(arguments)):
            written = getattr(arguments, name)
            moved = [redirected(path, folder, work) for path in _listed(written)]
            setattr(arguments, name, moved if isinstance(written, list) else moved[0])
        arguments.run(arguments)


def _take_every_character(stream: TextIO) -> None:
    """Let a character that the terminal's encoding lacks become a question mark instead of an error."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="replace")


_WRITTEN = ("output", "output_table1", "output_table2", "html", "schema", "page")


def refuse_overwriting(arguments: argparse.Namespace) -> None:
    """Raise ZarpipeError if a file to write is also a file to read, or is named twice."""
    written: list[Path] = []
    read: set[Path] = set()
    for name, value in vars(arguments).items():
        paths = [Path(part).absolute() for part in _listed(value) if isinstance(part, (str, Path))]
        if name in _WRITTEN:
            written += paths
        else:
            read.update(paths)
    for place, path in enumerate(written):
        if path in read and not path.is_dir():
            raise ZarpipeError(f"{path}: is to be read and to be written; choose another output")
        if path in written[:place]:
            raise ZarpipeError(f"{path}: is named twice as an output; choose two")


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else [value]


def build_parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser of the commands that are among these words; of all if none is."""
    parser = argparse.ArgumentParser(
        prog="zarpipe",
        description="Data augmentation for Japanese zero anaphora resolution, one step of the pipeline per "
        "command.",
        epilog=f"Steps that the workflow runs, each of which works alone too: {', '.join(STEPS)}.\n\n"
        "The whole study runs with: snakemake --cores all results/table4.csv",
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"zarpipe {__version__}")
    parser.add_argument(
        "--job",
        type=Path,
        metavar="FILE",
        help="given by the workflow: the job.json that appears, with all files, when the command is done",
    )
    parser.add_argument(
        "--plan", type=Path, metavar="FILE", help="given by the workflow: what its jobs are made from"
    )
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    modules = COMMANDS | STEPS
    for name in [name for name in modules if name in words] or modules:
        module = load(modules[name])
        if hasattr(module, "register"):
            module.register(subparsers)
        else:
            add_command(subparsers, getattr(module, name.replace("-", "_")), listed=name in COMMANDS)
    return parser
