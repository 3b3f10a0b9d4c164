"""``zarpipe plan``: what would run, why, about how long, and how much disk it needs, in a few lines."""

from __future__ import annotations

import argparse
import os
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from zarpipe import job_folders
from zarpipe.config.files import check_configfiles
from zarpipe.config.options import HelpFormatter
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import read_instances
from zarpipe.formats.features import read_provenance
from zarpipe.study.dry_run import REASONS, SETTINGS, PlannedJob, planned_jobs
from zarpipe.study.stages import STAGES

_EXAMPLE = """\
examples:
  zarpipe plan                                             # the embedded study, everything
  zarpipe plan results/table4.csv --config training='{epochs: 9}'
  zarpipe plan results/ntc/table4.csv --configfile workflow/configs/ntc.yaml mine.yaml --cores 8
  zarpipe plan --detect 0.5 --category ZAR --results results/ntc
"""
# Names in the specs that a person would not recognise.
_SETTINGS = {
    "code": "zarpipe's code",
    "files": "the bytes of the corpus",
    "mlm": "the masked language model",
    "ids": "the id lists",
    "printed": "the paper's numbers",
    "templates": "the page's templates",
    "libraries": "versions of libraries",
    "configuration": "some key of the configuration",
}
_SHOWN_CHANGES = 4
_STATE_BYTES = 2  # float16
_LONG = 40

Seconds = dict[tuple[str, ...], float | None]


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """Add ``plan`` to the parser, and return its own."""
    parser = subparsers.add_parser(
        "plan",
        help="Say what would run, why, and about how long",
        description="Ask Snakemake what it would run and say it in a few lines: jobs of each stage, the "
        "reasons (missing files, changed settings with the value before and now, changed code), about how "
        "long it would take by the median of the times of the jobs that have run, and "
        "how much disk the hidden states of new variants need at most. Nothing is run. To be called in the "
        "folder of the Snakefile, with the targets and options of snakemake. With --detect: how many seeds "
        "and test documents a difference of so many points of F1 needs, by the variance components of a "
        "finished study, and what they would cost by its run times (`zarpipe plan --detect 0.5 --help`).",
        usage="zarpipe plan [TARGET ...] [snakemake options, such as --configfile FILE ... or --cores N]\n"
        "       zarpipe plan --detect POINTS [--category ZAR] [--power 0.8] [--results DIR]",
        epilog=_EXAMPLE,
        formatter_class=HelpFormatter,
        prefix_chars="\0",
        add_help=False,
    )
    parser.add_argument(
        "snakemake", nargs=argparse.REMAINDER, metavar="TARGET or OPTION", help="as for snakemake"
    )
    return parser


def describe_plan(jobs: Sequence[PlannedJob], cores: int) -> str:
    """Return the plan as text: one line per stage, one per kind of reason, and what is not known."""
    if not jobs:
        return "Nothing to run: everything is up to date."
    seconds = expected_seconds(jobs)
    lines = [_headline(jobs, seconds, cores), *_stage_lines(jobs, seconds, cores), *_disk_line(jobs)]
    lines += ["Why:", *_reason_lines(jobs)]
    unknown = _counts(job for job in jobs if seconds[job.output] is None)
    if unknown and any(value is not None for value in seconds.values()):
        lines.append(f"No run time on record, so not in the sum: {unknown}")
    if own := _own_policies(jobs):
        lines.append(f"Policies of your own, tried by their first jobs, before trainings: {', '.join(own)}")
    return "\n".join(lines)


def _own_policies(jobs: Iterable[PlannedJob]) -> list[str]:
    """Return the functions of the user's own that jobs run: a built-in policy has no colon in its name."""
    parts = (part for job in jobs for part in job.made_from.get("settings", {}).get("define_policy", ()))
    return sorted({use.partition(":")[2] for use, _ in parts} - {""})


def expected_seconds(jobs: Iterable[PlannedJob]) -> Seconds:
    """Return the expected run time of each job, by its output: the median of its rule's that have run.

    None stands for a rule that has never run here.
    """
    known: dict[str, float | None] = {}
    for job in jobs:
        if job.rule not in known:
            found = map(job_folders.seconds, job_folders.folders(_folder_of_rule(job)))
            times = [time for time in found if time is not None]
            known[job.rule] = statistics.median(times) if times else None
    return {job.output: known[job.rule] for job in jobs}


def run(parser: argparse.ArgumentParser, arguments: list[str]) -> None:
    """Print what Snakemake would run with these arguments."""
    if arguments and arguments[0] in ("-h", "--help"):
        parser.print_help()
        return
    elsewhere = not {"-d", "--directory"}.isdisjoint(arguments)
    there = any(Path(name).is_file() for name in ("Snakefile", "workflow/Snakefile"))
    if not (there or elsewhere or not {"-s", "--snakefile"}.isdisjoint(arguments)):
        raise ZarpipeError(
            f"no Snakefile in {Path.cwd()}; call `zarpipe plan` in zarpipe's folder, as you call snakemake"
        )
    if not elsewhere:
        check_configfiles(arguments)
    print(describe_plan(planned_jobs(arguments), _cores(arguments)))


def _cores(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--cores", "-c", nargs="?", default="all", const="all")
    written = parser.parse_known_args(arguments)[0].cores
    return int(written) if written.isdigit() and int(written) else os.cpu_count() or 1


def _headline(jobs: Sequence[PlannedJob], seconds: Seconds, cores: int) -> str:
    count = f"{len(jobs)} job{'s' if len(jobs) > 1 else ''}"
    if all(value is None for value in seconds.values()):
        return f"{count} to run; how long is not known (nothing like it has run here before)"
    known = "" if all(value is not None for value in seconds.values()) else "at least "
    return f"{count} to run, {known}about {duration(_total(jobs, seconds, cores))} with {cores} cores"


def _stage_lines(jobs: Sequence[PlannedJob], seconds: Seconds, cores: int) -> list[str]:
    lines = []
    for stage, rules in STAGES.items():
        if of_stage := [job for job in jobs if job.rule in rules]:
            known = any(seconds[job.output] is not None for job in of_stage)
            time = f"  (about {duration(_total(of_stage, seconds, cores))})" if known else ""
            lines.append(f"  {stage:9} {_counts(of_stage)}{time}")
    return lines


def _disk_line(jobs: Sequence[PlannedJob]) -> list[str]:
    """Say how much disk new variants' hidden states need, if the corpus and the MLM's size are known."""
    needed = variants_bytes([job for job in jobs if job.rule == "encode_variant"])
    return [f"Disk: at most {needed / 1e9:.1f} GB for the hidden states of new variants"] if needed else []


def variants_bytes(jobs: Sequence[PlannedJob]) -> int | None:
    """Return how many bytes the features that jobs encode need at most: when no two sequences are equal.

    None for no job, or while the corpus is not converted and encoded yet.
    """
    try:
        return sum(map(_bytes, jobs)) or None
    except (ZarpipeError, KeyError, TypeError, ValueError, StopIteration):
        return None


def _bytes(job: PlannedJob) -> int:
    root = _folder_of_rule(job).parent
    read = {name: root / f"{name}@{key}" for name, key in job.made_from["reads"].items()}
    originals = next(folder for name, folder in read.items() if name.startswith("encode/"))
    size = int(read_provenance(originals / "features.h5")["hidden_size"])
    tokens = int(read_instances(read["convert/corpus"] / "train.parquet").offsets[-1])
    return tokens * size * _STATE_BYTES


def _folder_of_rule(job: PlannedJob) -> Path:
    """Return the folder of all jobs of a rule: jobs/train of jobs/train/baseline/seed1@0123456789ab."""
    return next(folder for folder in job.folder.parents if folder.name == job.rule)


def _reason_lines(jobs: Sequence[PlannedJob]) -> list[str]:
    """Tell the strongest reason of each job; jobs with the same reason stand on one line."""
    lines = []
    for reason in REASONS:
        if of_reason := [job for job in jobs if job.reason == reason]:
            # `study.json` holds the whole configuration; what changed in it, the other jobs say better.
            telling = [job for job in of_reason if job.rule != "study"] or of_reason
            changes = f": {_changes(telling)}" if reason == SETTINGS else ""
            lines.append(f"  {reason}{changes} [{_counts(of_reason)}]")
    return lines


def _changes(jobs: Iterable[PlannedJob]) -> str:
    found: dict[str, None] = {}
    for job in jobs:
        for name, (before, now) in job.changed_settings.items():
            plain = _SETTINGS.get(name)
            short = plain is None and max(len(before), len(now)) <= _LONG
            found[f"{name} {before} → {now}" if short else plain or name] = None
    shown = list(found)[:_SHOWN_CHANGES]
    more = len(found) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _counts(jobs: Iterable[PlannedJob]) -> str:
    """Return how many jobs there are of each rule; one is not counted."""
    counts = Counter(job.rule for job in jobs)
    return ", ".join(rule if count == 1 else f"{rule} {count}" for rule, count in counts.items())


def _total(jobs: Iterable[PlannedJob], seconds: Seconds, cores: int) -> float:
    """Return the seconds that the jobs take on these processors if none ever waits for another."""
    return sum((seconds[job.output] or 0.0) * min(job.threads, cores) / cores for job in jobs)


# Up to how many seconds a unit suits, and the seconds in it.
_UNITS = ((90, "s", 1), (90 * 60, "min", 60), (48 * 3600, "h", 3600), (float("inf"), "days", 86400))


def duration(seconds: float) -> str:
    """Write a time in the unit that suits it: ``45 s``, ``3 h``."""
    _, unit, size = next(row for row in _UNITS if seconds < row[0])
    return f"{max(1, round(seconds / size))} {unit}"
