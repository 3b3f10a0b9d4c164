"""Flips bits in the files of a finished study, and exchanges files, and runs the study's own commands on them.

    python tests/flips.py RESULTS [--flips 1000] [--seed 1] [--without-seals]

RESULTS is a results folder with tables, figures and pages; it is copied. A damage is *noticed* when the command
that reads the file ends with a message, *harmless* when what it writes is the same as from the sound file, and
*silent* when something else is written. Prints the numbers by kind of file; ends with status 1 if anything was
silent, or ended in a traceback. With ``--without-seals`` the copy has no seals, as files that were made by the
commands alone.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from zarpipe.seals import FOLDER

from zarpipe.cli import main as zarpipe
from zarpipe.files import read_json, write_json
from zarpipe.sample import MODEL

Command = Callable[[Path, Path, re.Match[str]], list[str]]
OUTCOMES = ("noticed", "harmless", "silent", "traceback")
_SECONDS = 300


def _augment(results: Path, out: Path, _: re.Match[str]) -> list[str]:
    how = ["--method", "masking", "--pos-set", "all", "--alpha", "0.5"]
    return ["augment", f"{results}/corpus/train.parquet", *how, "--output", f"{out}/variant.parquet"]


def _encode(results: Path, out: Path, found: re.Match[str]) -> list[str]:
    variant = ["--variant", f"{results}/variants/{found['name']}.parquet"]
    mlm = ["--mlm", str(MODEL)]
    return ["encode", f"{results}/corpus/train.parquet", *mlm, *variant, "--output", f"{out}/variant.h5"]


def _train(results: Path, out: Path, found: re.Match[str]) -> list[str]:
    train = ["--corpus", f"{results}/corpus/train.parquet", "--features", f"{results}/features/train.h5"]
    dev = ["--dev-corpus", f"{results}/corpus/dev.parquet", "--dev-features", f"{results}/features/dev.h5"]
    name = found.groupdict().get("name")
    more = ["--variant-features", f"{results}/features/{name}.h5"] if name else []
    sizes = ["--layers", "1", "--hidden-size", "4", "--epochs", "1", "--seed", "1"]
    return ["train", *train, *dev, *more, *sizes, "--output", f"{out}/tagger"]


def _predict(results: Path, out: Path, found: re.Match[str]) -> list[str]:
    groups = {"tagger": "baseline/seed1", "split": "dev"} | found.groupdict()
    files = ["--corpus", f"{results}/corpus/{groups['split']}.parquet"]
    files += ["--features", f"{results}/features/{groups['split']}.h5"]
    return [
        "predict",
        "--tagger",
        f"{results}/taggers/{groups['tagger']}",
        *files,
        "--output",
        f"{out}/p.parquet",
    ]


def _evaluate(results: Path, out: Path, found: re.Match[str]) -> list[str]:
    groups = {"tagger": "baseline/seed1"} | found.groupdict()
    predictions = f"{results}/predictions/{groups['tagger']}/{groups['split']}.parquet"
    corpus = f"{results}/corpus/{groups['split']}.parquet"
    return ["evaluate", "--corpus", corpus, "--predictions", predictions, "--output", f"{out}/scores.json"]


def _report(name: str, ending: str = ".csv") -> Command:
    def command(results: Path, out: Path, found: re.Match[str]) -> list[str]:
        recipe = found.groupdict().get("recipe")
        more = ["--recipe", recipe] if recipe else []
        return ["report", name, "--results", str(results), *more, "--output", f"{out}/{name}{ending}"]

    return command


_TAGGER = r"(?P<tagger>[^/]+/seed\d+)"
_SPLIT = "(?P<split>train|dev|test)"
_ON_TEST = r"(baseline|chosen-\w+)"
# Kind of file -> pattern of its path below the results folder, and the command that reads it.
KINDS: dict[str, tuple[str, Command]] = {
    "model manifest": (r"mlm/manifest\.json", _report("index", ".html")),
    "training corpus": (r"corpus/train\.parquet", _augment),
    "corpus": (r"corpus/(?P<split>dev|test)\.parquet", _evaluate),
    "variant": (r"variants/(?P<name>.+)\.parquet", _encode),
    "features": (r"features/(?P<split>dev|test)\.(h5|json)", _predict),
    "training features": (r"features/train\.(h5|json)", _train),
    "variant features": (r"features/(?P<name>(masking|cda)-.+)\.(h5|json)", _train),
    "tagger": (rf"taggers/{_TAGGER}/(tagger\.safetensors|thresholds\.json)", _predict),
    "history": (r"taggers/(?P<recipe>[^/]+)/seed\d+/history\.csv", _report("learning-curves", ".svg")),
    "decisions": (rf"predictions/{_TAGGER}/{_SPLIT}\.parquet", _evaluate),
    "probabilities": (rf"predictions/{_ON_TEST}/seed\d+/\w+\.probabilities\.h5", _report("table6")),
    "dev scores": (r"scores/(baseline2?x?|\w+-all-[^/]+-?[^/]*)/seed\d+/dev\.json", _report("table4")),
    "test scores": (r"scores/[^/]+/seed\d+/test\.json", _report("table6")),
    "choice": (r"chosen\.json", _report("table6")),
    "study": (r"(study|recipes)\.json", _report("table4")),
    "tables": (r"(table|significance|figure)\w*\.(json|csv|md|tex|svg|pdf)", _report("index", ".html")),
}


@dataclass
class Trial:
    """A copy of a results folder, and what its commands write from its sound files.

    Attributes:
        results: the copy.
        scratch: a folder for what commands write.
        sound: arguments of a command -> the files that it writes.
    """

    results: Path
    scratch: Path
    sound: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def files(self) -> dict[str, list[str]]:
        """Return the files of each kind."""
        names = sorted(
            path.relative_to(self.results).as_posix() for path in self.results.rglob("*") if path.is_file()
        )
        return {
            kind: [name for name in names if re.fullmatch(pattern, name)]
            for kind, (pattern, _) in KINDS.items()
        }

    def learn(self, name: str) -> None:
        """Run the command of a sound file, if it has not been run."""
        key = self._key(name)
        if key not in self.sound:
            status, said, self.sound[key] = self._run(name)
            assert status == 0, said

    def outcome(self, name: str) -> tuple[str, str]:
        """Run the command that reads a file; return what came of it (see OUTCOMES), and its message."""
        status, said, written = self._run(name)
        if status == 0:
            return ("harmless" if written == self.sound[self._key(name)] else "silent"), said
        return ("noticed" if status == 1 else "traceback"), said

    @contextlib.contextmanager
    def changed(self, *names: str) -> Iterator[None]:
        """Let files be changed meanwhile, with their seals."""
        paths = [self.results / name for name in names]
        paths += [self.results / FOLDER / f"{name}.json" for name in names]
        before = {path: path.read_bytes() if path.is_file() else None for path in paths}
        try:
            yield
        finally:
            for path, content in before.items():
                if content is None:
                    path.unlink(missing_ok=True)
                elif path.read_bytes() != content:
                    path.write_bytes(content)

    def _key(self, name: str) -> str:
        return " ".join(self._arguments(name, Path("out")))

    def _arguments(self, name: str, out: Path) -> list[str]:
        for pattern, command in KINDS.values():
            if found := re.fullmatch(pattern, name):
                return command(self.results, out, found)
        raise ValueError(name)

    def _run(self, name: str) -> tuple[int, str, dict[str, bytes]]:
        out = self.scratch / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        status, said = _in_child(self._arguments(name, out), self.scratch / "said.txt")
        written = {
            path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()
        }
        return status, said, written


def _in_child(arguments: list[str], said: Path) -> tuple[int, str]:
    """Run a command of zarpipe in a process of its own, which shares what is imported already."""
    child = os.fork()
    if child == 0:
        signal.alarm(_SECONDS)
        with said.open("w", encoding="utf-8") as stream:
            for descriptor in (1, 2):
                os.dup2(stream.fileno(), descriptor)
            sys.stdout = sys.stderr = stream  # pytest has put others there
            try:
                status = zarpipe(arguments)
            except BaseException:  # a traceback is what is looked for
                traceback.print_exc()
                status = 70
        os._exit(status)
    _, ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended), said.read_text(encoding="utf-8", errors="replace")


def make_trial(results: Path, folder: Path, seals: bool = True) -> Trial:
    """Copy a results folder, and load what all commands need."""
    import h5py  # noqa: F401
    import torch
    import transformers  # noqa: F401

    torch.set_num_threads(1)
    shutil.copytree(results, folder / "results")
    if not seals:
        shutil.rmtree(folder / "results" / FOLDER)
    (folder / "scratch").mkdir()
    return Trial(folder / "results", folder / "scratch")


def flip(trial: Trial, name: str, chance: random.Random) -> tuple[str, str]:
    """Flip one bit of a file; return what came of it."""
    path = trial.results / name
    trial.learn(name)
    with trial.changed(name):
        content = bytearray(path.read_bytes())
        place = chance.randrange(len(content))
        content[place] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
        return trial.outcome(name)


def flip_seal(trial: Trial, name: str, chance: random.Random) -> tuple[str, str]:
    """Flip one bit of a file's seal."""
    trial.learn(name)
    with trial.changed(name):
        path = trial.results / FOLDER / f"{name}.json"
        content = bytearray(path.read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
        return trial.outcome(name)


def flips(trial: Trial, count: int, seed: int) -> Iterator[tuple[str, str, str, str]]:
    """Flip bits, by turns in each kind of file; give kind, file, outcome and message."""
    chance = random.Random(seed)
    kinds = {kind: names for kind, names in trial.files().items() if names}
    sealed = (trial.results / FOLDER).is_dir()
    for number in range(count):
        kind = list(kinds)[number % len(kinds)]
        name = chance.choice(kinds[kind])
        has_seal = sealed and (trial.results / FOLDER / f"{name}.json").is_file()
        # One of ten is a flip in the seal itself.
        if has_seal and number % 10 == 9:
            yield "seal", name, *flip_seal(trial, name, chance)
        else:
            yield kind, name, *flip(trial, name, chance)


@dataclass(frozen=True)
class Swap:
    """A wrong but valid file.

    Attributes:
        what: for people.
        target: the file that is replaced.
        source: the file that takes its place, or what changes the target.
        read_by: the file whose command is run; None: the target.
    """

    what: str
    target: str
    source: str | Callable[[Path], None]
    read_by: str | None = None


def _other_heads(path: Path) -> None:
    """Let the first sentence with three bunsetsu have another tree."""
    table = pq.read_table(path)
    rows = table.to_pylist()
    row = next(row for row in rows if len(row["heads"]) > 2)
    row["heads"] = [len(row["heads"]) - 1] * (len(row["heads"]) - 1) + [-1]
    metadata = {
        key: value
        for key, value in (table.schema.metadata or {}).items()
        if key not in (b"zarpipe.sha256", b"zarpipe.columns")
    }
    relations = _relations(row)
    for predicate in row["predicates"]:
        for argument in predicate["arguments"]:
            argument["relation"] = relations(predicate["token"], argument["token"])
    pq.write_table(pa.Table.from_pylist(rows, table.schema.with_metadata(metadata)), path)


def _relations(row: dict) -> Callable[[int, int], str]:
    from zarpipe.task.relations import relation

    def of(predicate: int, argument: int) -> str:
        bunsetsu = row["bunsetsu"]
        return relation(bunsetsu[predicate], bunsetsu[argument], row["heads"]).name

    return of


def _another_choice(path: Path) -> None:
    content = read_json(path)
    content["masking"]["recipe"] = _OTHER
    write_json(path, content)


def _consistent_scores(path: Path) -> None:
    """Let more decisions be right, in counts and in all that follows from them."""
    from made_scores import scores_with

    write_json(path, {**read_json(path), **scores_with(0.5, 0.25)})


def _command(*arguments: str) -> Callable[[Path], None]:
    """Make the target again with other settings. ``RESULTS`` in an argument is the results folder."""

    def make(path: Path) -> None:
        results = path.parents[1]
        filled = [argument.replace("RESULTS", str(results)) for argument in arguments]
        status, said = _in_child([*filled, "--output", str(path)], results.parent / "made.txt")
        assert status == 0, said

    return make


def _augmented(*how: str) -> Callable[[Path], None]:
    return _command("augment", "RESULTS/corpus/train.parquet", "--method", "masking", *how)


_MASKING, _OTHER = "masking-all-0.5", "masking-verb-0.5"
_CDA = "cda-all-0.5-multi-argmax"
_WAYS = "cda-all_but_verb_symbol-0.5-single"
_BASE = "baseline/seed1"
SWAPS = (
    Swap("variant of another POS set", f"variants/{_MASKING}.parquet", f"variants/{_OTHER}.parquet"),
    Swap(
        "variant with half its masks",
        f"variants/{_MASKING}.parquet",
        _augmented("--pos-set", "all", "--alpha", "0.25"),
    ),
    Swap(
        "variant of another mask seed",
        f"variants/{_MASKING}.parquet",
        _augmented("--pos-set", "all", "--alpha", "0.5", "--seed", "7"),
    ),
    Swap(
        "variant with masks by sentence",
        f"variants/{_MASKING}.parquet",
        _augmented("--pos-set", "all", "--alpha", "0.5", "--draw", "sentence"),
    ),
    Swap("CDA as masking", f"variants/{_MASKING}.parquet", f"variants/{_CDA}.parquet"),
    Swap("masking as CDA", f"variants/{_CDA}.parquet", f"variants/{_MASKING}.parquet"),
    Swap("CDA that samples", f"variants/{_WAYS}-argmax.parquet", f"variants/{_WAYS}-sample.parquet"),
    Swap("features of another variant", f"features/{_MASKING}.h5", f"features/{_OTHER}.h5"),
    Swap("features of CDA", f"features/{_MASKING}.h5", f"features/{_CDA}.h5"),
    Swap("manifest of other features", f"features/{_MASKING}.json", f"features/{_OTHER}.json"),
    Swap("features of a variant as the originals", "features/train.h5", f"features/{_MASKING}.h5"),
    Swap("features of dev as test", "features/test.h5", "features/dev.h5"),
    Swap(
        "originals in another number format",
        "features/train.h5",
        _command(
            *("encode", "RESULTS/corpus/train.parquet", "--mlm", str(MODEL)),
            *("--compute-dtype", "bfloat16"),
        ),
    ),
    Swap("dev corpus with other heads, scored", "corpus/dev.parquet", _other_heads),
    Swap("dev corpus with other heads, decided", "corpus/dev.parquet", _other_heads, "features/dev.h5"),
    Swap(
        "training corpus with other heads, trained", "corpus/train.parquet", _other_heads, "features/train.h5"
    ),
    Swap("training corpus with other heads, masked", "corpus/train.parquet", _other_heads),
    Swap(
        "training corpus with other heads, encoded",
        "corpus/train.parquet",
        _other_heads,
        f"variants/{_MASKING}.parquet",
    ),
    Swap("dev corpus as test", "corpus/test.parquet", "corpus/dev.parquet"),
    Swap(
        "weights of another seed",
        f"taggers/{_BASE}/tagger.safetensors",
        "taggers/baseline/seed2/tagger.safetensors",
    ),
    Swap(
        "weights of another recipe",
        f"taggers/{_BASE}/tagger.safetensors",
        f"taggers/{_MASKING}/seed1/tagger.safetensors",
    ),
    Swap(
        "weights of another chosen recipe",
        "taggers/chosen-masking/seed1/tagger.safetensors",
        "taggers/chosen-cda/seed1/tagger.safetensors",
    ),
    Swap(
        "thresholds of another recipe",
        f"taggers/{_BASE}/thresholds.json",
        f"taggers/{_MASKING}/seed1/thresholds.json",
    ),
    Swap("history of another seed", f"taggers/{_BASE}/history.csv", "taggers/baseline/seed2/history.csv"),
    Swap(
        "history of another recipe", f"taggers/{_BASE}/history.csv", f"taggers/{_MASKING}/seed1/history.csv"
    ),
    Swap(
        "decisions of another seed",
        f"predictions/{_BASE}/test.parquet",
        "predictions/baseline/seed2/test.parquet",
    ),
    Swap(
        "decisions of another recipe",
        f"predictions/{_BASE}/test.parquet",
        "predictions/chosen-masking/seed1/test.parquet",
    ),
    Swap("decisions on dev as test", f"predictions/{_BASE}/test.parquet", f"predictions/{_BASE}/dev.parquet"),
    Swap(
        "probabilities of another seed",
        f"predictions/{_BASE}/test.probabilities.h5",
        "predictions/baseline/seed2/test.probabilities.h5",
    ),
    Swap(
        "probabilities of another recipe",
        f"predictions/{_BASE}/test.probabilities.h5",
        "predictions/chosen-cda/seed1/test.probabilities.h5",
    ),
    Swap(
        "probabilities on dev as test",
        f"predictions/{_BASE}/test.probabilities.h5",
        f"predictions/{_BASE}/dev.probabilities.h5",
    ),
    Swap("scores of another seed", f"scores/{_BASE}/dev.json", "scores/baseline/seed2/dev.json"),
    Swap("scores of another recipe", f"scores/{_BASE}/dev.json", f"scores/{_MASKING}/seed1/dev.json"),
    Swap("dev scores as test", f"scores/{_BASE}/test.json", f"scores/{_BASE}/dev.json"),
    Swap("scores with other counts", f"scores/{_BASE}/dev.json", _consistent_scores),
    Swap("an edited choice", "chosen.json", _another_choice),
)


def swap(trial: Trial, what: Swap, with_seal: bool = False) -> tuple[str, str]:
    """Put a wrong file in the place of a right one, perhaps with its seal; return what came of it."""
    reader = what.read_by or what.target
    trial.learn(reader)
    extra = [what.target.replace(".h5", ".json")] if what.target.endswith(".h5") else []
    with trial.changed(what.target, *extra):
        path = trial.results / what.target
        if callable(what.source):
            what.source(path)
        else:
            shutil.copyfile(trial.results / what.source, path)
            if with_seal:
                seals = trial.results / FOLDER
                shutil.copyfile(seals / f"{what.source}.json", seals / f"{what.target}.json")
        return trial.outcome(reader)


def _counted(rows: Sequence[tuple[str, str]]) -> None:
    """Print how often each kind came to what."""
    by_kind: dict[str, Counter[str]] = {}
    for kind, outcome in rows:
        by_kind.setdefault(kind, Counter())[outcome] += 1
    total = sum(by_kind.values(), Counter[str]())
    print(f"{'':24}" + "".join(f"{name:>10}" for name in OUTCOMES))
    for kind, counts in [*by_kind.items(), ("all", total)]:
        print(f"{kind:24}" + "".join(f"{counts[name]:>10}" for name in OUTCOMES), flush=True)


def main() -> int:
    """Run flips and swaps; return 1 if anything was silent or ended in a traceback."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, metavar="RESULTS")
    parser.add_argument("--flips", type=int, default=1000, help="how many bits (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="decides which (default: %(default)s)")
    parser.add_argument("--without-seals", action="store_true", help="what the formats notice by themselves")
    arguments = parser.parse_args()
    rows: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory(prefix="flips-") as folder:
        trial = make_trial(arguments.results, Path(folder), not arguments.without_seals)
        for kind, name, outcome, said in flips(trial, arguments.flips, arguments.seed):
            rows.append((kind, outcome))
            if outcome in ("silent", "traceback"):
                print(f"{outcome}: {name}: {said[-1500:]}", flush=True)
        for what in SWAPS:
            outcome, said = swap(trial, what)
            rows.append(("swap", outcome))
            if outcome != "noticed":
                print(f"{outcome}: {what.what}: {said[-500:]}", flush=True)
    _counted(rows)
    return int(any(outcome in ("silent", "traceback") for _, outcome in rows))


if __name__ == "__main__":
    sys.exit(main())
