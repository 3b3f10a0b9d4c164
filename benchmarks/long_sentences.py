"""How the work for one very long sentence grows with its length: reading it, and showing it.

Run: python benchmarks/long_sentences.py [--bunsetsu 20000] [--tokens 100000] [--repeat 3]

The sentence to read is a chain of bunsetsu whose heads all lie to the left, as distributed with NTC. The one
to show has a predicate in every hundredth token. Each is made twice, once of half the length; the best
processor times of the repetitions count. The last lines are the ratios: 2 is linear, 4 quadratic.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from zarpipe.readers.convert import convert
from zarpipe.readers.reading import reading
from zarpipe.serve.show.sentences import Shown, ShownPredicate
from zarpipe.serve.show.terminal import print_sentences
from zarpipe.task.documents import Sentence, Token


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bunsetsu", type=int, default=20_000, help="of the chain (default: %(default)s)")
    parser.add_argument(
        "--tokens", type=int, default=100_000, help="of the sentence to show (default: %(default)s)"
    )
    parser.add_argument("--repeat", type=int, default=3, help="repetitions (default: %(default)s)")
    arguments = parser.parse_args()
    converted = measure("bunsetsu converted", arguments.bunsetsu, read_chain, arguments.repeat)
    shown = measure("tokens shown", arguments.tokens, show_sentence, arguments.repeat)
    print(f"convert_ratio: {converted:.2f}")
    print(f"show_ratio: {shown:.2f}")


def measure(title: str, count: int, run: Callable[[int], float], repeat: int) -> float:
    """Print the seconds for ``count`` and for half of it; return their ratio."""
    half, whole = (min(run(length) for _ in range(repeat)) for length in (count // 2, count))
    print(f"{count // 2:,} {title}: {half:.2f} s; {count:,}: {whole:.2f} s")
    return whole / half


def read_chain(bunsetsu: int) -> float:
    """Convert one sentence; return the seconds."""
    lines = ["# S-ID:950101001-001 KNP:96/10/19 MOD:98/05/06"]
    for number in range(bunsetsu):
        lines += [f"* {number} {number - 1}D", f"語{number} ご * 名詞 普通名詞 * * _"]
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "dat/ntc/knp/950101-0001-950101001.ntc"
        file.parent.mkdir(parents=True)
        file.write_text("\n".join([*lines, "EOS", ""]), encoding="euc-jp")
        start = time.process_time()
        convert(Path(name), Path(name) / "out", reading("ntc"))
        return time.process_time() - start


def show_sentence(tokens: int) -> float:
    """Print one sentence; return the seconds."""
    words = [Token(f"語{number}", "", "", "*") for number in range(tokens)]
    sentence = Sentence("s", 0, words, list(range(tokens)), [*range(1, tokens), -1], [], "d")
    shown = Shown(sentence, [ShownPredicate(token, None, []) for token in range(0, tokens, 100)])
    start = time.process_time()
    print_sentences([shown], Console(file=io.StringIO(), highlight=False))
    return time.process_time() - start


if __name__ == "__main__":
    main()
