import json
from pathlib import Path

import pytest
from tiny_corpora import write_corpus
from zarpipe.study.records import announce

from zarpipe.cli import main
from zarpipe.study.disk import variants_bytes
from zarpipe.study.dry_run import FOLLOWS, FORCED, MISSING, SETTINGS, UNKNOWN, PlannedJob
from zarpipe.study.jobs import Job
from zarpipe.study.plan import describe_plan, expected_seconds


def job(rule, threads=1, now=None, before=None, there=True, **wildcards):
    """A planned job whose record was written by the job `before`, and that would be `now`."""
    values = "-".join(wildcards.values())
    output = Path(f"{rule}-{values}")
    if there:
        output.touch()
    job_file = None
    if now is not None:
        record = f"records/{output}.json"
        if before is not None:
            Path("records").mkdir(exist_ok=True)
            Path(record).write_text(json.dumps(before.record()), encoding="utf-8")
        job_file = announce({record: now})
    return PlannedJob(rule, wildcards, (str(output),), threads, f"benchmarks/{rule}/{values}.tsv", job_file)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def times():
    """Three trainings took 10, 20 and 90 seconds."""
    folder = Path("benchmarks/train")
    folder.mkdir(parents=True)
    for name, seconds in (("a-1", 10), ("b-1", 20), ("b-2", 90)):
        (folder / f"{name}.tsv").write_text(f"s\th:m:s\n{seconds}.0\t0:00:{seconds}\n", encoding="utf-8")
    (folder / "c-1.tsv").write_text("cut off", encoding="utf-8")


SMALL = Job("train", {"hidden_size": 8, "code": "aa", "seeds": [1, 2]})
LARGE = Job("train", {"hidden_size": 9, "code": "bb", "seeds": [1, 2]})


def test_reasons_are_told_by_the_records():
    assert job("a", now=LARGE, there=False).reason == MISSING
    assert job("b", now=LARGE).reason == UNKNOWN
    changed = job("c", now=LARGE, before=SMALL)
    assert changed.reason == SETTINGS
    assert changed.changed_settings == {"hidden_size": ("8", "9"), "code": ("aa", "bb")}
    predict = {"device": "cpu"}
    followed = job("d", now=Job("p", predict, [LARGE]), before=Job("p", predict, [SMALL]))
    assert followed.reason == FOLLOWS
    assert job("e", now=SMALL, before=SMALL).reason == FORCED


@pytest.mark.usefixtures("times")
def test_the_median_of_the_rules_records_is_expected():
    known, unknown = job("train", recipe="new", seed="7"), job("predict", recipe="new")
    assert expected_seconds([known, unknown]) == {known.output: 20.0, unknown.output: None}


def test_other_layers_are_expected_to_take_as_long_as_the_studys_own():
    record = Path("benchmarks/encode_variant/masking-all-0.5.tsv")
    record.parent.mkdir(parents=True)
    record.write_text("s\th:m:s\n30.0\t0:00:30\n", encoding="utf-8")
    wildcards = {"states": "mix/", "variant": "cda-all-0.5"}
    benchmark = "benchmarks/encode_variant/mix/cda-all-0.5.tsv"
    new = PlannedJob("encode_variant", wildcards, ("x",), 1, benchmark)
    assert expected_seconds([new]) == {new.output: 30.0}


def test_disk_follows_what_stands_for_a_token():
    """Rows of one layer, and of three side by side: 7 tokens of 8 and of 24 numbers of two bytes."""
    write_corpus(Path("corpus/train.parquet"), [["学生", "が", "走る"], ["本", "を", "また", "読む"]])
    for folder, size in (("features", 8), ("features/mix", 24)):
        Path(folder).mkdir()
        Path(folder, "train.json").write_text(json.dumps({"hidden_size": size}))
    files = [Path(f"features/{name}.h5") for name in ("masking-all-0.5", "mix/masking-all-0.5")]
    assert variants_bytes(files) == 7 * (8 + 24) * 2
    assert variants_bytes([*files, Path("features/layer9/masking-all-0.5.h5")]) is None
    assert variants_bytes([]) is None


@pytest.mark.usefixtures("times")
def test_a_plan_says_what_why_and_how_long():
    jobs = [job("train", now=LARGE, before=SMALL, recipe="r", seed=str(seed)) for seed in range(13)]
    jobs.append(job("table4", now=Job("table4", {}, [LARGE]), before=Job("table4", {}, [SMALL])))
    assert describe_plan(jobs, cores=2).splitlines() == [
        "14 jobs to run, at least about 2 min with 2 cores",
        "  tagger    train 13  (about 2 min)",
        "  report    table4",
        "Why:",
        "  settings changed: hidden_size 8 → 9, zarpipe's code [train 13]",
        "  follows from these [table4]",
        "No run time on record, so not in the sum: table4",
    ]


def test_nothing_to_do_and_nothing_known():
    assert "up to date" in describe_plan([], 2)
    assert "how long is not known" in describe_plan([job("elsewhere")], 2)


def test_outside_the_checkout_a_message_says_where_to_go(capsys):
    assert main(["plan"]) == 1
    assert "no Snakefile in" in capsys.readouterr().err


def test_its_options_are_explained(capsys):
    main(["plan", "--help"])
    assert "--configfile" in capsys.readouterr().out
