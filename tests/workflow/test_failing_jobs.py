"""A job that fails on a finished study takes nothing away: mended, there is nothing to do."""

import contextlib
import json
from pathlib import Path

import pytest
from workflow.marked import FAILS, MarkedStudy, configuration, make_sources, stand_in
from workflow.rerun_table import RULES
from workflow_copy import Workflow

from zarpipe.files import read_json
from zarpipe.study.dry_run import planned_jobs

TINY = str(Path(__file__).parent / "tiny.yaml")


def finished(study):
    """Finish a study; return it with one job of every rule."""
    with contextlib.chdir(study.folder):
        jobs = {job.rule: job for job in planned_jobs(study.arguments)}
    study.finish()
    return study, jobs


@pytest.fixture(scope="module")
def finished_study(make_workflow):
    """A finished study, with the job files of one job of every rule."""
    return finished(MarkedStudy(make_workflow().folder, ("all", "--configfile", TINY)))


@pytest.fixture(scope="module")
def study_on_a_store(make_workflow, tmp_path_factory):
    """The same on a store that studies share."""
    folder, made = make_workflow().folder, make_sources(tmp_path_factory.mktemp("sources"))
    own = configuration(folder / "own.yaml", "results", made / "store", made / "corpus", made / "model")
    return finished(MarkedStudy(folder, ("all", "--configfile", TINY, own)))


# Makes its files, named in OUTPUTS, as the real command does; then its end is not what Snakemake waits for.
FINISHES_AND_FAILS = """\
import json, os
from pathlib import Path
from zarpipe.files import write_text
from zarpipe.study.records import recording

with recording(Path(sys.argv[2])) as stored:
    for path in json.loads(os.environ["OUTPUTS"]):
        write_text(Path(stored.links.get(path, path)), "new")
sys.exit(1)
"""


def make_stale(study, job):
    """Let a job's records say that its files were made with other settings; return what mends them."""
    records = [study.folder / path for path in read_json(study.folder / job.job_file)["records"]]
    before = {record: record.read_bytes() for record in records}
    for record in records:
        record.write_text(json.dumps(read_json(record) | {"key": "other"}), encoding="utf-8")
    return before


def run_job(study, job, command, **environment):
    """Run one job with a stand-in for `zarpipe`; return what Snakemake said."""
    return Workflow(study.folder).run(
        job.output[0], *study.arguments[1:], check=False, PATH=f"{command}:/usr/bin:/bin", **environment
    )


CASES = [("finished_study", rule) for rule in RULES]
CASES += [("study_on_a_store", rule) for rule in ("convert", "encode_variant", "train", "table4")]


@pytest.mark.parametrize(("kind", "rule"), CASES)
def test_a_failing_job_once_mended_leaves_nothing_to_do(request, kind, tmp_path, rule):
    study, jobs = request.getfixturevalue(kind)
    job = jobs[rule]
    files = {path: (study.folder / path).read_bytes() for path in job.output}
    mended = make_stale(study, job)

    said = run_job(study, job, stand_in(tmp_path, FAILS))

    assert f"rule {rule}" in said
    assert "zarpipe: error: no" in said
    for record, content in mended.items():
        record.write_bytes(content)
    assert {path: (study.folder / path).read_bytes() for path in job.output} == files
    assert study.planned() == {}


@pytest.mark.parametrize("kind", ["finished_study", "study_on_a_store"])
@pytest.mark.parametrize("rule", ["convert", "train"])
def test_what_a_job_finished_before_it_failed_stays(request, kind, tmp_path, rule):
    """Files and record go together: never an older file beside a record of the new one."""
    study, jobs = request.getfixturevalue(kind)
    job = jobs[rule]
    make_stale(study, job)

    said = run_job(study, job, stand_in(tmp_path, FINISHES_AND_FAILS), OUTPUTS=json.dumps(job.output))

    assert f"rule {rule}" in said
    assert {(study.folder / path).read_text(encoding="utf-8") for path in job.output} == {"new"}
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
