"""A results folder made up for the report: a random corpus, and systems of known skill on each split."""

import csv
import itertools
import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_scores import scores_with_f1
from made_study import made_study
from playwright.sync_api import sync_playwright
from tiny_corpora import row, write_rows

from zarpipe.cli import main
from zarpipe.config import SPLITS, Config
from zarpipe.evaluate.evaluation import evaluate_files
from zarpipe.files import write_json
from zarpipe.formats.corpus import read_corpus, read_instances
from zarpipe.formats.predictions import COLUMNS
from zarpipe.formats.probabilities import write_probabilities
from zarpipe.formats.tagger import TAGGER_FILES
from zarpipe.formats.variant import write_variant
from zarpipe.report.pages import antecedents_sheet, examples, index
from zarpipe.report.tables import TABLES, files, job, wanted_tables
from zarpipe.study.grid import recipes_in
from zarpipe.study.recipe import Recipe
from zarpipe.study.study import Study
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.thresholds import candidates

BUNSETSU = [0, 0, 1, 1, 2, 2, 3, 3]
HEADS = [1, 3, 3, -1]
POS = ["名詞", "助詞", "動詞", "特殊", "動詞", "名詞", "動詞", "特殊"]
# What a page must show as text.
HOSTILE_WORDS = ["<script>alert(1)</script>", '"', "学生", "&amp;", "食べ", "'onclick='x", "運ん", "\u3000"]


_METHODS = {
    kind: f"{kind}_of" for kind in ("scores", "decisions", "probabilities", "history", "segmentation_scores")
}


class MadeStudy:
    """Writes files of a results folder; recipes are given by their names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.configure()

    def configure(self, **sections) -> Study:
        """Give the study another configuration, without the paper's numbers if not asked for."""
        sections.setdefault("report", {})
        sections["report"] = {"published": False} | sections["report"]
        self.study = made_study(Config.model_validate(sections), self.folder)
        return self.study

    def path(self, kind, *of):
        """A file of a job, its folder made: ``path("scores", "baseline", 1, "dev")``."""
        study = self.study
        if kind == "corpus":
            path = Path(study.jobs.corpus(*of))
        elif kind == "tagger":
            name, seed = of
            path = Path(study.jobs.tagger(study.recipe(name), seed))
        elif kind == "held_out":
            decided, seed = of
            path = Path(study.held_out(decided)[study.jobs.held_out_seeds().index(seed)].path)
        else:
            path = Path(getattr(study, _METHODS.get(kind, kind))(*of).path)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def output(self, name):
        """Where a file that people find in the results folder was made."""
        path = self._outputs().get(name, self.folder / name)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _outputs(self):
        modules = [*wanted_tables(self.study).values(), index, examples, antecedents_sheet]
        made = {
            file: Path(job(module, self.study).path(file)) for module in modules for file in files(module)
        }
        return made | {"chosen.json": Path(self.study.chosen().path)}

    def show(self):
        """Copy what was made for people into the results folder, as the workflow does."""
        for name, path in self._outputs().items():
            if path.is_file():
                shutil.copy(path, self.folder / name)

    def report(self, name, output=None, status=0):
        """Run ``zarpipe report NAME`` and return what it wrote."""
        path = self.output(output or f"{name}.csv")
        arguments = ["--results", str(self.folder), "--output", str(path)]
        assert main(["report", name, *arguments]) == status
        return path

    def corpus(self, split, sentences, seed=0, words=None):
        """Documents of three sentences of four bunsetsu with two predicates (tokens 4 and 6), random arguments."""
        rng = np.random.default_rng(seed)
        words = words or [f"語{number}" for number in range(8)]
        rows = [self._sentence(f"{split}-{number}", rng, words) for number in range(sentences)]
        write_rows(self.path("corpus", split), rows)

    def run(self, recipe, seed, split, skill):
        """A system that finds each gold argument with probability `skill`, and its scores."""
        corpus = self.path("corpus", split)
        instances = read_instances(corpus)
        rng = np.random.default_rng([seed, *recipe.encode(), *split.encode()])
        probabilities = rng.uniform(0, 0.1, (int(instances.offsets[-1]), 4)).astype(np.float32)
        found = instances.gold & (rng.random(instances.gold.shape) < skill)
        probabilities[:, :3][found] = rng.uniform(0.5, 0.9, found.sum())
        wrong = rng.random(len(instances)) < 0.2
        probabilities[instances.offsets[:-1][wrong], 0] = 0.95
        self.write_probabilities(recipe, seed, split, probabilities, instances.offsets)
        decided = candidates(probabilities, instances.offsets).decide(dict.fromkeys(CASE_NAMES, 0.3))
        decisions = self.path("decisions", recipe, seed, split)
        sent_ids = read_corpus(corpus, ["sent_id"])["sent_id"].to_pylist()
        self._write_decisions(decisions, decided, instances, sent_ids)
        evaluate_files(corpus, [decisions], [self.path("scores", recipe, seed, split)])

    def runs(self, skills, *splits):
        """Systems of these skills, by recipe, of all seeds."""
        for (recipe, skill), seed, split in itertools.product(skills.items(), self.study.seeds, splits):
            self.run(recipe, seed, split, skill)

    def write_probabilities(self, recipe, seed, split, probabilities, offsets):
        """Probabilities of the cases; what is left to 1 is that of none."""
        of_cases = np.asarray(probabilities, np.float32)[:, :3]
        of_cases = of_cases / np.maximum(of_cases.sum(axis=1, keepdims=True), 1)
        whole = np.concatenate([of_cases, 1 - of_cases.sum(axis=1, keepdims=True)], axis=1)
        path = self.path("probabilities", recipe, seed, split)
        write_probabilities(path, np.clip(whole, 0, 1).astype(np.float32), np.asarray(offsets, np.int64))

    def scores(self, recipe, seed, zar, dep=0.9, both=0.8, split="dev"):
        """A scores file with these F1 values (fractions)."""
        write_json(self.path("scores", recipe, seed, split), scores_with_f1(zar, dep, both))

    def tagger(self, recipe, seed, epochs=3):
        folder = self.path("tagger", recipe, seed)
        folder.mkdir(parents=True)
        for name in TAGGER_FILES[:-1]:
            (folder / name).write_text(f"{recipe} {seed} {name}")
        lines = [f"{epoch},{10 / epoch},{0.1 * epoch}" for epoch in range(1, epochs + 1)]
        (folder / "history.csv").write_text("\n".join(["epoch,loss,dev_f1", *lines]) + "\n")

    def variant(self, recipe: Recipe):
        """A masking variant that masks as many of the first tokens of each instance as its alpha says."""
        corpus = self.path("corpus", "train")
        instances = read_instances(corpus)
        each = round(8 * float(recipe.alpha)) - 2 * (recipe.pos_set == "verb")
        masked = np.tile(np.arange(each), len(instances))
        offsets = np.arange(len(instances) + 1) * each
        sent_ids = read_corpus(corpus, ["sent_id"])["sent_id"].to_pylist()
        path = self.path("variant", recipe.variant)
        names = [sent_ids[row] for row in instances.sentence]
        write_variant(path, names, instances.predicate, offsets, masked, "")

    def copy(self, name):
        """The same folder under another name."""
        target = self.folder.with_name(name)
        shutil.copytree(self.folder, target)
        other = MadeStudy(target)
        other.study = made_study(self.study.config, target)
        return other

    @staticmethod
    def _sentence(sent_id, rng, words):
        predicates = {}
        for token in (4, 6):
            cases = [case for case in CASE_NAMES if rng.random() < 0.6]
            elsewhere = [place for place in range(8) if BUNSETSU[place] != BUNSETSU[token]]
            places = rng.choice(elsewhere, len(cases), replace=False).tolist()
            predicates[token] = list(zip(cases, places, strict=True))
        document = f"made-{int(sent_id.rpartition('-')[2]) // 3}"
        return row(sent_id, words, predicates, BUNSETSU, HEADS, document, POS)

    @staticmethod
    def _write_decisions(path, decided, instances, sent_ids):
        instance, case = np.nonzero(decided >= 0)
        names = [sent_ids[row] for row in instances.sentence[instance]]
        columns = [names, instances.predicate[instance], np.array(CASE_NAMES)[case].tolist()]
        columns += [decided[instance, case], np.full(len(instance), 0.5)]
        pq.write_table(pa.table(dict(zip(COLUMNS, columns, strict=True))), path)


@pytest.fixture
def made(tmp_path) -> MadeStudy:
    return MadeStudy(tmp_path / "results")


@pytest.fixture(scope="session")
def make_study(tmp_path_factory):
    """Make an empty results folder, for what several tests of a module share."""
    return lambda name: MadeStudy(tmp_path_factory.mktemp(name) / "results")


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(name="read_csv")
def _read_csv():
    return read_csv


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
ARGUMENTS = [*ARGUMENTS.split(), "--disable-component-update", "--disable-sync"]

WHOLE = {
    "augmentation": {"alphas": [0.3, 0.5], "pos_sets": ["all", "verb", "all_but_verb", "all_but_noun"]},
    "training": {"seeds": [1, 2, 3]},
    "report": {"published": True, "permutations": 200},
}


@pytest.fixture(scope="session")
def whole_study(tmp_path_factory) -> MadeStudy:
    """A results folder with everything but the pages, by the commands that the workflow calls."""
    made = MadeStudy(tmp_path_factory.mktemp("whole") / "results")
    study = made.configure(**WHOLE)
    for number, split in enumerate(SPLITS):
        made.corpus(split, 60, number, HOSTILE_WORDS if split == "dev" else None)
    shown = recipes_in(study.grid.figure4())
    for number, recipe in enumerate(study.grid.recipes()):
        for seed in study.seeds:
            if recipe in shown:  # the examples read what these decided
                made.run(recipe.name, seed, "dev", 0.5 + 0.01 * number)
            else:
                made.scores(recipe.name, seed, zar=0.55 + 0.002 * number + 0.01 * seed)
            made.tagger(recipe.name, seed, epochs=4 + seed)
        if recipe.method == "masking":
            made.variant(recipe)
    made.report("choose", "chosen.json")
    names = ("baseline", "baseline2x", *study.grid.chosen())
    made.runs(dict(zip(names, (0.5, 0.5, 0.6, 0.75), strict=True)), "dev", "test")
    for name in wanted_tables(study):
        made.report(name)
    configured = {"architectures", "models", "policies", "named_recipes", "learning_curve", "antecedents"}
    configured |= {"filtered", "segmentation"}
    assert set(wanted_tables(study)) == set(TABLES) - configured
    return made


@pytest.fixture(scope="session")
def pages(whole_study, tiny_mlm):
    """The folder of the whole study with both pages."""
    folder = whole_study.folder
    options = ["--mlm", str(tiny_mlm("bert-ja")), "--output", str(whole_study.output("examples.html"))]
    assert main(["report", "examples", "--results", str(folder), *options]) == 0
    whole_study.report("index", "index.html")
    whole_study.show()
    return folder


# Not longer than this module: an open browser's event loop is in the way of Snakemake's in the same process.
@pytest.fixture(scope="module")
def browser():
    """Chromium without a window; with CI=true its absence fails the tests, elsewhere they are skipped."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        message = "needs Chromium (Debian: apt-get install chromium fonts-noto-cjk)"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        # A profile folder of its own, empty, is made and removed by playwright.
        opened = playwright.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
        yield opened
        opened.close()
