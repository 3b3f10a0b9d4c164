"""The table of the code of each job (zarpipe.study.code), against what really runs."""

import ast
import contextlib
import multiprocessing
import shlex
import sys
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
import yaml
from workflow_copy import PROJECT

from zarpipe.cli import main
from zarpipe.config.files import load_config
from zarpipe.study import code, stages
from zarpipe.study.code import CODE, has_effect, modules_of
from zarpipe.study.jobs import Job, with_all_they_read
from zarpipe.study.study import Study
from zarpipe.workflow import Workflow

# One job of each kind, as small as they come.
STUDY = {
    "corpus": {"limit": {"train": 4, "dev": 2, "test": 2}},
    "augmentation": {
        "alphas": [0.5],
        "pos_sets": ["all"],
        "policies": ["each", "particles", "unlikely", "mine"],
    },
    "encoding": {"layers": "mix"},
    "tagger": {
        "layers": 1,
        "hidden_size": 8,
        "compare": [{"architecture": "linear"}, {"architecture": "finetuned"}],
    },
    "training": {"seeds": [1], "epochs": 2, "batch_size": 32},
    "segmentation": {"table": True},
    "antecedents": {"policies": ["noun"], "folds": 2, "seeds": [1], "filtered": True},
    "recipes": {
        "control": {"use": "masking", "perturb": {"use": "noise"}},
        "mine": {"perturb": {"use": "mine.py:unchanged"}},
    },
    "policies": {
        "each": {
            "use": ["pos", "distance", "dependency", "predicates", "arguments", "content"],
            "pos": {"tags": ["名詞"]},
        },
        "particles": {"use": "function"},
        "unlikely": {"use": "surprisal"},
        "mine": {"use": "mine.py:weights"},
    },
}
MINE = """
def weights(sentence, predicate):
    return [1.0 for _ in sentence.tokens]

def unchanged(states, sentence, generator):
    return states
"""
CASE = PROJECT / "tests/cases/02-knp-spaces-in-morphemes/corpus"
KNP = {"format": "knp", "path": f"{CASE}/knp", "split": "ids", "ids": f"{CASE}/id"}
# `converted` is what the last of them was made into.
CORPORA = (KNP, KNP | {"tokens": "unidic"}, {"tokens": "unidic"}, {"format": "parquet", "path": "converted"})
# Rule -> its command, where that is another word.
COMMANDS = {"encode_variant": "encode", "encode_sentences": "encode", "finetune": "train"}
PACKAGE = f"{Path(code.__file__).parents[1]}/"


def jobs_of_all(study: dict) -> tuple[dict[str, Job], str]:
    """Return the jobs of `all`, and the path of their plan."""
    Path("study.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
    made = Workflow(Study(load_config([PROJECT / "config.yaml", Path("study.yaml")], {})), main=True)
    return with_all_they_read(one.job for one in made.shown.values()), made.plan


def run(command: list[str]) -> tuple[int, set[str]]:
    """Run a command; return its status and the modules of zarpipe whose functions it ran.

    What runs while a module is imported does not count.
    """
    ran: set[str] = set()

    def called(frame, *_):
        module, file = frame.f_globals.get("__name__", ""), frame.f_code.co_filename
        if not file.startswith(PACKAGE) or module in ran:
            return
        while frame is not None:
            if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(PACKAGE):
                return
            frame = frame.f_back
        ran.add(module)

    sys.setprofile(called)
    status = main(command)
    sys.setprofile(None)
    return status, ran


def command_of(job: Job, plan: str) -> list[str]:
    """Return the command line of a job; a corpus is read in one process."""
    command = COMMANDS.get(job.rule, job.rule.replace("_", "-"))
    here = ["--jobs", "1"] if command == "convert" else []
    return ["--job", job.path(), "--plan", plan, command, *shlex.split(job.options), *here]


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> dict[tuple[str, ...], set[str]]:
    """By what stands for the code of a job in CODE: the modules of which such jobs ran functions."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    found = defaultdict(set)
    with contextlib.chdir(folder):
        run_study(found, STUDY, chosen)
        for corpus in CORPORA:
            run_study(found, {"corpus": corpus}, lambda jobs, _: [jobs["convert/corpus"]])
            Path("converted").unlink(missing_ok=True)
            newest = max(
                Path("results/jobs/convert").glob("corpus@*"), key=lambda path: path.stat().st_mtime_ns
            )
            Path("converted").symlink_to(newest)
    return found


def run_study(found: dict[tuple[str, ...], set[str]], study: dict, chosen: Callable) -> None:
    """Run some jobs of a study and what they read, each in a process, and note what they ran."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "code_digest", lambda *names: " ".join(names))
        told, _ = jobs_of_all(study)
    names = {name: tuple(job.settings.get("code", "").split()) for name, job in told.items()}
    jobs, plan = jobs_of_all(study)
    # Each in a process of its own, in which what takes long to import is there.
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(
        ["zarpipe.cli", "transformers.models.bert.modeling_bert", "h5py", "pyarrow"]
    )
    with ProcessPoolExecutor(1, processes, max_tasks_per_child=1) as pool:
        for job in in_order(chosen(jobs, names)):
            status, modules = pool.submit(run, command_of(job, plan)).result()
            assert status == 0, job.id
            found[names[job.id]] |= set(filter(has_effect, modules))


def chosen(jobs: dict[str, Job], names: dict[str, tuple[str, ...]]) -> list[Job]:
    """Return for each kind of code the job that needs the fewest others, and what runs more of the same."""
    known = [job for job in jobs.values() if names[job.id] and set(names[job.id]) <= set(CODE)]
    known.sort(key=lambda job: len(with_all_they_read([job])), reverse=True)
    smallest = {names[job.id]: job for job in known}
    filtered = next(
        job for job in known if job.rule == "train" and "filter_copies" in {one.rule for one in job.reads}
    )
    masked = next(job for job in known if job.rule == "finetune" and "masking" in job.name)
    return [*smallest.values(), filtered, masked]


def in_order(jobs: list[Job]) -> list[Job]:
    """Return jobs and all that they read, each after what it reads."""
    done: dict[str, Job] = {}

    def add(job: Job) -> None:
        for read in job.reads:
            add(read)
        done[job.id] = job

    for job in jobs:
        add(job)
    return list(done.values())


def test_every_module_that_runs_in_a_job_is_listed_for_it(ran):
    assert {name for names in ran for name in names} == set(CODE)
    missing = {" ".join(names): sorted(modules - modules_of(*names)) for names, modules in ran.items()}
    assert_none(missing)


def test_every_module_that_is_listed_for_a_job_runs_in_it_or_gives_it_a_constant(ran):
    idle = {}
    for name in {name for names in ran for name in names}:
        modules = set.union(*(found for names, found in ran.items() if name in names))
        beside = set.union(*(modules_of(*names) for names in ran if name in names))
        idle[name] = sorted(modules_of(name) - modules - constants_of(beside))
    assert_none(idle)


def test_every_constant_that_a_listed_module_imports_is_of_a_listed_one(ran):
    found = {" ".join(names): sorted(constants_of(modules_of(*names)) - modules_of(*names)) for names in ran}
    assert_none(found)


def assert_none(found: dict[str, list[str]]) -> None:
    lines = [f"{name}: {', '.join(modules)}" for name, modules in found.items() if modules]
    assert not lines, "\n".join(lines)


def constants_of(modules: set[str]) -> set[str]:
    """Return the modules from which these import something in capitals, if that can have an effect."""
    found = set()
    for module in modules:
        for node in ast.walk(ast.parse(code._file(module).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and any(alias.name.isupper() for alias in node.names):
                found.add(node.module)
    return {module for module in found if module.startswith("zarpipe.") and has_effect(module)}
