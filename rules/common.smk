"""The study, and what Snakemake itself needs to know of it. No rule stands here.

Whether a job runs again is decided by its record beside the results (zarpipe.study.records), not by the times of
files, and not by params.
"""

import functools
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

from zarpipe.config.files import load_config
from zarpipe.config.options import command_line
from zarpipe.errors import ZarpipeError
from zarpipe.study import records
from zarpipe.study import workflow as study_workflow
from zarpipe.study.specs import dumped
from zarpipe.study.study import Study

PROJECT = Path(str(workflow.current_basedir)).parent


def read_study():
    """Read config.yaml and what was given on top of it, strictly: as overlays, or by an importing workflow."""
    settings, modifier = workflow.config_settings, workflow.modifier
    try:
        if len(workflow.modifier_stack) > 1:  # imported as a module of another workflow
            if not modifier.skip_configfile:
                raise ZarpipeError("module zarpipe: found no `config:`; expected one (`config: {}` is enough)")
            study = Study(load_config([PROJECT / "config.yaml"], config))
        else:
            study = Study(load_config([PROJECT / "config.yaml", *settings.configfiles], settings.config))
        study_workflow.check_inputs(study)
    except ZarpipeError as error:
        raise WorkflowError(str(error))
    prefix = modifier.path_modifier and modifier.path_modifier.prefix
    return Study(study.config, f"{prefix}{study.config.results}") if prefix else study


STUDY = read_study()
CONFIG, JOBS, PATHS = STUDY.config, STUDY.jobs, STUDY.layout
RECIPES = study_workflow.by_name(STUDY)
SEEDS = STUDY.seeds
MLM = CONFIG.mlm.path or PATHS.model()
MLM_OPTIONS = command_line(dumped(CONFIG.mlm, "path"))
ENCODING_OPTIONS = command_line(dumped(CONFIG.encoding, "threads"))


wildcard_constraints:
    split="train|dev|test",
    variant=study_workflow.variant_pattern(STUDY),
    recipe=study_workflow.recipe_pattern(STUDY),
    seed=r"-?\d+",


@functools.cache
def whole_graph():
    """Tell whether jobs that are up to date keep their inputs.

    They need none: nothing above them can make them run, and the graph stays small. Where Snakemake is asked for
    the graph of all jobs, or finds what was killed, it gets all.
    """
    dag = workflow.dag_settings
    return bool(
        dag.forceall
        or dag.forcetargets
        or dag.forcerun
        or len(workflow.modifier_stack) > 1
        or study_workflow.asks_for_the_graph(sys.argv)
        or study_workflow.was_killed()
    )


def reads(jobs_of, outputs, stored_of=None, **files):
    """Return a rule's input function: its job file (`job`) and the files that it reads, by name.

    `jobs_of` gives the job, or those of several seeds; `outputs` are the rule's; `stored_of` says where they lie
    when studies share them. Of files, functions get the wildcards.
    """

    def wanted(wildcards):
        jobs = jobs_of(wildcards)
        jobs = jobs if isinstance(jobs, list) else [jobs]
        by_record = {PATHS.record(one.name): one for one in jobs}
        path = records.job_file(jobs)
        if workflow.is_main_process:
            path = records.announce(by_record, stored_of(wildcards, jobs[0].key) if stored_of else None)
        fresh = records.all_up_to_date(by_record, [output.format(**wildcards) for output in outputs])
        named = {"job": made(str(path))}
        if fresh and not whole_graph():
            return named
        for name, value in files.items():
            paths = study_workflow.listed(value(wildcards) if callable(value) else value)
            formatted = [made(path.format(**wildcards)) for path in paths]
            named[name] = [ancient(path) for path in formatted] if fresh else formatted
        return named

    return wanted


def kept(paths):
    """Mark outputs that a failing job must not take away; links into a shared store are made again."""
    return [made(path) if CONFIG.features else update(made(path)) for path in paths]


def made(path):
    """Mark a path that has the prefix of an importing workflow already."""
    return local(path)


def paths_of(inputs):
    """Return the paths of a study's inputs, each once."""
    return list(dict.fromkeys(one.path for one in inputs))


def untracked(value):
    """Return a param that is no reason to rerun, because it names `output`."""
    return lambda wildcards, output: value(wildcards) if callable(value) else value


def memory(megabytes):
    """Return a job's memory: twice as much on its second attempt, three times on its third."""
    return lambda wildcards, attempt: megabytes * attempt


def gpus(device):
    """Return the GPUs that a job asks the scheduler for."""
    return 1 if device == "cuda" else 0
