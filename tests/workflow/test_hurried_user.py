"""What a hurried user does to a finished study: once mended, nothing that was finished is made again."""

import contextlib
import os
import shutil
import signal
import time
from pathlib import Path

import drill
import pytest
from workflow.marked import FAILS, MarkedStudy, configuration, make_sources, stand_in
from workflow_copy import Workflow

TINY = str(Path(__file__).parent / "tiny.yaml")
# A job that runs on and on; the file `started` in the working directory says that it does.
SLEEPS = "import time\nfrom pathlib import Path\nPath('started').touch()\ntime.sleep(600)\n"
# A job that has more to write than there is room for.
WRITES_MUCH = """\
from pathlib import Path
from zarpipe.files import write_text
from zarpipe.study.records import recording

with recording(Path(sys.argv[2])):
    write_text(Path("results/corpus/train.parquet"), "x" * 50_000_000)
"""
OTHER = "tagger: {hidden_size: 9}\n"


class Hurry:
    """A finished study of an own corpus and model, and what a user does to it.

    Args:
        folder: where Snakemake is called.
        sources: corpus and model.
        bin_folder: for a stand-in of the command `zarpipe`.
    """

    def __init__(self, folder: Path, sources: Path, bin_folder: Path) -> None:
        self.folder, self.sources, self.bin = folder, sources, bin_folder
        own = configuration(
            folder / "own.yaml", "results", "null", sources / "corpus", sources / "model", OTHER
        )
        self.study = MarkedStudy(folder, ("all", "--configfile", TINY, own))
        self.study.finish()

    def run(self, *arguments: str, zarpipe: str = FAILS) -> str:
        """Run Snakemake with a stand-in for `zarpipe`; return what it said."""
        path = f"{stand_in(self.bin, zarpipe)}:/usr/bin:/bin"
        return Workflow(self.folder).run(*arguments, check=False, PATH=path)

    def interrupt(self, *arguments: str, with_signal: signal.Signals) -> None:
        """End a run, and its jobs, while the first of them works."""
        path = f"{stand_in(self.bin, SLEEPS)}:/usr/bin:/bin"
        run = Workflow(self.folder).start(*arguments, PATH=path)
        while not (self.folder / "started").exists():
            assert run.poll() is None
            time.sleep(0.05)
        os.killpg(run.pid, with_signal)
        run.communicate()
        Workflow(self.folder).run("--unlock", *arguments)


def wrong_letter_in_a_key(user):
    assert "unknown key 'tager'" in user.run(*user.study.arguments, "--config", "tager={layers: 1}")


def wrong_letter_in_a_path(user):
    said = user.run(*user.study.arguments, "--config", "corpus={path: corpuss}")
    assert "corpus.path: found 'corpuss', where nothing is" in said


def forgotten_overlay(user):
    """The made corpus and all that follows would be read; nothing is taken away before."""
    assert "zarpipe: error: no" in user.run("all", "--configfile", TINY)


def wrong_order_of_the_overlays(user):
    (user.folder / "wide.yaml").write_text("tagger: {hidden_size: 12}\n", encoding="utf-8")
    assert "zarpipe: error: no" in user.run(*user.study.arguments, "wide.yaml", "--keep-going")


def configfile_given_twice(user):
    own = user.study.arguments[-1]
    said = user.run("all", "--configfile", TINY, "--configfile", own)
    assert "--configfile" in said
    assert "Job stats" not in said


def ctrl_c_in_a_rerun(user):
    user.interrupt(*user.study.arguments, "--config", "tagger={layers: 3}", with_signal=signal.SIGINT)


def kill_in_a_rerun(user):
    user.interrupt(*user.study.arguments, "--config", "training={epochs: 9}", with_signal=signal.SIGKILL)


def ctrl_c_in_a_forced_run(user):
    user.interrupt("-F", *user.study.arguments, with_signal=signal.SIGINT)


def kill_in_a_forced_run(user):
    user.interrupt("-F", *user.study.arguments, with_signal=signal.SIGKILL)


def deleted_notes_of_snakemake(user):
    shutil.rmtree(user.folder / ".snakemake")


def moved_corpus(user):
    there, elsewhere = user.sources / "corpus", user.sources / "elsewhere"
    there.rename(elsewhere)
    try:
        assert "corpus.path: found" in user.run(*user.study.arguments)
    finally:
        elsewhere.rename(there)


def touched_files(user):
    for path in (user.folder / "results").rglob("*"):
        os.utime(path)


def results_copied_without_times(user):
    results, copy = user.folder / "results", user.folder / "copy"
    shutil.copytree(results, copy, copy_function=shutil.copyfile)
    shutil.rmtree(results)
    copy.rename(results)


@contextlib.contextmanager
def on_a_small_disk(user):
    """Put the results on a disk of 20 MB for a while."""
    results, kept = user.folder / "results", user.folder / "kept"
    results.rename(kept)
    with drill.mounted(results, 20_000):
        shutil.copytree(kept, results, dirs_exist_ok=True)
        yield results
        # What stands there afterwards is what the test looks at.
        shutil.rmtree(kept)
        shutil.copytree(results, kept)
    results.rmdir()
    kept.rename(results)


def full_disk_in_a_rerun(user):
    with on_a_small_disk(user):
        said = user.run(*user.study.arguments, "--forcerun", "convert", zarpipe=WRITES_MUCH)
        assert "No space left on device" in said


def read_only_results(user):
    with on_a_small_disk(user) as results:
        drill.remount(results, "ro")
        said = user.run(*user.study.arguments, "--forcerun", "convert")
        assert "Write-protected output files" in said


NEED_MOUNT = [full_disk_in_a_rerun, read_only_results]
ATTEMPTS = [
    wrong_letter_in_a_key,
    wrong_letter_in_a_path,
    forgotten_overlay,
    wrong_order_of_the_overlays,
    configfile_given_twice,
    ctrl_c_in_a_rerun,
    kill_in_a_rerun,
    ctrl_c_in_a_forced_run,
    kill_in_a_forced_run,
    deleted_notes_of_snakemake,
    moved_corpus,
    touched_files,
    results_copied_without_times,
    *(NEED_MOUNT if os.geteuid() == 0 else []),
]


@pytest.fixture(scope="module")
def user(make_workflow, tmp_path_factory):
    return Hurry(
        make_workflow().folder,
        make_sources(tmp_path_factory.mktemp("sources")),
        tmp_path_factory.mktemp("bin"),
    )


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all results, without what each run writes anew."""
    written = [
        path for path in folder.rglob("*") if path.is_file() and not {"logs", "benchmarks"} & set(path.parts)
    ]
    return {str(path.relative_to(folder)): path.read_bytes() for path in written}


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.__name__)
def test_a_finished_study_is_not_lost(user, attempt):
    before = contents(user.folder / "results")
    (user.folder / "started").unlink(missing_ok=True)
    attempt(user)
    assert contents(user.folder / "results") == before
    assert user.study.planned() == {}


def test_results_copied_over_another_study_are_never_mixed(make_workflow, tmp_path):
    """Files and records travel together: what the other study made is up to date there, and not here."""
    user = Hurry(make_workflow().folder, make_sources(tmp_path / "sources"), tmp_path)
    change = "tagger: {hidden_size: 12}"
    expected = user.study.planned(change)
    shutil.copytree(user.folder / "results", user.folder / "kept")
    (user.folder / "wide.yaml").write_text(change, encoding="utf-8")
    MarkedStudy(user.folder, (*user.study.arguments, "wide.yaml")).finish()
    shutil.copytree(user.folder / "kept", user.folder / "results", dirs_exist_ok=True)
    assert user.study.planned() == {}
    assert user.study.planned(change) == expected
    assert {"train", "predict", "evaluate"} <= set(expected)


def test_without_records_all_is_made_again(make_workflow, tmp_path):
    """Nothing says what the files were made from; `zarpipe plan` says so."""
    user = Hurry(make_workflow().folder, make_sources(tmp_path / "sources"), tmp_path)
    shutil.move(user.folder / "results/records", user.folder / "records")
    jobs = user.study.jobs()
    assert {"convert", "train", "table4"} <= {job.rule for job in jobs}
    shutil.move(user.folder / "records", user.folder / "results/records")
    assert user.study.planned() == {}
