"""A results folder made up for the report: a random corpus, and systems of known skill on each split."""

import csv
import shutil
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from zarpipe.cli import main
from zarpipe.config import SPLITS, CdaConfig
from zarpipe.evaluate.evaluation import evaluate_files
from zarpipe.files import write_json
from zarpipe.formats.corpus import CORPUS_SCHEMA, read_corpus, read_instances
from zarpipe.formats.variant import write_variant
from zarpipe.report.folder import ResultsFolder
from zarpipe.study.grid import parse_variant, table4_methods, table5_methods, table7_methods
from zarpipe.task.cases import CASES
from zarpipe.task.relations import relation
from zarpipe.task.thresholds import candidates

BUNSETSU = [0, 0, 1, 1, 2, 2, 3, 3]
HEADS = [1, 3, 3, -1]
POS = ["名詞", "助詞", "動詞", "特殊", "動詞", "名詞", "動詞", "特殊"]
# What a page must show as text.
HOSTILE_WORDS = ["<script>alert(1)</script>", '"', "学生", "&amp;", "食べ", "'onclick='x", "運ん", "\u3000"]


@dataclass
class MadeStudy:
    """Writes files of a results folder."""

    folder: ResultsFolder

    def corpus(self, split, sentences, seed=0, words=None):
        """Sentences of four bunsetsu with two predicates (tokens 4 and 6) and random arguments elsewhere."""
        rng = np.random.default_rng(seed)
        words = words or [f"語{number}" for number in range(8)]
        rows = [self._sentence(f"{split}-{number}", rng, words) for number in range(sentences)]
        path = self.folder.corpus(split)
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows, schema=CORPUS_SCHEMA), path)

    def run(self, recipe, seed, split, skill):
        """A system that finds each gold argument with probability `skill`, and its scores."""
        corpus = self.folder.corpus(split)
        instances = read_instances(corpus)
        rng = np.random.default_rng([seed, *recipe.encode(), *split.encode()])
        probabilities = rng.uniform(0, 0.1, (int(instances.offsets[-1]), 4)).astype(np.float32)
        found = instances.gold & (rng.random(instances.gold.shape) < skill)
        probabilities[:, :3][found] = rng.uniform(0.5, 0.9, found.sum())
        wrong = rng.random(len(instances)) < 0.2
        probabilities[instances.offsets[:-1][wrong], 0] = 0.95
        self.write_probabilities(recipe, seed, split, probabilities, instances.offsets)
        decided = candidates(probabilities, instances.offsets).decide(dict.fromkeys(CASES, 0.3))
        decisions = self.folder.decisions(recipe, seed, split)
        sent_ids = read_corpus(corpus, ["sent_id"])["sent_id"].to_pylist()
        self._write_decisions(decisions, decided, instances, sent_ids)
        evaluate_files(corpus, [decisions], [self.folder.scores(recipe, seed, split)])

    def write_probabilities(self, recipe, seed, split, probabilities, offsets):
        path = self.folder.probabilities(recipe, seed, split)
        path.parent.mkdir(parents=True, exist_ok=True)
        with h5py.File(path, "w") as file:
            file["probabilities"], file["offsets"] = probabilities, offsets
            file.attrs["provenance"] = "{}"

    def scores(self, recipe, seed, zar, dep=0.9, both=0.8, split="dev"):
        """A scores file with these F1 values (fractions)."""
        of_category = {"ZAR": zar, "DEP": dep, "ALL": both}
        content = {
            category: {case: {"f1": f1 / 2} for case in CASES} | {"ALL": {"f1": f1}}
            for category, f1 in of_category.items()
        }
        write_json(self.folder.scores(recipe, seed, split), content)

    def tagger(self, recipe, seed, epochs=3):
        folder = self.folder.tagger(recipe, seed)
        folder.mkdir(parents=True)
        for name in ("tagger.safetensors", "thresholds.json"):
            (folder / name).write_text(f"{recipe} {seed} {name}")
        lines = [f"{epoch},{10 / epoch},{0.1 * epoch}" for epoch in range(1, epochs + 1)]
        (folder / "history.csv").write_text("\n".join(["epoch,loss,dev_f1", *lines]) + "\n")

    def variant(self, name):
        """A masking variant that masks as many of the first tokens of each instance as its alpha says."""
        instances = read_instances(self.folder.corpus("train"))
        each = round(8 * float(parse_variant(name).alpha)) - 2 * name.startswith("masking-verb")
        masked = np.tile(np.arange(each), len(instances))
        offsets = np.arange(len(instances) + 1) * each
        sent_ids = read_corpus(self.folder.corpus("train"), ["sent_id"])["sent_id"].to_pylist()
        self.folder.variant(name).parent.mkdir(parents=True, exist_ok=True)
        write_variant(
            self.folder.variant(name),
            [sent_ids[row] for row in instances.sentence],
            instances.predicate,
            offsets,
            masked,
            "",
        )

    def copy(self, name):
        """The same folder under another name."""
        target = self.folder.path.with_name(name)
        shutil.copytree(self.folder.path, target)
        return MadeStudy(ResultsFolder(target))

    @staticmethod
    def _sentence(sent_id, rng, words):
        predicates = []
        for token in (4, 6):
            cases = [case for case in CASES if rng.random() < 0.6]
            elsewhere = [place for place in range(8) if BUNSETSU[place] != BUNSETSU[token]]
            places = rng.choice(elsewhere, len(cases), replace=False).tolist()
            arguments = [
                {
                    "case": case,
                    "token": place,
                    "relation": relation(BUNSETSU[token], BUNSETSU[place], HEADS),
                }
                for case, place in zip(cases, places, strict=True)
            ]
            predicates.append({"token": token, "alt": None, "arguments": arguments})
        return {
            "doc_id": "made",
            "sent_id": sent_id,
            "tokens": words,
            "lemmas": words,
            "pos": POS,
            "pos_sub": ["*"] * 8,
            "bunsetsu": BUNSETSU,
            "heads": HEADS,
            "predicates": predicates,
        }

    @staticmethod
    def _write_decisions(path, decided, instances, sent_ids):
        instance, case = np.nonzero(decided >= 0)
        table = pa.table(
            {
                "sent_id": [sent_ids[row] for row in instances.sentence[instance]],
                "predicate": instances.predicate[instance],
                "case": np.array(CASES)[case].tolist(),
                "token": decided[instance, case],
                "probability": np.full(len(instance), 0.5),
            }
        )
        pq.write_table(table, path)


@pytest.fixture
def study(tmp_path) -> MadeStudy:
    return MadeStudy(ResultsFolder(tmp_path / "results"))


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(name="read_csv")
def _read_csv():
    return read_csv


ALPHAS = ("0.3", "0.5")
SEEDS = ("1", "2", "3")
POS_SETS = ("all", "verb", "all_but_verb", "all_but_noun")


@pytest.fixture(scope="session")
def whole_study(tmp_path_factory) -> ResultsFolder:
    """A results folder with everything but the pages, by the commands that the workflow calls."""
    made = MadeStudy(ResultsFolder(tmp_path_factory.mktemp("whole") / "results"))
    for place, split in enumerate(SPLITS):
        made.corpus(split, 60, place, HOSTILE_WORDS if split == "dev" else None)
    methods = table4_methods(ALPHAS, CdaConfig()) | table5_methods(ALPHAS, POS_SETS) | table7_methods(ALPHAS)
    recipes = list(dict.fromkeys(recipe for of_method in methods.values() for recipe in of_method))
    for place, recipe in enumerate(recipes):
        for seed in map(int, SEEDS):
            if recipe.startswith("masking-"):  # the examples read what these decided
                made.run(recipe, seed, "dev", 0.5 + 0.01 * place)
            else:
                made.scores(recipe, seed, zar=0.55 + 0.002 * place + 0.01 * seed)
            made.tagger(recipe, seed, epochs=4 + seed)
    for recipe in recipes:
        if recipe.startswith("masking-"):
            made.variant(recipe)
    folder = str(made.folder.path)
    grid = ["--alphas", *ALPHAS, "--seeds", *SEEDS]
    pos_sets = ["--pos-sets", *POS_SETS]
    report(folder, "table3", ["--mlm", "tiny", "--seeds", *SEEDS, "--published"], results=False)
    for name, more in (("table4", []), ("table5", pos_sets), ("table7", [])):
        report(folder, name, [*grid, *more, "--published"])
    report(folder, "figure3", [*grid, *pos_sets])
    report(folder, "choose", [*grid, *pos_sets], "chosen.json")
    for recipe, skill in (("baseline", 0.5), ("chosen-cda", 0.6), ("chosen-masking", 0.75)):
        for seed in map(int, SEEDS):
            for split in ("dev", "test"):
                made.run(recipe, seed, split, skill)
    chosen = ["--chosen", f"{folder}/chosen.json", "--seeds", *SEEDS]
    report(folder, "table6", [*chosen, "--published"])
    report(folder, "significance", [*chosen, "--permutations", "200"])
    tables = [f"--output-table{number}={folder}/table{number}.csv" for number in (1, 2)]
    assert main(["count", f"{folder}/corpus", *tables, "--published"]) == 0
    return made.folder


def report(folder, name, arguments, output=None, results=True):
    of_folder = ["--results", folder] if results else []
    target = f"{folder}/{output or name + '.csv'}"
    assert main(["report", name, *of_folder, *arguments, "--output", target]) == 0
