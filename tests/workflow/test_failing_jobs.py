"""A job that fails on a finished study takes nothing away: mended, there is nothing to do."""

import contextlib
import json
from pathlib import Path

import pytest
from workflow.marked import MarkedStudy
from workflow.rerun_table import RULES
from workflow_copy import Workflow

from zarpipe.files import read_json
from zarpipe.study.dry_run import planned_jobs

TINY = str(Path(__file__).parent / "tiny.yaml")


@pytest.fixture(scope="module")
def finished_study(make_workflow):
    """A finished study, with the job files of one job of every rule."""
    study = MarkedStudy(make_workflow().folder, ("all", "--configfile", TINY))
    with contextlib.chdir(study.folder):
        jobs = {job.rule: job for job in planned_jobs(study.arguments)}
    study.finish()
    return study, jobs


@pytest.fixture(scope="module")
def failing_zarpipe(tmp_path_factory):
    """A folder with a command `zarpipe` that fails."""
    folder = tmp_path_factory.mktemp("bin")
    command = folder / "zarpipe"
    command.write_text("#!/bin/sh\necho 'zarpipe: error: no'\nexit 1\n", encoding="utf-8")
    command.chmod(0o755)
    return folder


@pytest.mark.parametrize("rule", RULES)
def test_a_failing_job_once_mended_leaves_nothing_to_do(finished_study, failing_zarpipe, rule):
    study, jobs = finished_study
    job = jobs[rule]
    files = {path: (study.folder / path).read_bytes() for path in job.output}
    records = [study.folder / path for path in read_json(study.folder / job.job_file)["records"]]
    before = [record.read_bytes() for record in records]
    for record in records:  # as if made with other settings
        record.write_text(json.dumps(read_json(record) | {"key": "other"}), encoding="utf-8")

    workflow = Workflow(study.folder)
    said = workflow.run(
        job.output[0], *study.arguments[1:], check=False, PATH=f"{failing_zarpipe}:/usr/bin:/bin"
    )

    assert f"rule {rule}" in said
    assert "zarpipe: error: no" in said
    for record, content in zip(records, before, strict=True):  # mended
        record.write_bytes(content)
    assert {path: (study.folder / path).read_bytes() for path in job.output} == files
    assert study.planned() == {}


SLIPS = {
    "corpus: {split: ids, ids: ids_wiht_a_slip}": "corpus.ids",
    "corpus: {split: ids, ids: .}": "corpus.ids",
    "corpus: {format: knp}": "corpus.split",
    "corpus: {path: corpuss}": "corpus.path",
    "mlm: {path: ./modell}": "mlm.path",
    "mlm: {path: results/mlm/modell}": "mlm.path",
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_refused_before_any_job(finished_study, slip):
    study, _ = finished_study
    overlay = study.folder / "slip.yaml"
    overlay.write_text(slip, encoding="utf-8")
    said = Workflow(study.folder).run(*study.arguments, "slip.yaml", check=False)
    assert SLIPS[slip] in said
    assert "Traceback" not in said
    assert study.planned() == {}
