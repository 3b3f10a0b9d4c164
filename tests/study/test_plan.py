from dataclasses import replace
from pathlib import Path

import pytest

from zarpipe.cli import main
from zarpipe.study.dry_run import FOLLOWS, MISSING, SETTINGS, PlannedJob
from zarpipe.study.plan import describe_plan, expected_seconds

CHANGED = (
    "Params have changed since last execution: Union of exclusive params before and now across all output: "
    "before: {'options': '--layers=1 --hidden-size=8', 'code': 'aa', 'seeds': [1, 2]} "
    "now: {'options': '--layers=1 --hidden-size=9', 'code': 'bb', 'seeds': [1, 2]}"
)


def job(rule, reason="Missing output files: x", threads=1, **wildcards):
    values = "-".join(wildcards.values())
    return PlannedJob(
        rule, wildcards, (f"{rule}/{values}",), threads, f"benchmarks/{rule}/{values}.tsv", reason
    )


@pytest.fixture
def records(tmp_path, monkeypatch):
    """Three trainings took 10, 20 and 90 seconds."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "benchmarks/train"
    folder.mkdir(parents=True)
    for name, seconds in (("a-1", 10), ("b-1", 20), ("b-2", 90)):
        (folder / f"{name}.tsv").write_text(f"s\th:m:s\n{seconds}.0\t0:00:{seconds}\n", encoding="utf-8")
    (folder / "c-1.tsv").write_text("cut off", encoding="utf-8")


def test_reasons_and_changed_settings_are_read():
    changed = job("train", f"Input files updated by another job: a, b; {CHANGED}")
    assert changed.reasons == (SETTINGS, FOLLOWS)
    assert changed.changed_settings == {"hidden_size": ("8", "9"), "code": ("aa", "bb")}
    assert job("train").reasons == (MISSING,)
    assert job("train", "Params have changed since last execution: of a new kind").changed_settings == {}


@pytest.mark.usefixtures("records")
def test_the_median_of_the_rules_records_is_expected():
    known, unknown = job("train", recipe="new", seed="7"), job("predict", recipe="new")
    assert expected_seconds([known, unknown]) == {known.output: 20.0, unknown.output: None}


def test_jobs_of_several_seeds_share_their_records(tmp_path, monkeypatch):
    """A new seed's job bears another name than those that have run."""
    monkeypatch.chdir(tmp_path)
    record = tmp_path / "benchmarks/train/baseline/seed1.tsv"
    record.parent.mkdir(parents=True)
    record.write_text("s\th:m:s\n30.0\t0:00:30\n", encoding="utf-8")
    new = replace(job("train_from_seed3", recipe="r"), benchmark="benchmarks/train/r/seed3.tsv")
    assert expected_seconds([new]) == {new.output: 30.0}


@pytest.mark.usefixtures("records")
def test_a_plan_says_what_why_and_how_long():
    jobs = [job("train", CHANGED, recipe="r", seed=str(seed)) for seed in range(12)]
    # A job for several seeds is a training too.
    jobs += [replace(job("train", CHANGED, recipe="r", seed="12"), rule="train_from_seed1")]
    jobs += [job("table4", "Input files updated by another job: a")]
    assert describe_plan(jobs, cores=2).splitlines() == [
        "14 jobs to run, at least about 2 min with 2 cores",
        "  tagger    train 13  (about 2 min)",
        "  report    table4",
        "Why:",
        "  settings changed: hidden_size 8 → 9, zarpipe's code [train 13]",
        "  follows from these [table4]",
        "No run time on record, so not in the sum: table4",
    ]


@pytest.mark.usefixtures("records")
def test_a_plan_says_which_trainings_only_follow_from_deleted_features():
    finished = job(
        "train", "Input files updated by another job: features/a.h5, features/b.h5", recipe="a", seed="1"
    )
    others = [
        job("train", "Input files updated by another job: corpus/train.parquet, features/a.h5", recipe="b"),
        job("train", "Input files updated by another job: features/a.h5", recipe="not-there"),
    ]
    deleted = job("encode", "Missing output files: features/a.h5", split="train")
    for path in (*finished.output, *others[0].output, *deleted.output):
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).touch()
    assert "1 finished trainings are among these" in describe_plan([deleted, finished, *others], 2)
    assert "deleted" not in describe_plan([deleted, *others], 2)
    another_mlm = replace(deleted, reason="Input files updated by another job: mlm/manifest.json")
    assert "deleted" not in describe_plan([another_mlm, finished], 2)


def test_nothing_to_do_and_nothing_known():
    assert "up to date" in describe_plan([], 2)
    assert "how long is not known" in describe_plan([job("elsewhere")], 2)


def test_outside_the_checkout_a_message_says_where_to_go(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["plan"]) == 1
    assert "no Snakefile in" in capsys.readouterr().err


def test_its_options_are_explained(capsys):
    main(["plan", "--help"])
    assert "--configfile" in capsys.readouterr().out
