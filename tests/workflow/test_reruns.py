"""Exact reruns: which folders of jobs are other ones after a change, and what Snakemake then runs."""

import contextlib
from pathlib import Path

import pytest
import yaml
from workflow.rerun_table import CONFIGURED, EMBEDDED, MLM, MLM_RUNS, TABLE, TRAINING, VARIANTS, overlay

from workflow import rerun_table
from zarpipe.config.files import load_config
from zarpipe.study import code
from zarpipe.study.jobs import Job, with_all_they_read
from zarpipe.study.study import Study
from zarpipe.workflow import Workflow

PROJECT = Path(__file__).resolve().parents[2]
TINY = Path(__file__).parent / "tiny.yaml"
CORPUS_AND_MODEL = {
    **dict.fromkeys(("knp/a.knp", "knp/a.ntc", "moved_corpus/a.knp", "corpus/950101-0002-1.ntc"), "EOS\n"),
    **{"other_corpus/a.knp": "# S-ID:1\nEOS\n", "other_corpus/a.ntc": "EOS\nEOS\n"},
    **{f"{ids}/{split}.id": "a\n" for ids in ("ids", "moved_ids") for split in ("train", "dev", "test")},
    **{f"other_ids/{split}.id": "b\n" for split in ("train", "dev", "test")},
    **{f"{mlm}/config.json": "{}" for mlm in ("own_model", "moved_model", "model")},
    **{f"{mlm}/model.safetensors": "{}" for mlm in ("own_model", "moved_model", "model", "other_model")},
    "other_model/config.json": "{ }",
    "configured.yaml": (
        "results: configured\nmlm: {path: own_model}\n"
        "corpus: {format: knp, path: knp, split: ids, ids: ids}\n"
    ),
}
ROWS = [(key, row) for key, rows in TABLE.items() for row in rows]


class Folders:
    """The folders of the jobs of `all`, of a study with some keys changed; nothing is run.

    Args:
        folder: for the files that the rows name.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in CORPUS_AND_MODEL.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")

    def jobs(
        self, change: str = "", study: str = EMBEDDED, base: Path = PROJECT / "config.yaml"
    ) -> list[Job]:
        """Return the jobs of a study."""
        (self.folder / "overlay.yaml").write_text(change, encoding="utf-8")
        own = [Path("configured.yaml")] if study == CONFIGURED else []
        with contextlib.chdir(self.folder):
            config = load_config([base, TINY, *own, Path("overlay.yaml")], {})
            made = Workflow(Study(config), main=False)
            shown = [one.job for one in (*made.shown.values(), *made.curves.values())]
            jobs = list(with_all_they_read(shown).values())
            assert all(job.key for job in jobs)
        return jobs

    def new(self, change: str, study: str = EMBEDDED) -> list[Job]:
        """Return the jobs whose folder is none of the unchanged study's."""
        before = {job.folder for job in self.jobs("", study)}
        return [job for job in self.jobs(change, study) if job.folder not in before]

    def new_rules(self, change: str, study: str = EMBEDDED) -> set[str]:
        """Return what makes them, as the table names it."""
        return {label(job) for job in self.new(change, study)}


def label(job: Job) -> str:
    """Return the rule of a job, or the table, figure or page."""
    return job.name.split("/")[0] if job.rule == "report" else job.rule


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> Folders:
    return Folders(tmp_path_factory.mktemp("folders"))


def test_the_table_is_whole_and_the_page_says_it(folders, project):
    assert sorted(TABLE) == sorted(rerun_table.configuration_keys())
    assert {label(job) for job in folders.jobs()} == set(rerun_table.RULES)
    assert (project / "docs/reruns.md").read_text(encoding="utf-8") == rerun_table.page(), (
        "docs/reruns.md is out of date: python tests/workflow/rerun_table.py docs/reruns.md"
    )


@pytest.mark.parametrize(("key", "row"), ROWS, ids=[f"{key}={row.value}-{row.study}" for key, row in ROWS])
def test_a_key_leads_to_other_folders_of_what_depends_on_it(folders, key, row):
    assert folders.new_rules(overlay(key, row.value), row.study) == set(row.reruns)


def names(jobs: list[Job], rule: str) -> list[str]:
    return [job.name for job in jobs if job.rule == rule]


def test_what_is_added_has_jobs_of_its_own_and_what_was_there_stays(folders):
    alpha = folders.new("augmentation: {alphas: [0.5, 0.3]}")
    # masking: all, verb, all_but_verb (the examples'); CDA: that of Table 4, and the four ways of Table 7
    assert len(names(alpha, "augment")) == len(names(alpha, "encode_variant")) == 3 + 5
    assert len(names(alpha, "train")) == 8 * 2
    of_variants = [job.name for job in alpha if job.rule in ("augment", "encode_variant", "train")]
    assert all("-0.3" in name for name in of_variants)
    seed = names(folders.new("training: {seeds: [1, 2, 3]}"), "train")
    assert len(seed) == 10
    assert all(name.endswith("/seed3") for name in seed)
    masks = names(folders.new("mlm: {path: model}"), "augment")
    assert masks
    assert all(name.startswith("cda-") for name in masks)
    trained = names(folders.new("augmentation: {seed: 2}"), "train")
    assert trained
    assert not [name for name in trained if name.startswith("baseline")]


@pytest.mark.parametrize(
    "text",
    [
        "# only a comment",
        "training: {learning_rate: 3.0e-3, epsilon: '1e-8', seeds: [1, 2, 2]}",
        "augmentation: {pos_sets: [all], alphas: ['0.50']}",
        "corpus: {split: taira, path: null, limit: {train: 6}}",
        "report: {published: off, seed: 1.0}",
    ],
)
def test_another_spelling_changes_nothing(folders, text):
    assert [job.id for job in folders.new(text)] == []


def test_reordered_keys_and_a_default_that_moves_change_nothing(folders, tmp_path):
    """The tiny study names the tagger's layers and size itself."""
    values = yaml.safe_load((PROJECT / "config.yaml").read_text(encoding="utf-8"))
    del values["tagger"]
    turned = {
        key: dict(reversed(v.items())) if isinstance(v, dict) else v for key, v in reversed(values.items())
    }
    (tmp_path / "turned.yaml").write_text(yaml.safe_dump(turned, sort_keys=False), encoding="utf-8")
    turned_jobs = folders.jobs(base=tmp_path / "turned.yaml")
    assert {job.folder for job in turned_jobs} == {job.folder for job in folders.jobs()}


NOTHING: frozenset[str] = frozenset()
EDITS = {
    "report.tables.counts": {"table1", "table2", "index"},
    "augment.masking": set(VARIANTS) - {"study"},
    "augment.cda": set(VARIANTS) - {"table5", "figure3", "examples"},
    "encode.encoder": set(MLM_RUNS) - {"augment"},
    "mlm.loading": set(MLM),
    # Which layers "mean 9-12" names decides hidden states; a threshold decides none.
    "layers": set(MLM_RUNS) - {"augment"},
    "task.thresholds": set(TRAINING),
    "tagger.loop": set(TRAINING),
    "tagger.predict": set(TRAINING) - {"train"},
    "evaluate.evaluation": set(TRAINING) - {"train"},
    "report.tables.dev": {"table4", "table5", "table7"},
    "report.figures.figure3": {"figure3"},
    "report.pages.examples": {"examples"},
    "report.pages.index": {"index"},
    # The command line's own texts, and what only reports progress, change no output.
    **dict.fromkeys(("encode.commands", "progress", "config", "study.dry_run", "study.study"), NOTHING),
}


@pytest.mark.parametrize("module", EDITS)
def test_an_edited_source_file_leads_to_other_folders_of_what_uses_it(folders, monkeypatch, module):
    before = {job.folder for job in folders.jobs()}
    read = code._read

    def edited(name: str) -> tuple[str, frozenset[str]]:
        digest, imported = read(name)
        return ("edited" if name == f"zarpipe.{module}" else digest), imported

    monkeypatch.setattr(code, "_read", edited)
    code.code_digest.cache_clear()
    try:
        new = {label(job) for job in folders.jobs() if job.folder not in before}
    finally:
        code.code_digest.cache_clear()
    pages = {"study", "index"}  # they hold the keys of all
    assert new - pages == set(EDITS[module]) - pages
