"""Every file of a job has a seal, and whoever reads it compares the two."""

import json
import os
import shutil
from pathlib import Path

import pytest
from zarpipe.study.records import Stored, announce, recording

from zarpipe import seals
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest, read_json, whole_text, write_json, write_text
from zarpipe.study.jobs import Job

JOB = Job("predict/baseline/dev", {"layers": 2})
OTHER = Job("predict/baseline/dev", {"layers": 3})
RECORD = "results/records/predict/baseline/dev.json"
FILE = "results/scores/a.json"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def finish(job=JOB, stored=None, **files):
    with recording(Path(announce({RECORD: job}, stored))) as where:
        for name, content in files.items():
            write_text(where.stored or f"results/scores/{name}.json", content)


def refused(path=FILE, match="its bytes are not those that `predict/baseline/dev` wrote"):
    with pytest.raises(ZarpipeError, match=match):
        seals.check(path)


def test_a_job_seals_what_it_writes():
    finish(a="1", b="22")
    seal = read_json("results/records/files/scores/b.json.json")
    assert seal == {
        "file": "scores/b.json",
        "sha256": file_digest("results/scores/b.json"),
        "bytes": 2,
        "jobs": {JOB.name: JOB.key},
    }
    assert seals.check(FILE)
    assert list(seals.broken("results")) == []


def test_a_file_without_a_seal_is_left_to_its_format():
    write_text("elsewhere/a.json", "1")
    assert not seals.check("elsewhere/a.json")
    finish(a="1")
    write_text("results/mine.json", "1")
    assert not seals.check("results/mine.json")
    assert not seals.check("results/not-there.json")


@pytest.mark.parametrize("content", ["2", "", "1 "])
def test_other_bytes_are_refused(content):
    finish(a="1")
    Path(FILE).write_text(content)
    refused()


def test_every_single_bit_counts():
    finish(a="some text")
    content = Path(FILE).read_bytes()
    for place in range(8 * len(content)):
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << place % 8
        write_json("results/scores/a.json", None)  # another number, so that no time can hide it
        Path(FILE).write_bytes(flipped)
        refused()


def test_the_message_says_what_to_do():
    finish(a="1")
    Path(FILE).write_text("2")
    refused(match=rf"{FILE}: .*found sha256 d4735e3a265e, expected 6b86b273ff34.*let snakemake make it again")
    Path(FILE).unlink()
    finish(a="1")
    assert seals.check(FILE)


def test_a_file_that_takes_anothers_place_with_its_seal_is_refused():
    finish(a="1", b="2")
    shutil.copy("results/scores/b.json", FILE)
    refused()
    shutil.copy("results/records/files/scores/b.json.json", "results/records/files/scores/a.json.json")
    refused(match="is that of scores/b.json")


def test_a_file_of_another_study_with_its_seal_is_refused():
    """Its job was another one, as its key tells."""
    finish(OTHER, a="of three layers")
    kept = Path(FILE).read_bytes(), Path("results/records/files/scores/a.json.json").read_bytes()
    finish(a="of two layers")
    Path(FILE).write_bytes(kept[0])
    Path("results/records/files/scores/a.json.json").write_bytes(kept[1])
    refused(match="made with other settings than the job's record says")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"file": 1}', "\xff"])
def test_a_damaged_seal_is_refused(content):
    finish(a="1")
    Path("results/records/files/scores/a.json.json").write_text(content, encoding="latin-1")
    refused(match=r"records/files/scores/a\.json\.json: not")


def test_a_job_that_ends_between_two_files_leaves_no_seal_that_contradicts():
    finish(a="1", b="2")
    with pytest.raises(KeyboardInterrupt), recording(Path(announce({RECORD: OTHER}))):
        write_text(FILE, "3")
        raise KeyboardInterrupt
    assert not seals.check(FILE)
    assert seals.check("results/scores/b.json")
    assert not Path(RECORD).exists()


def test_a_job_that_fails_leaves_seals_as_they_were():
    finish(a="1")
    path = Path(announce({RECORD: OTHER}))
    with pytest.raises(ZarpipeError), recording(path), whole_text(FILE) as stream:
        stream.write("half")
        raise ZarpipeError("no more")
    assert seals.check(FILE)
    assert Path(RECORD).is_file()


def test_hidden_files_are_no_outputs():
    """A checkpoint neither takes the record away nor is sealed."""
    finish(a="1")
    with pytest.raises(KeyboardInterrupt), recording(Path(announce({RECORD: OTHER}))):
        write_text("results/scores/.checkpoints/seed1", "state")
        raise KeyboardInterrupt
    assert Path(RECORD).is_file()
    assert not Path("results/records/files/scores/.checkpoints").exists()


def test_a_moved_or_copied_results_folder_keeps_its_seals():
    finish(a="1")
    shutil.copytree("results", "copies/other")
    assert seals.check("copies/other/scores/a.json")
    Path("copies/other/scores/a.json").write_text("2")
    refused("copies/other/scores/a.json")
    assert seals.check(FILE)


def test_paths_are_known_however_they_are_written(tmp_path, monkeypatch):
    finish(a="1")
    Path(FILE).write_text("2")
    monkeypatch.chdir("results/scores")
    for path in ("a.json", "../scores/a.json", tmp_path / FILE):
        refused(path)


def test_files_of_a_store_are_sealed_there_and_links_in_the_results():
    stored = Stored("results/scores/a.json", "store/k/a.json", {"results/scores/a.json": "store/k/a.json"})
    finish(JOB, stored, a="made once")
    assert seals.check("store/k/a.json")
    assert seals.check(FILE)
    Path("store/k/a.json").write_text("changed")
    refused()
    refused("store/k/a.json")


def test_a_second_study_takes_the_seal_of_the_store_without_reading_the_file(monkeypatch):
    links = {"results/scores/a.json": "store/k/a.json"}
    finish(JOB, Stored("results/scores/a.json", "store/k/a.json", links), a="made once")
    record = "second/records/predict/baseline/dev.json"
    stored = Stored("second/a.json", "store/k/a.json", {"second/a.json": "store/k/a.json"})
    with monkeypatch.context() as patched:
        patched.setattr(seals, "file_digest", lambda path: pytest.fail(f"{path} was read"))
        seals._digests.clear()
        with recording(Path(announce({record: JOB}, stored))):
            pass
    assert seals.check("second/a.json")
    Path("second/a.json").unlink()
    shutil.rmtree("second/records/files")
    announce({record: JOB}, stored)  # up to date; only the link is made again
    assert seals.check("second/a.json")


def test_a_store_without_seals_is_read_once():
    write_text("store/k/a.json", "of an earlier version")
    stored = Stored("results/scores/a.json", "store/k/a.json", {FILE: "store/k/a.json"})
    with recording(Path(announce({RECORD: JOB}, stored))):
        pass
    assert seals.check(FILE)


def test_seeds_that_are_trained_together_share_a_seal():
    """Later one of them may be trained alone."""
    records = {f"results/records/train/b/seed{seed}.json": Job(f"train/b/seed{seed}", {}) for seed in (1, 2)}
    with recording(Path(announce(records))):
        for seed in (1, 2):
            write_text(f"results/taggers/b/seed{seed}/history.csv", str(seed))
    alone = Job("train/b/seed1", {"layers": 3})
    with recording(Path(announce({"results/records/train/b/seed1.json": alone}))):
        write_text("results/taggers/b/seed1/history.csv", "again")
    assert seals.check("results/taggers/b/seed1/history.csv")
    assert seals.check("results/taggers/b/seed2/history.csv")


def test_an_unchanged_file_is_read_once(monkeypatch):
    finish(a="1")
    seals._digests.clear()
    read = []
    monkeypatch.setattr(seals, "file_digest", lambda path: read.append(path) or file_digest(path))
    seals.check(FILE)
    seals.check(FILE)
    assert len(read) == 1
    Path(FILE).write_text("2")
    os.utime(FILE, ns=(0, 0))
    refused()


def test_all_that_is_broken_is_listed():
    finish(a="1", b="2", c="3")
    Path("results/scores/b.json").write_text("9")
    Path("results/scores/c.json").unlink()
    lines = list(seals.broken("results"))
    assert len(lines) == 2
    assert "b.json: its bytes are not those" in lines[0]
    assert "c.json: not there any more" in lines[1]


def test_a_seal_is_json_for_people():
    finish(a="1")
    text = Path("results/records/files/scores/a.json.json").read_text()
    assert list(json.loads(text)) == ["file", "sha256", "bytes", "jobs"]
