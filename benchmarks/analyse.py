"""How fast `zarpipe analyse` is, how long it takes to start, and how much memory a long text needs.

    python benchmarks/analyse.py [--mlm-path FOLDER] [--threads 2] [--sentences 2000] [--megabytes 0.5]

The text has sentences of 20 words (UniDic), put together from lists. The tagger has 2 layers of 64, the
segmenter its default size, both with random weights; the segmenter's threshold is such that 2 of 15 words are
predicates, as in KWDLC. Without a model's folder a tiny random one takes its place, which says nothing about
speed.

Prints

- ``start_up_s``: wall time of the command for one character, the best of three;
- ``peak_mb``: the command's largest memory on a file of a quarter of the megabytes, and on one of all;
- ``sentences_per_second``: from text to lines of JSON, in a process that has started, wall time.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import tiny_models  # noqa: E402 (found by the line above)
from made_bundle import make_bundle  # noqa: E402

from zarpipe import load  # noqa: E402
from zarpipe.config import SegmentationConfig  # noqa: E402
from zarpipe.readers import unidic  # noqa: E402
from zarpipe.serve.analyse.formats import write_json  # noqa: E402
from zarpipe.serve.bundle.analysis import Bundle  # noqa: E402
from zarpipe.serve.bundle.segmenter import Segmenter  # noqa: E402
from zarpipe.serve.bundle.states import computed_states  # noqa: E402
from zarpipe.serve.bundle.text import source_sentences  # noqa: E402
from zarpipe.tagger.segmenter.model import build_segmenter  # noqa: E402

_PREDICATES = 2 / 15
_WARM_UP = 256
_STARTS = 3
_NAMES = ["太郎", "花子", "先生", "社長", "記者", "選手", "医者", "学生", "客", "警官", "母", "弟"]
_PLACES = ["公園", "駅", "会社", "病院", "学校", "役所", "海", "工場", "市場", "銀行", "村", "港"]
_THINGS = ["本", "手紙", "写真", "車", "魚", "薬", "花", "地図", "金", "荷物", "記事", "服", "酒"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mlm-path", type=Path, metavar="FOLDER", help="a masked language model")
    parser.add_argument("--threads", type=int, default=2, help="CPU threads (default: %(default)s)")
    parser.add_argument("--sentences", type=int, default=2000, help="to be timed (default: %(default)s)")
    parser.add_argument("--megabytes", type=float, default=0.5, help="of the text (default: %(default)s)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mlm = arguments.mlm_path or tiny_models.build("bert-ja", folder / "mlm")
        bundle = make_bundle(folder / "bundle", mlm, layers=2, size=64, seeds=(1,))
        command = Command(bundle, mlm, arguments.threads)
        print(f"start_up_s: {min(command.run('犬')[0] for _ in range(_STARTS)):.2f}", flush=True)
        for megabytes in (arguments.megabytes / 4, arguments.megabytes):
            seconds, peak = command.run(write_text(folder / "text.txt", megabytes))
            print(f"peak_mb: {peak:.0f} ({megabytes:g} MB of text, {seconds:.0f} s)", flush=True)
        loaded = with_usual_predicates(load(bundle, mlm=mlm, device="cpu", threads=arguments.threads))
        print(f"sentences_per_second: {speed(loaded, arguments.sentences):.1f}")


class Command:
    """The command in a process of its own.

    Args:
        bundle: a bundle.
        mlm: its masked language model.
        threads: CPU threads.
    """

    def __init__(self, bundle: Path, mlm: Path, threads: int) -> None:
        self._options = ["--bundle", str(bundle), "--mlm", str(mlm), "--threads", str(threads)]

    def run(self, text: str | Path) -> tuple[float, float]:
        """Analyse a text or a file; return wall seconds, and the largest memory in megabytes."""
        words = [sys.executable, "-m", "zarpipe", "analyse", str(text), *self._options, "--format", "json"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "HF_HUB_OFFLINE": "1"}
        silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
        begin = time.perf_counter()
        process = os.posix_spawn(sys.executable, words, environment, file_actions=silent)
        _, status, used = os.wait4(process, 0)
        if status:
            raise SystemExit(f"failed: {' '.join(words)}")
        return time.perf_counter() - begin, used.ru_maxrss / 1000


def sentences() -> Iterator[str]:
    """Yield sentences of 20 words without end, the same ones every time."""
    chance = random.Random(1)  # noqa: S311 (nothing is to be kept secret)
    while True:
        one, other = chance.sample(_NAMES, 2)
        place, thing = chance.choice(_PLACES), chance.choice(_THINGS)
        yield f"昨日{one}は{place}で{other}に{thing}を見せたが、すぐに家へ帰った。"


def write_text(path: Path, megabytes: float) -> Path:
    """Write a text of at least this size, one sentence a line."""
    left = megabytes * 1e6
    with path.open("wb") as stream:
        for sentence in sentences():
            left -= stream.write(f"{sentence}\n".encode())
            if left <= 0:
                return path
    return path


def with_usual_predicates(bundle: Bundle) -> Bundle:
    """Return the bundle with a segmenter that finds as many predicates as there are in a corpus."""
    shape = SegmentationConfig()
    words = [[word[0] for word in unidic.words(sentence)] for sentence in islice(sentences(), _WARM_UP)]
    states = computed_states(bundle.states, words, bundle.manifest.encoding.batch_tokens)
    segmenter = Segmenter(build_segmenter(shape.layers, shape.hidden_size, states.size, seed=1), 0.0)
    probability = segmenter.find(states).predicate_probability
    threshold = float(np.quantile(probability, 1 - _PREDICATES))
    return replace(bundle, segmenter=replace(segmenter, threshold=threshold))


def speed(bundle: Bundle, number: int) -> float:
    """Return how many sentences are analysed in a second."""
    text = list(islice(sentences(), _WARM_UP + number))
    _analyse(bundle, text[:_WARM_UP])
    begin = time.perf_counter()
    _analyse(bundle, text[_WARM_UP:])
    return number / (time.perf_counter() - begin)


def _analyse(bundle: Bundle, lines: Sequence[str]) -> None:
    source = (sentence for line in lines for sentence in source_sentences(line))
    written = sum(1 for _ in write_json(bundle.analyse_text(source), "unidic"))
    if written != len(lines):
        raise SystemExit(f"{written} sentences of {len(lines)}")


if __name__ == "__main__":
    main()
