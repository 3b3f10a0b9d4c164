"""A job's folder is whole and right, or whoever reads a file of it is told; its key says what decides it."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from zarpipe import job_folders
from zarpipe.config import Config
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json, write_json, write_text
from zarpipe.job_folders import check, making, problems, unfinished_folder
from zarpipe.study.jobs import Job
from zarpipe.study.prune import needless
from zarpipe.study.study import Study

CONVERT = Job("jobs", "convert", "corpus", lambda: {"format": "ntc"})
JOB = Job("jobs", "predict", "baseline/dev", lambda: {"layers": 2}, [CONVERT])
OTHER = Job("jobs", "predict", "baseline/dev", lambda: {"layers": 3}, [CONVERT])
FILE = Path(JOB.path("a.json"))


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def finish(job=JOB, **files):
    with making(Path(job.folder), job.made_from()) as work:
        for name, content in files.items():
            write_text(work / f"{name}.json", content)


def refused(path=FILE, match="its bytes are not those that its job wrote"):
    with pytest.raises(ZarpipeError, match=match):
        check(path)


def test_a_folder_says_what_made_it():
    finish(a="1", b="22")
    said = read_json(JOB.path())
    assert {name: said[name] for name in ("rule", "name", "key", "settings", "reads")} == JOB.made_from()
    assert said["reads"] == {"convert/corpus": CONVERT.key}
    assert said["files"]["b.json"] == {"sha256": hashlib.sha256(b"22").hexdigest(), "bytes": 2}
    assert check(FILE)
    assert JOB.is_there
    assert not OTHER.is_there
    assert list(problems(JOB.folder)) == []
    assert list(job_folders.folders("jobs")) == [Path(JOB.folder)]


@pytest.mark.parametrize("error", [ZarpipeError("no more"), KeyboardInterrupt()])
def test_a_job_that_ends_early_leaves_nothing(error):
    with pytest.raises(type(error)), making(Path(JOB.folder), JOB.made_from()) as work:
        write_text(work / "a.json", "1")
        raise error
    assert list(Path("jobs/predict/baseline").iterdir()) == []


def test_the_second_of_two_makers_drops_its_own():
    with making(Path(JOB.folder), JOB.made_from()) as work:
        write_text(work / "a.json", "second")
        finish(a="first")
    assert FILE.read_text() == "first"
    assert check(FILE)
    assert list(FILE.parent.parent.iterdir()) == [FILE.parent]


def test_a_folder_without_job_json_makes_room():
    write_text(FILE, "half")
    write_text(FILE.with_name("old.json"), "half")
    assert not JOB.is_there
    refused(match="job.json")
    finish(a="1")
    assert check(FILE)
    assert not FILE.with_name("old.json").exists()


def test_unfinished_work_waits_beside_the_folder():
    with pytest.raises(KeyboardInterrupt), making(Path(JOB.folder), JOB.made_from()) as work:
        waiting = unfinished_folder(work / "a.json")
        write_text(waiting / "state", "half")
        raise KeyboardInterrupt
    assert waiting.parent == FILE.parent.parent
    assert list(job_folders.unfinished_folders("jobs")) == [waiting]
    assert job_folders.finished_folder(waiting) == Path(JOB.folder)
    finish(a="1")
    assert not waiting.exists()
    assert unfinished_folder(Path("elsewhere/a.json")) is None


def test_the_message_says_what_to_do():
    finish(a="1")
    FILE.write_text("22")
    refused(
        match=rf"{FILE}: .*found 2 bytes, expected 1.*delete the folder .*/{JOB.folder} and let snakemake"
    )
    shutil.rmtree(JOB.folder)
    finish(a="1")
    assert check(FILE)


def test_what_the_job_has_not_written_is_refused_in_its_folder_only():
    finish(a="1")
    write_text(JOB.path("mine.json"), "1")
    refused(JOB.path("mine.json"), match=r"has written no file 'mine\.json'")
    write_text("jobs/mine.json", "1")
    assert not check("jobs/mine.json")
    assert not check(JOB.path("not-there.json"))


def test_a_job_json_of_another_folder_is_refused():
    finish(a="1")
    finish(OTHER, a="2")
    shutil.copytree(OTHER.folder, JOB.folder, dirs_exist_ok=True)
    refused(match=f"found the job predict/baseline/dev@{OTHER.key}, which is not this folder's")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"files": 1}', "\xff"])
def test_a_damaged_job_json_is_refused(content):
    finish(a="1")
    Path(JOB.path()).write_text(content, encoding="latin-1")
    refused(match=r"job\.json: ")
    assert len(list(problems(JOB.folder))) == 1


def test_all_that_is_broken_is_listed():
    finish(a="1", b="2", c="3")
    Path(JOB.path("b.json")).write_text("9")
    Path(JOB.path("c.json")).unlink()
    changed, missing = problems(JOB.folder)
    assert "b.json: its bytes are not those" in changed
    assert "c.json: not there any more" in missing


def test_folders_are_right_wherever_they_are_and_however_paths_are_written(tmp_path, monkeypatch):
    finish(a="1")
    shutil.move("jobs", "archive/jobs")
    (tmp_path / "link").symlink_to("archive")
    moved = Path("archive") / FILE
    assert check(moved)
    assert check("link" / FILE)
    moved.write_text("2")
    monkeypatch.chdir(moved.parent)
    for path in ("a.json", f"../{moved.parent.name}/a.json", tmp_path / moved, tmp_path / "link" / FILE):
        refused(path)


def test_a_key_follows_from_name_settings_and_what_is_read():
    """Worked out here once more: 12 digits of the SHA-256 of [id, settings, [job and key of each read]]."""
    written = json.dumps(["predict/baseline/dev", {"layers": 2}, [f"convert/corpus {CONVERT.key}"]])
    assert JOB.key == hashlib.sha256(written.encode()).hexdigest()[:12]
    again = Job("elsewhere", "predict", "baseline/dev", lambda: {"layers": 2}, [CONVERT])
    assert again.key == JOB.key
    knp = Job("jobs", "convert", "corpus", lambda: {"format": "knp"})
    others = [
        OTHER,
        Job("jobs", "predict", "baseline/test", lambda: {"layers": 2}, [CONVERT]),
        Job("jobs", "predict", "baseline/dev", lambda: {"layers": 2}, [knp]),
        Job("jobs", "predict", "baseline/dev", lambda: {"layers": 2}),
    ]
    assert len({job.key for job in [JOB, *others]}) == 5


def test_bytes_of_the_users_files_count_and_their_places_do_not():
    def key(place):
        return (
            Study(Config.model_validate({"corpus": {"path": place, "split": "folders"}})).jobs.convert().key
        )

    for split in ("train", "dev", "test"):
        write_text(f"corpus/{split}/950101-0001.ntc", "# S-ID:1\n")
    before = key("corpus")
    shutil.copytree("corpus", "moved")
    assert key("moved") == before
    write_text("moved/README.md", "mine")
    assert key("moved") == before
    write_text("moved/dev/950101-0001.ntc", "# S-ID:2\n")
    assert key("moved") != before


def test_prune_leaves_what_a_study_needs():
    study = Study(Config(), "results", {"predict/baseline/dev": JOB.key})
    needed, old = (f"results/{job.folder}" for job in (JOB, OTHER))
    for folder in (needed, old):
        write_json(f"{folder}/job.json", {})
        write_text(Path(folder).with_name(f".{Path(folder).name}.unfinished") / "state", "half")
    expected = [Path(old), Path(old).with_name(f".{Path(old).name}.unfinished")]
    assert needless([study]) == sorted(expected)
    other = Study(Config(), "results", {"predict/baseline/dev": OTHER.key})
    assert needless([study, other]) == []
