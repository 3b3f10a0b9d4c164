import os
from pathlib import Path

import pytest
from zarpipe.study.records import (
    Stored,
    all_up_to_date,
    announce,
    job_file,
    recorded,
    recording,
    up_to_date,
)

from zarpipe.cli import main
from zarpipe.errors import ZarpipeError
from zarpipe.files import write_json, write_text
from zarpipe.study.jobs import Job

JOB = Job("train/baseline/seed1", {"layers": 2}, [Job("convert", {"format": "ntc"})])
OTHER = Job("train/baseline/seed1", {"layers": 3}, [Job("convert", {"format": "ntc"})])
RECORD = "results/records/train/baseline/seed1.json"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def finish(job: Job, *files: str) -> None:
    with recording(Path(announce({RECORD: job}))):
        for file in files:
            write_text(file, job.key)


def test_a_key_follows_from_the_spec_and_from_what_is_needed():
    convert = Job("convert", {"format": "knp"})
    assert JOB.key == Job("train/baseline/seed1", {"layers": 2}, [Job("convert", {"format": "ntc"})]).key
    assert len({JOB.key, OTHER.key, Job("train/baseline/seed1", {"layers": 2}, [convert]).key}) == 3


def test_a_finished_job_is_up_to_date_until_its_key_changes():
    assert not up_to_date(JOB, RECORD)
    finish(JOB, "results/a")
    assert up_to_date(JOB, RECORD)
    assert not up_to_date(OTHER, RECORD)
    assert all_up_to_date({RECORD: JOB}, ["results/a"])
    assert not all_up_to_date({RECORD: JOB}, ["results/a", "results/b"])


def test_the_job_file_is_older_than_everything_or_newer():
    finish(JOB, "results/a")
    output = Path("results/a").stat().st_mtime
    assert Path(announce({RECORD: JOB})).stat().st_mtime < output
    stale = announce({RECORD: OTHER})
    assert Path(stale).stat().st_mtime >= output
    assert announce({RECORD: OTHER}) == stale
    assert Path(announce({RECORD: JOB})) == job_file([JOB]) != job_file([OTHER])


def test_what_asks_for_a_job_never_has_bytes_that_a_finished_one_left():
    """Else Snakemake would take the input for unchanged, whatever its time."""
    asked = Path(announce({RECORD: JOB})).read_bytes()
    finish(JOB, "results/a")
    finished = job_file([JOB]).read_bytes()
    Path(RECORD).unlink()
    again = Path(announce({RECORD: JOB})).read_bytes()
    assert len({asked, finished, again}) == 3


def test_a_job_that_fails_before_it_writes_leaves_everything():
    finish(JOB, "results/a")
    with pytest.raises(ZarpipeError), recording(Path(announce({RECORD: OTHER}))):
        raise ZarpipeError("no such corpus")
    assert all_up_to_date({RECORD: JOB}, ["results/a"])
    assert Path("results/a").read_text() == JOB.key


def test_a_job_that_ends_between_two_files_leaves_no_record():
    finish(JOB, "results/a", "results/b")
    with pytest.raises(KeyboardInterrupt), recording(Path(announce({RECORD: OTHER}))):
        write_text("results/a", OTHER.key)
        raise KeyboardInterrupt
    assert recorded(RECORD) == {}
    assert not up_to_date(JOB, RECORD)


def test_several_jobs_of_one_command_have_a_record_each():
    records = {"r/1.json": JOB, "r/2.json": OTHER}
    with recording(Path(announce(records))):
        pass
    assert all(up_to_date(job, record) for record, job in records.items())
    assert os.path.getmtime(announce({"r/1.json": JOB})) < 1e9  # noqa: PTH204


@pytest.mark.parametrize("content", [[], {"records": {}}, {"records": {}, "stored": {"what": 1}}])
def test_another_file_is_no_job_file(content):
    write_json("job.json", content)
    with pytest.raises(ZarpipeError, match="not a job file"), recording(Path("job.json")):
        pass


def test_shared_files_lie_in_the_store_and_are_linked():
    stored = Stored("results/x.txt", "store/k/x.txt", {"results/x.txt": "store/k/x.txt"})
    path = Path(announce({RECORD: JOB}, stored))
    with recording(path) as where:
        assert not where.complete()
        write_text(where.stored, "made once")
    assert Path("results/x.txt").is_symlink()
    assert Path("results/x.txt").read_text() == "made once"
    Path("results/x.txt").unlink()  # as a failed run with other settings does
    announce({RECORD: JOB}, stored)
    assert Path("results/x.txt").read_text() == "made once"


def test_what_another_workflow_has_finished_is_not_made_again(capsys):
    write_text("store/k/manifest.json", "finished")
    stored = Stored("r/manifest.json", "store/k/manifest.json", {"r/manifest.json": "store/k/manifest.json"})
    path = announce({RECORD: JOB}, stored)
    assert main(["--job", path, "describe-mlm", "no/such/model", "--output", "r/manifest.json"]) == 0
    assert capsys.readouterr().err == ""
    assert Path("r/manifest.json").read_text() == "finished"
    assert up_to_date(JOB, RECORD)
