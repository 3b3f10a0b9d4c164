"""The study, its jobs by key, and what all rules share. No rule stands here.

The files of a job stand in one folder, JOBS/{rule}/{name}@{key}/, which appears when the job is done (docs/results-folder.md).
"""

from pathlib import Path
from types import SimpleNamespace

from snakemake.exceptions import WorkflowError

from zarpipe.errors import ZarpipeError
from zarpipe.report import tables
from zarpipe.study.study import PLANS
from zarpipe.workflow import read_workflow

IMPORTED = len(workflow.modifier_stack) > 1  # as a module of another workflow
PREFIX = workflow.modifier.path_modifier and workflow.modifier.path_modifier.prefix
BASE = Path(str(workflow.current_basedir)).parent / "config.yaml"
if IMPORTED and not workflow.modifier.skip_configfile:
    raise WorkflowError("module zarpipe: found no `config:`; expected one (`config: {}` is enough)")
if workflow.deployment_settings.deployment_method:
    raise WorkflowError(
        "--sdm: zarpipe runs where it is installed; leave this option out (README, Two commands)"
    )
OVERLAYS, OVERRIDES = (
    ([], config) if IMPORTED else (workflow.config_settings.configfiles, workflow.config_settings.config)
)
try:
    WORKFLOW = read_workflow([BASE, *OVERLAYS], OVERRIDES, PREFIX, workflow.is_main_process)
except ZarpipeError as error:
    raise WorkflowError(str(error))
STUDY, CONFIG, PLAN = WORKFLOW.study, WORKFLOW.study.config, WORKFLOW.plan


wildcard_constraints:
    key="[0-9a-f]{12}",
    recipe="[^/]+",


def here(path):
    """Mark a path that has the prefix of an importing workflow already, so that it gets no second one."""
    return local(path) if PREFIX else path


def found(table, name):
    try:
        return table[name]
    except ZarpipeError as error:
        raise WorkflowError(str(error))


def job(wildcards):
    return found(WORKFLOW.jobs, wildcards.key)


def reads(wildcards):
    """The jobs that a job reads. Their names say what made them, so their times mean nothing."""
    return [ancient(here(path)) for path in WORKFLOW.reads(job(wildcards))]


def folder(rule):
    """The job.json of a rule's jobs. `update`: Snakemake does not remove one that another run has just made."""
    return update(here(f"{STUDY.root}/{rule}/{{name}}@{{key}}/job.json"))


def log_of(rule):
    return here(f"{STUDY.results}/logs/{rule}/{{name}}@{{key}}.log")


def told(wildcards, output):
    """What the command of a job is told. (A param that names `output` is no reason to run again.)"""
    return SimpleNamespace(plan=PLAN, options=job(wildcards).options)


def copied(name, shown):
    """The job whose files are copied to where people look, and another file if the copy is another job's."""
    made, current = WORKFLOW.copies(name, shown)
    now = here(WORKFLOW.now)
    return [*(ancient(here(path)) for path in made), ancient(now) if current else now]


def in_report(file, module):
    """A copy for people; the one of a table, figure or page that `snakemake --report` shows is marked."""
    path = here(STUDY.shown(file))
    if module is None or not tables.in_report(module, file):
        return path
    caption = tables.caption_file(module, Path(PLANS) / "captions")
    return report(path, caption=str(caption), category=tables.category(module), labels=tables.labels(module))


def memory(megabytes):
    """A job's memory: twice as much on its second attempt, three times on its third."""
    return lambda wildcards, attempt: megabytes * attempt


def gpus(device):
    return 1 if device == "cuda" else 0
