"""The study, and what Snakemake itself needs to know of it. No rule stands here.

Whether a job runs again is decided by its record beside the results (zarpipe.study.records), not by times or params.
"""

import functools
import sys
import time
from pathlib import Path

from snakemake.exceptions import WorkflowError

from zarpipe.errors import ZarpipeError
from zarpipe.report import tables
from zarpipe.study import records, workflow as study_workflow

IMPORTED = len(workflow.modifier_stack) > 1  # as a module of another workflow
PREFIX = workflow.modifier.path_modifier and workflow.modifier.path_modifier.prefix
BASE = Path(str(workflow.current_basedir)).parent / "config.yaml"
if IMPORTED and not workflow.modifier.skip_configfile:
    raise WorkflowError("module zarpipe: found no `config:`; expected one (`config: {}` is enough)")
OVERLAYS, OVERRIDES = (
    ([], config) if IMPORTED else (workflow.config_settings.configfiles, workflow.config_settings.config)
)
if workflow.deployment_settings.deployment_method:
    raise WorkflowError(
        "--sdm: zarpipe runs where it is installed; leave this option out (README, Two commands)"
    )
try:
    STUDY = study_workflow.read_study([BASE, *OVERLAYS], OVERRIDES, PREFIX)
except ZarpipeError as error:
    raise WorkflowError(str(error))
STARTED = time.time()
CONFIG, JOBS, PATHS, SEEDS = STUDY.config, STUDY.jobs, STUDY.layout, STUDY.seeds
RECIPES, VARIANTS = study_workflow.by_name(STUDY), study_workflow.variants(STUDY)
STATES = study_workflow.states_by_folder(STUDY)


wildcard_constraints:
    split="train|dev|test",
    variant=study_workflow.VARIANT_PATTERN,
    recipe=study_workflow.RECIPE_PATTERN,
    seed=r"-?\d+",
    states=study_workflow.states_pattern(STUDY),


@functools.cache
def whole_graph():
    """Tell whether Snakemake is asked for the graph of all jobs, up to date or not."""
    dag = workflow.dag_settings
    forced = dag.forceall or dag.forcetargets or dag.forcerun
    return bool(IMPORTED or forced or study_workflow.asks_for_the_graph(sys.argv))


def reads(jobs_of, outputs, stored_of=None, **files):
    """Return a rule's input function: its job file (`job`), and `files` by name (see study_workflow.job_inputs)."""

    def inputs(wildcards):
        try:
            jobs = study_workflow.listed_jobs(jobs_of(wildcards))
            stored = stored_of(wildcards, jobs[0].key) if stored_of else None
            named, fresh = study_workflow.job_inputs(
                STUDY, wildcards, jobs, outputs, stored, files, workflow.is_main_process, whole_graph()
            )
        except ZarpipeError as error:
            raise WorkflowError(str(error))
        return {
            name: [ancient(made(path)) if fresh and name != "job" else made(path) for path in paths]
            for name, paths in named.items()
        }

    return inputs


def made(path):
    """Mark a path that has the prefix of an importing workflow already, so that it gets no second one."""
    return local(path) if PREFIX else path


def kept(paths):
    """Mark outputs that a failing job must not take away."""
    return [update(made(path)) for path in paths]


def shown(path, module):
    """Keep an output of a table, figure or page, and mark the one that `snakemake --report` shows."""
    output = kept([path])[0]
    if not tables.in_report(module, path):
        return output
    caption = tables.caption_file(module, Path(records.FOLDER) / "captions")
    return report(
        output, caption=str(caption), category=tables.category(module), labels=tables.labels(module)
    )


def untracked(value):
    """Return a param that is no reason to rerun, because it names `output`."""
    return lambda wildcards, output: value(wildcards) if callable(value) else value


def memory(megabytes):
    """Return a job's memory: twice as much on its second attempt, three times on its third."""
    return lambda wildcards, attempt: megabytes * attempt
