from pathlib import Path

import pytest
from tiny_corpora import write_corpus

from zarpipe.cli import main
from zarpipe.files import write_json
from zarpipe.formats.features import write_features
from zarpipe.study.dry_run import FOLLOWS, FORCED, MISSING, SETTINGS, PlannedJob
from zarpipe.study.plan import describe_plan, expected_seconds, variants_bytes

SMALL = {"hidden_size": 8, "code": "aa", "seeds": [1, 2]}
LARGE = {"hidden_size": 9, "code": "bb", "seeds": [1, 2]}
BEFORE, NOW = "0" * 12, "1" * 12


def done(rule, name, settings, seconds=1, key=BEFORE):
    """A finished job's folder."""
    said = {"rule": rule, "name": name, "key": key, "settings": settings, "seconds": seconds, "files": {}}
    write_json(f"results/jobs/{rule}/{name}@{key}/job.json", said)


def planned(rule, name, settings, key=NOW):
    return PlannedJob(rule, (f"results/jobs/{rule}/{name}@{key}/job.json",), 1, {"settings": settings})


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_reasons_are_told_by_the_folders_of_the_same_name():
    done("train", "b/seed1", SMALL)
    assert planned("train", "a/seed1", LARGE).reason == MISSING
    changed = planned("train", "b/seed1", LARGE)
    assert changed.reason == SETTINGS
    assert changed.changed_settings == {"hidden_size": ("8", "9"), "code": ("aa", "bb")}
    assert planned("train", "b/seed1", SMALL).reason == FOLLOWS
    assert planned("train", "b/seed1", SMALL, BEFORE).reason == FORCED


def test_of_several_others_the_most_like_is_compared():
    done("train", "b/seed1", SMALL)
    done("train", "b/seed1", LARGE | {"seeds": [1]}, key="2" * 12)
    assert planned("train", "b/seed1", LARGE).changed_settings == {"seeds": ("1", "1, 2")}


def test_policies_of_one_s_own_are_named():
    settings = {"define_policy": [["distance", {}], ["0a1b:near_verbs", {"scale": 2}]]}
    said = describe_plan([planned("augment", "masking-mine-0.5", settings)], cores=2)
    assert said.endswith("tried by their first jobs, before trainings: near_verbs")


def test_the_median_of_the_rules_jobs_is_expected():
    for name, seconds in (("a/seed1", 10), ("b/seed1", 20), ("b/seed2", 90)):
        done("train", name, SMALL, seconds)
    known, unknown = planned("train", "new/seed7", SMALL), planned("predict", "new/dev", SMALL)
    assert expected_seconds([known, unknown]) == {known.output: 20.0, unknown.output: None}


def test_disk_follows_what_stands_for_a_token():
    """Rows of one layer, and of three side by side: 7 tokens of 8 and of 24 numbers of two bytes."""
    corpus = Path(f"results/jobs/convert/corpus@{NOW}/train.parquet")
    write_corpus(corpus, [["学生", "が", "走る"], ["本", "を", "また", "読む"]])
    jobs = []
    for states, size in (("", 8), ("mix/", 24), ("layer9/", None)):
        if size:
            folder = Path(f"results/jobs/encode/{states}train@{NOW}")
            write_features(folder / "features.h5", [], size, [0], [], {})
        reads = {f"encode/{states}train": NOW, "convert/corpus": NOW}
        job = planned("encode_variant", f"{states}masking-all-0.5", {})
        jobs.append(PlannedJob(job.rule, job.output, 1, {"reads": reads}))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("zarpipe.job_folders.check", lambda _: False)
        assert variants_bytes(jobs[:2]) == 7 * (8 + 24) * 2
        assert variants_bytes(jobs) is None
    assert variants_bytes([]) is None


def test_a_plan_says_what_why_and_how_long():
    for seed in range(13):
        done("train", f"r/seed{seed}", SMALL, 20)
    jobs = [planned("train", f"r/seed{seed}", LARGE) for seed in range(13)]
    jobs.append(planned("report", "table4", {}))
    assert describe_plan(jobs, cores=2).splitlines() == [
        "14 jobs to run, at least about 2 min with 2 cores",
        "  tagger    train 13  (about 2 min)",
        "  report    report",
        "Why:",
        "  settings changed: hidden_size 8 → 9, zarpipe's code [train 13]",
        "  not there yet [report]",
        "No run time on record, so not in the sum: report",
    ]


def test_nothing_to_do_and_nothing_known():
    assert "up to date" in describe_plan([], 2)
    assert "how long is not known" in describe_plan([planned("train", "elsewhere", {})], 2)


def test_outside_the_checkout_a_message_says_where_to_go(capsys):
    assert main(["plan"]) == 1
    assert "no Snakefile in" in capsys.readouterr().err


def test_its_options_are_explained(capsys):
    main(["plan", "--help"])
    assert "--configfile" in capsys.readouterr().out
