"""How fast corpora are read: NTC in both forms on one core, and KWDLC on several.

Run: python benchmarks/convert.py [--kwdlc DIR] [--jobs 2] [--documents 1500] [--repeat 5]

NTC text is the made corpus of the package, many times (its distributed form is made from it here). Times
are the processor's for one core and the clock's for several processes; the best of the repetitions counts.
The last column is the ratio to the target: 1 or more meets it (150,000 tokens a second and core; KWDLC in
60 s). The first line
tells how fast Python is at this moment: splitting a line takes some 250 ns on an idle core of 2024, and two
or three times as long on one that other processes share; the speeds below shrink with it.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
import timeit
from collections.abc import Callable
from pathlib import Path

from zarpipe.readers.convert import Summary, convert
from zarpipe.readers.reading import reading
from zarpipe.sample import CORPUS

TOKENS_PER_SECOND = 150_000
KWDLC_SECONDS = 60


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kwdlc", type=Path, help="folder of KWDLC")
    parser.add_argument("--jobs", type=int, default=2, help="processes for KWDLC (default: %(default)s)")
    parser.add_argument("--documents", type=int, default=1500, help="documents of NTC (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions (default: %(default)s)")
    arguments = parser.parse_args()
    line = "大家 おおや * 名詞 普通名詞 * * _"
    split = min(timeit.repeat(lambda: line.split(" "), number=100_000, repeat=5)) / 100_000
    print(f"splitting a line: {split * 1e9:.0f} ns")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        distributed, tab = folder / "distributed", folder / "tab"
        make_forms(distributed, tab, arguments.documents)
        for title, corpus in (("NTC as distributed", distributed), ("NTC tab-separated", tab)):
            measure_ntc(title, corpus, folder / "out", arguments.repeat)
        if arguments.kwdlc is not None:
            measure_kwdlc(arguments.kwdlc, folder / "out", arguments.jobs)


def measure_ntc(title: str, corpus: Path, output: Path, repeat: int) -> None:
    """Convert on one core and print tokens per second, everything included but Python's start."""
    seconds, summary = best_of(repeat, time.process_time, lambda: convert(corpus, output, reading("ntc")))
    speed = sum(summary.tokens.values()) / seconds
    print(f"{title}: {speed:,.0f} tokens/s on one core, {speed / TOKENS_PER_SECOND:.2f} of the target")


def measure_kwdlc(corpus: Path, output: Path, jobs: int) -> None:
    """Convert the whole of KWDLC and print the seconds."""
    ids = corpus / "id/split_for_pas"
    seconds, summary = best_of(
        1, time.perf_counter, lambda: convert(corpus, output, reading("knp"), "ids", ids, jobs=jobs)
    )
    tokens = sum(summary.tokens.values())
    print(
        f"KWDLC whole, {jobs} processes: {seconds:.1f} s, {tokens / seconds:,.0f} tokens/s, "
        f"{KWDLC_SECONDS / seconds:.2f} of the target"
    )


def best_of(repeat: int, clock: Callable[[], float], run: Callable[[], Summary]) -> tuple[float, Summary]:
    """Return the shortest of the times that ``run`` takes, and its result."""
    times = []
    for _ in range(repeat):
        start = clock()
        summary = run()
        times.append(clock() - start)
    return min(times), summary


def make_forms(distributed: Path, tab: Path, documents: int) -> None:
    """Write documents in both forms: those of the made corpus, again and again."""
    distributed.mkdir()
    tab.mkdir()
    scores = random.Random(1)  # noqa: S311 (no secrets here)
    texts = [
        [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("# ")]
        for file in sorted(CORPUS.iterdir())
    ]
    for number in range(documents):
        lines = texts[number % len(texts)]
        name = f"950101-{number:04d}-950101{number:05d}"
        with_scores = (
            f"{line} 0/1 {scores.uniform(-3, 3):.6f}" if line[0] == "*" else line for line in lines
        )
        (tab / f"{name}.txt").write_text("\n".join(with_scores) + "\n", encoding="utf-8")
        plain = "".join(f"{distributed_line(line)}\n" for line in lines)
        (distributed / f"{name}.ntc").write_text(plain, encoding="euc_jp")


def distributed_line(line: str) -> str:
    """Turn a line of the tab form into the distributed one."""
    if "\t" not in line:
        return line
    surface, features, _, *annotation = line.split("\t")
    pos, pos_sub, *_ = features.split(",")
    tags = annotation[0].replace(" ", "/") if annotation else "_"
    return f"{surface} {surface} * {pos} {pos_sub} * * {tags}"


if __name__ == "__main__":
    main()
