"""How long the smallest encode job and the smallest train job take, beside those of another revision.

    python benchmarks/startup.py [--revision 1a68b34 | --beside FOLDER] [--repeat 5]

A job on some sentences, with a model of one layer, is all start: imports, loading, checks, writing. The other
revision is checked out into a temporary worktree, or lies in FOLDER already. It runs in turn with this one,
on files of its own, so that a change of the machine's speed meets both. Times are the processor's, user and
system together, of one thread; the best of the repetitions counts. The last lines are those of this revision
in seconds, with the other's behind them.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_CORPUS = ROOT / "src/zarpipe/sample/corpus"
_LIMITS = ("--limit-train", "2", "--limit-dev", "1", "--limit-test", "1")
_SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--revision", default="1a68b34", help="to compare with (default: %(default)s)")
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="a checkout to compare with instead")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions (default: %(default)s)")
    arguments = parser.parse_args()
    beside = arguments.beside and contextlib.nullcontext(arguments.beside)
    with (
        tempfile.TemporaryDirectory() as name,
        beside or checkout(arguments.revision, Path(name) / "other") as other,
    ):
        mlm = make_mlm(Path(name) / "mlm")
        here, there = (Jobs(source, Path(name) / files, mlm) for source, files in ((ROOT, "a"), (other, "b")))
        seconds: dict[str, list[tuple[float, float]]] = {"encode": [], "train": []}
        for _ in range(arguments.repeat):
            for kind, times in seconds.items():
                times.append((here.run(kind), there.run(kind)))
    for kind, times in seconds.items():
        own, others = (min(column) for column in zip(*times, strict=True))
        print(f"{kind}_s: {own:.2f} ({arguments.beside or arguments.revision}: {others:.2f})")


@contextlib.contextmanager
def checkout(revision: str, folder: Path) -> Iterator[Path]:
    """Check a revision out beside the working tree, for a while."""
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), revision], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def make_mlm(folder: Path) -> Path:
    """Write a BERT of one layer, which knows no character, with random weights."""
    from tokenizers import Tokenizer, models, processors
    from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

    names = dict(zip(("pad", "unk", "cls", "sep", "mask"), _SPECIALS, strict=True))
    vocabulary = {entry: number for number, entry in enumerate([*_SPECIALS, "a"])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=names["unk"]))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(one, vocabulary[one]) for one in ("[CLS]", "[SEP]")]
    )
    special = {f"{name}_token": entry for name, entry in names.items()}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 32}
    BertForMaskedLM(BertConfig(vocab_size=len(vocabulary), **sizes)).save_pretrained(folder)
    return folder


class Jobs:
    """The two jobs of one revision, on files that it makes itself.

    Args:
        source: its checkout.
        folder: for its files.
        mlm: the model.
    """

    def __init__(self, source: Path, folder: Path, mlm: Path) -> None:
        self._environment = {
            **os.environ,
            "PYTHONPATH": str(source / "src"),
            "OMP_NUM_THREADS": "1",
            "HF_HUB_OFFLINE": "1",
        }
        self._folder, self._mlm = folder, mlm
        folder.mkdir()
        self._zarpipe("convert", _CORPUS, "--format", "ntc", *_LIMITS, "--output", folder / "corpus")
        for split in ("train", "dev"):
            self._encode(split, f"{split}.h5")

    def run(self, kind: str) -> float:
        """Run a job; return its processor seconds."""
        before = _children_seconds()
        if kind == "encode":
            self._encode("dev", "again.h5")
        else:
            self._train()
        return _children_seconds() - before

    def _encode(self, split: str, output: str) -> None:
        corpus = self._folder / f"corpus/{split}.parquet"
        files = ["--mlm", self._mlm, "--output", self._folder / output]
        self._zarpipe("encode", corpus, "--device", "cpu", *files)

    def _train(self) -> None:
        corpus, features = self._folder / "corpus", self._folder
        self._zarpipe(
            *("train", "--corpus", corpus / "train.parquet", "--features", features / "train.h5"),
            *("--dev-corpus", corpus / "dev.parquet", "--dev-features", features / "dev.h5"),
            *("--output", self._folder / "tagger", "--seed", "1", "--epochs", "1", "--layers", "1"),
            *("--hidden-size", "8", "--device", "cpu"),
        )

    def _zarpipe(self, *words: object) -> None:
        command = [sys.executable, "-m", "zarpipe", *map(str, words)]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr)


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
