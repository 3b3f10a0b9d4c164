"""What runs when, by Snakemake itself: the cases of a hurried user. Jobs are stand-ins that take no time."""

import os
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest
from workflow_copy import Workflow

from zarpipe.cli import main
from zarpipe.sample import CORPUS, MODEL

TABLE = "results/table4.csv"
TINY = str(Path(__file__).parent / "tiny.yaml")
# Stands for `zarpipe --job JOB --plan PLAN ...`: makes the folder, or fails where FAIL names the rule.
STAND_IN = f"""\
#!{sys.executable}
import json, os, sys
from pathlib import Path
folder, plan = Path(sys.argv[2]).parent, json.loads(Path(sys.argv[4]).read_text())
(job,) = [job for job in plan["jobs"].values() if job["key"] == folder.name[-12:]]
with open("ran.log", "a") as log:
    log.write(job["rule"] + "\\n")
if os.environ.get("FAIL") == job["rule"]:
    sys.exit("zarpipe: error: no")
folder.mkdir(parents=True, exist_ok=True)
for ending in (".csv", ".md", ".tex", ".json", "_runs.csv", "_full.csv"):
    (folder / f"{{job['name']}}{{ending}}").write_text(job["key"]) if job["rule"] == "report" else None
(folder / "study.json").write_text(json.dumps(plan))
(folder / "recipes.json").write_text("{{}}")
(folder / "job.json").write_text(json.dumps({{**job, "seconds": 1, "files": {{}}}}))
"""


class Quick:
    """A workflow whose jobs take no time.

    Args:
        folder: where Snakemake is called.
        bin_folder: with the stand-in.
    """

    def __init__(self, folder: Path, bin_folder: Path) -> None:
        self.workflow, self.bin = Workflow.make(folder), bin_folder
        self.folder, self.said = folder, ""

    def ran(
        self, *config: str, target: str = TABLE, more: tuple[str, ...] = (), **environment: str
    ) -> Counter:
        """Run Snakemake; return how many jobs of each rule ran."""
        log = self.folder / "ran.log"
        log.unlink(missing_ok=True)
        path = f"{self.bin}:/usr/bin:/bin"
        set_keys = ("--config", *config) if config else ()
        self.said = self.workflow.run(
            "--configfile", TINY, *set_keys, *more, "--", target, check=False, PATH=path, **environment
        )
        return Counter(log.read_text().split() if log.exists() else [])

    @property
    def table(self) -> str:
        """What stands in the table that people open: the key of its job."""
        return (self.folder / TABLE).read_text()


@pytest.fixture(scope="module")
def bin_folder(tmp_path_factory):
    command = tmp_path_factory.mktemp("bin") / "zarpipe"
    command.write_text(STAND_IN, encoding="utf-8")
    command.chmod(0o755)
    return command.parent


OTHER, WIDER = "tagger={hidden_size: 9}", "tagger={hidden_size: 10}"
TRAINED = {"train": 8, "predict": 4, "evaluate": 4, "report": 1}


def test_a_folder_that_is_there_is_right_and_nothing_takes_it_away(tmp_path, bin_folder):
    study = Quick(tmp_path / "first", bin_folder)
    everything = study.ran()
    assert everything == TRAINED | {
        "convert": 1, "describe_mlm": 1, "augment": 2, "encode": 2, "encode_variant": 2
    }, study.said  # fmt: skip
    first = study.table
    assert study.ran() == {}
    assert "Nothing to be done" in study.said
    assert study.ran(OTHER) == TRAINED
    other = study.table
    assert other != first
    assert study.ran() == {}
    assert study.table == first

    # What fails takes nothing away, nor does what the user mistypes.
    assert study.ran(WIDER, FAIL="train")["report"] == 0
    assert "zarpipe: error: no" in study.said
    for slip, message in {
        "tager={layers: 1}": "unknown key 'tager'",
        "corpus={path: corpuss}": "corpuss",
    }.items():
        assert study.ran(slip) == {}
        assert message in study.said
    assert study.ran(WIDER, more=("--allowed-rules", "report", "show_table4"))["train"] == 0
    assert study.table == first
    assert study.ran(OTHER) == {}
    assert study.table == other

    # Without Snakemake's notes, with all times the same or ahead of the clock, in another place.
    copy = Quick(tmp_path / "copy", bin_folder)
    shutil.copytree(study.folder / "results", copy.folder / "results", copy_function=shutil.copyfile)
    assert (copy.ran(), copy.table) == ({}, first)
    ahead = (copy.folder / TABLE).stat().st_mtime + 600
    for path in (copy.folder / "results").rglob("*"):
        os.utime(path, (ahead, ahead))
    assert (copy.ran(OTHER), copy.table) == ({}, other)
    assert (copy.ran(), copy.table) == ({}, first)
    copy.ran(OTHER, more=("--touch",))
    assert (copy.ran(OTHER), copy.table) == ({}, other)


def test_studies_share_a_store_and_prune_leaves_what_one_needs(tmp_path, bin_folder, capsys):
    study = Quick(tmp_path / "here", bin_folder)
    # In the same folder and in another one; the corpus is at another place there.
    corpus, store = shutil.copytree(CORPUS, tmp_path / "corpus"), f"store={tmp_path / 'store'}"
    study.ran(store, target="results/study.json")
    assert study.ran(store)["encode"] == 2, study.said
    elsewhere = Quick(tmp_path / "elsewhere", bin_folder)
    given = (f"corpus={{path: {corpus}}}", f"mlm={{path: {shutil.copytree(MODEL, tmp_path / 'model')}}}")
    assert elsewhere.ran(store, *given, OTHER) == TRAINED
    elsewhere.ran(store, *given, OTHER, target="results/study.json")
    studies = [str(one.folder / "results") for one in (study, elsewhere)]
    assert main(["prune", *studies, "--dry-run"]) == 0
    assert "Nothing to remove" in capsys.readouterr().out
    assert main(["prune", studies[0], "--dry-run"]) == 0
    assert capsys.readouterr().out.count("/train/") == 8
    assert main(["prune", studies[0]]) == 0
    assert study.ran(store) == {}
    assert elsewhere.ran(store, *given, OTHER) == {}, "its table is still the one of its key"
    assert elsewhere.ran(store, *given, WIDER) == TRAINED
    # What was deleted (`make clean-features`) is made again only for jobs that are new.
    shutil.rmtree(tmp_path / "store/jobs/encode_variant")
    assert study.ran(store) == {}
    assert study.ran(store, "training={seeds: [1, 2, 3]}") == {
        **{"encode_variant": 2, "train": 4, "predict": 4, "evaluate": 4, "report": 1}
    }  # fmt: skip
