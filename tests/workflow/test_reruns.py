"""Exact reruns: what a change makes stale, and what not, by Snakemake's own plan over finished studies."""

import shutil
from pathlib import Path

import pytest
import yaml
from workflow.marked import MarkedStudy, files
from workflow.rerun_table import CONFIGURED, EMBEDDED, MLM, MLM_RUNS, TABLE, TRAINING, Row, overlay

from workflow import rerun_table
from zarpipe.study import digests as provenance

TINY = str(Path(__file__).parent / "tiny.yaml")
KNP = ("a.knp", "b.knp", "a.ntc")
IDS = ("train.id", "dev.id", "test.id")
CONFIGURED_YAML = """\
results: configured
corpus: {format: knp, path: knp, split: ids, ids: ids}
mlm: {path: own_model}
"""
ROWS = [(key, row) for key, rows in TABLE.items() for row in rows]


@pytest.fixture(scope="session")
def studies(make_workflow) -> dict[str, MarkedStudy]:
    """Both studies of the table, finished, with the folders that the rows name beside them."""
    folder = make_workflow().folder
    for name in ("knp", "moved_corpus"):
        files(folder / name, KNP, "EOS\n")
    files(folder / "other_corpus", KNP, "# S-ID:1\nEOS\n")
    files(folder / "corpus", ("950101-0002-950101008.ntc",), "EOS\n")
    for name in ("ids", "moved_ids"):
        files(folder / name, IDS, "a\n")
    files(folder / "other_ids", IDS, "b\n")
    for name in ("own_model", "moved_model", "model"):
        files(folder / name, ("config.json", "model.safetensors"), "{}")
    files(folder / "other_model", ("config.json", "model.safetensors"), "{ }")
    (folder / "configured.yaml").write_text(CONFIGURED_YAML, encoding="utf-8")
    made = {
        EMBEDDED: MarkedStudy(folder, ("all", "--configfile", TINY)),
        CONFIGURED: MarkedStudy(folder, ("all", "--configfile", TINY, "configured.yaml")),
    }
    for study in made.values():
        study.finish()
    return made


@pytest.fixture
def embedded(studies) -> MarkedStudy:
    return studies[EMBEDDED]


@pytest.fixture
def edited_package(tmp_path, monkeypatch):
    """A copy of the package whose files a test may edit; specs take their digests from it."""
    copy = tmp_path / "zarpipe"
    shutil.copytree(provenance._PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(provenance, "_PACKAGE", copy)
    provenance._read.cache_clear()
    yield copy
    provenance._read.cache_clear()


def test_every_key_of_the_configuration_has_a_row():
    assert sorted(TABLE) == sorted(rerun_table.configuration_keys())


def test_the_rules_of_the_table_are_those_of_the_workflow(make_workflow):
    fresh = MarkedStudy(make_workflow().folder, ("all", "--configfile", TINY))
    assert set(fresh.planned()) == set(rerun_table.RULES)


def test_the_page_says_what_is_tested(project):
    assert (project / "docs/reruns.md").read_text(encoding="utf-8") == rerun_table.page(), (
        "docs/reruns.md is out of date: python tests/workflow/rerun_table.py docs/reruns.md"
    )


@pytest.mark.parametrize(("key", "row"), ROWS, ids=[f"{key}={row.value}-{row.study}" for key, row in ROWS])
def test_a_key_reruns_what_depends_on_it_and_nothing_else(studies, key: str, row: Row):
    planned = set(studies[row.study].planned(overlay(key, row.value)))
    assert planned == set(row.reruns)


def test_a_new_alpha_runs_its_own_jobs_only(embedded):
    """Of each method and POS set one variant, its features and its taggers; every table once."""
    jobs = embedded.jobs("augmentation: {alphas: [0.5, 0.3]}")
    of_variants = {"augment", "encode_variant", "train"}
    assert all("-0.3" in job.output[0] for job in jobs if job.rule in of_variants)
    # masking: all, verb, all_but_verb (the examples'); CDA: that of Table 4, and the four ways of Table 7
    counts = embedded.planned("augmentation: {alphas: [0.5, 0.3]}")
    assert (counts["augment"], counts["encode_variant"]) == (3 + 5, 8)
    assert counts["train"] == 8 * 2
    assert counts["predict"] == 8 + 2 * 2  # and the chosen taggers, on dev and test


def test_a_new_seed_trains_that_seed_only(embedded):
    jobs = [job for job in embedded.jobs("training: {seeds: [1, 2, 3]}") if job.rule == "train"]
    assert {job.wildcards["seed"] for job in jobs} == {"3"}
    assert len(jobs) == 10


def test_another_model_keeps_the_masks(embedded):
    jobs = embedded.jobs("mlm: {path: model}")
    variants = {job.wildcards["variant"] for job in jobs if job.rule == "augment"}
    assert variants
    assert all(variant.startswith("cda-") for variant in variants)


def test_a_new_mask_seed_keeps_the_baselines(embedded):
    trained = {
        job.wildcards["recipe"] for job in embedded.jobs("augmentation: {seed: 2}") if job.rule == "train"
    }
    assert trained
    assert not {"baseline", "baseline2x"} & trained


@pytest.mark.parametrize(
    "text",
    [
        "# only a comment",
        "training: {learning_rate: 3.0e-3, epsilon: '1e-8', seeds: [1, 2, 2]}",
        "augmentation: {pos_sets: [all], alphas: ['0.50']}",
        "corpus: {split: taira, path: null, limit: {train: null}}",
        "report: {published: off, seed: 1.0}",
    ],
)
def test_another_spelling_changes_nothing(embedded, text):
    assert embedded.planned(text) == {}


def test_reordered_keys_and_a_default_that_moves_change_nothing(embedded):
    """The tiny study names the tagger's layers and size itself."""
    base = embedded.folder / "config.yaml"
    written = base.read_text(encoding="utf-8")
    values = yaml.safe_load(written)
    del values["tagger"]
    turned = {
        key: dict(reversed(v.items())) if isinstance(v, dict) else v for key, v in reversed(values.items())
    }
    base.write_text("# turned around\n" + yaml.safe_dump(turned, sort_keys=False), encoding="utf-8")
    try:
        assert embedded.planned() == {}
    finally:
        base.write_text(written, encoding="utf-8")


AFTER_PREDICTION = TRAINING - {"train"}
NOTHING = frozenset()
EDITS = {
    "report/tables/counts.py": {"table1", "table2", "index"},
    "augment/masking.py": set(rerun_table.VARIANTS) - {"study"},
    "augment/cda.py": set(rerun_table.VARIANTS) - {"table5", "figure3", "examples", "study"},
    "encode/encoder.py": set(MLM_RUNS) - {"augment", "study"},
    "mlm/loading.py": set(MLM) - {"study"},
    "tagger/training.py": set(TRAINING) - {"study"},
    "tagger/predict.py": set(AFTER_PREDICTION) - {"study"},
    # New scores may choose other recipes, whose taggers then predict on the test set.
    "evaluate/evaluation.py": set(AFTER_PREDICTION) - {"study"},
    "report/tables/dev.py": {"table4", "table5", "table7", "index"},
    "report/figures/figure3.py": {"figure3", "index"},
    "report/pages/examples.py": {"examples", "index"},
    "report/pages/index.py": {"index"},
    "report/templates/index.html": {"examples", "index"},
    # The command line's own texts, and what only reports progress, change no output.
    "encode/commands.py": NOTHING,
    "progress.py": NOTHING,
    "config/__init__.py": NOTHING,
    "study/dry_run.py": NOTHING,
    "study/layout.py": NOTHING,
}


@pytest.mark.parametrize("file", EDITS)
def test_an_edited_source_file_reruns_the_stages_that_use_it(embedded, edited_package, file):
    path = edited_package / file
    extra = "\nEDITED = True\n" if file.endswith(".py") else "<!-- edited -->\n"
    path.write_text(path.read_text(encoding="utf-8") + extra, encoding="utf-8")
    assert set(embedded.planned()) == EDITS[file]


def test_another_version_with_the_same_code_reruns_nothing(embedded, edited_package):
    first = edited_package / "__init__.py"
    first.write_text('"""Another version."""\n\n__version__ = "99.0"\n', encoding="utf-8")
    encoder = edited_package / "encode/encoder.py"
    encoder.write_text("# a comment\n" + encoder.read_text(encoding="utf-8"), encoding="utf-8")
    assert embedded.planned() == {}


def test_the_papers_numbers_renew_the_tables_that_show_them(embedded, edited_package):
    with (edited_package / "report/published/table6_test.csv").open("a", encoding="utf-8") as stream:
        stream.write("\n")
    assert embedded.planned() == {}


@pytest.fixture
def without_features(embedded, tmp_path):
    """The embedded study after `make clean-features`."""
    features = embedded.folder / "results/features"
    moved = [(path, path.rename(tmp_path / path.name)) for path in sorted(features.glob("*-*.h5"))]
    assert len(moved) == 8
    yield embedded
    for path, elsewhere in moved:
        elsewhere.rename(path)


def test_clean_features_deletes_what_the_tests_delete(project):
    text = (project / "Makefile").read_text(encoding="utf-8")
    assert 'rm -f "$(RESULTS)"/features/masking-*.h5 "$(RESULTS)"/features/cda-*.h5' in text


def test_deleted_features_make_nothing_stale(without_features):
    assert without_features.planned() == {}
    jobs = without_features.jobs("augmentation: {alphas: [0.5, 0.3]}")
    assert all("-0.3" in job.output[0] for job in jobs if job.rule in ("train", "encode_variant"))
    assert "encode" not in {job.rule for job in jobs}


def test_finished_taggers_are_not_trained_again_for_deleted_features(without_features):
    """A new seed wants all variants' features: they are made again, and only the new seed is trained."""
    jobs = without_features.jobs("training: {seeds: [1, 2, 3]}")
    assert sum(job.rule == "encode_variant" for job in jobs) == 8
    assert {job.wildcards["seed"] for job in jobs if job.rule == "train"} == {"3"}
    assert "encode" not in {job.rule for job in jobs}


MESSAGES = {"files.py": NOTHING, "formats/corpus.py": NOTHING, "report/table.py": NOTHING}


@pytest.mark.parametrize("file", MESSAGES)
def test_a_reworded_message_makes_nothing_stale(embedded, edited_package, file):
    path = edited_package / file
    text = path.read_text(encoding="utf-8")
    assert "ZarpipeError(" in text or "FileProblem(" in text or file == "report/table.py"
    path.write_text(text.replace('ZarpipeError(f"', 'ZarpipeError(f"In other words: '), encoding="utf-8")
    assert set(embedded.planned()) == MESSAGES[file]


def test_a_study_that_was_moved_or_copied_is_up_to_date(embedded, make_workflow, tmp_path):
    """Also with all times scrambled, from another clone, and under another name."""
    elsewhere = make_workflow().folder
    shutil.copytree(embedded.folder / "results", elsewhere / "results", copy_function=shutil.copyfile)
    copy = MarkedStudy(elsewhere, embedded.arguments)
    assert copy.planned() == {}
    assert set(copy.planned("tagger: {layers: 2}")) == set(rerun_table.SHOWN_TRAINING)
    (elsewhere / "results").rename(elsewhere / "renamed")
    assert set(copy.planned("results: renamed")) == set()
    archive = shutil.make_archive(str(tmp_path / "study"), "tar", elsewhere / "renamed")
    shutil.unpack_archive(archive, elsewhere / "unpacked")
    assert copy.planned("results: unpacked") == {}
    assert copy.planned() == copy.planned("x-again: 1") != {}
