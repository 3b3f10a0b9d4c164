"""What the rules ask of the study: what can be refused before any job runs, groups of seeds, shared files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from zarpipe.config import SPLITS
from zarpipe.errors import ZarpipeError
from zarpipe.study.recipe import BASELINE_TWICE, Recipe
from zarpipe.study.records import Stored
from zarpipe.study.specs import chosen_recipes, name_of
from zarpipe.study.study import Study

_GRAPH_OPTIONS = frozenset(
    {"--report", "--rulegraph", "--dag", "--filegraph", "--summary", "--detailed-summary", "-S", "-D"}
    | {"--archive", "--lint", "--d3dag", "--touch", "-t"}
)
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")


def check_inputs(study: Study) -> None:
    """Refuse what no job could read, before one runs. Raises ZarpipeError that names the key."""
    corpus = study.config.corpus
    if corpus.path is not None:
        _check_there("corpus.path", corpus.path, "the folder of the corpus")
    if corpus.split == "taira" and corpus.format == "knp":
        raise ZarpipeError(
            "corpus.split: found 'taira' with `format: knp`; only NTC files are named by date. "
            "Expected ids (with corpus.ids) or folders"
        )
    if corpus.split == "ids":
        _check_lists(study)
    if study.config.mlm.path is not None:
        _check_model(study.config.mlm.path)


def _check_there(key: str, path: str, expected: str) -> None:
    if not Path(path).exists():
        raise ZarpipeError(
            f"{key}: found {path!r}, where nothing is ({Path(path).absolute()}); expected {expected}. "
            f"Relative paths start at the working directory, {Path.cwd()}"
        )


def _check_lists(study: Study) -> None:
    written, folder = study.config.corpus.ids, study.jobs.ids_folder()
    if not written or not folder:
        raise ZarpipeError(
            "corpus.ids: found nothing (null); `split: ids` needs the folder of train.id, dev.id and test.id"
        )
    inside = Path(study.config.corpus.path or "") / written
    if not Path(folder).is_dir():
        raise ZarpipeError(
            f"corpus.ids: found {written!r}, where no folder is (neither {inside} nor "
            f"{Path(folder).absolute()}); expected the folder of train.id, dev.id and test.id, below "
            "corpus.path or by itself"
        )
    for split in SPLITS:
        if not (Path(folder) / f"{split}.id").is_file():
            raise ZarpipeError(
                f"corpus.ids: {folder} has no {split}.id; expected train.id, dev.id and test.id"
            )


def _check_model(path: str) -> None:
    """Refuse a path where nothing is; what could be a hub name is left to the hub."""
    first = Path(path).parts[0] if Path(path).parts else ""
    looks_like_a_path = not _HUB_NAME.fullmatch(path) or first in (".", "..") or Path(first).is_dir()
    if looks_like_a_path and not Path(path).exists():
        _check_there("mlm.path", path, "the folder of a model, or a hub name")


def listed(value: str | Sequence[str]) -> list[str]:
    """Return one path or several as a list."""
    return [value] if isinstance(value, str) else list(value)


def asks_for_the_graph(arguments: Sequence[str]) -> bool:
    """Tell whether a command line of Snakemake asks for the graph of all jobs, not for what must run."""
    return any(argument.split("=")[0] in _GRAPH_OPTIONS for argument in arguments)


def was_killed(folder: str = ".snakemake/incomplete") -> bool:
    """Tell whether Snakemake has noted files of jobs that did not end; it runs them again by itself."""
    return Path(folder).is_dir() and any(Path(folder).iterdir())


def seed_groups(study: Study) -> dict[str, list[str]]:
    """Return the seeds of each training job, by the name of its rule; a wildcard where a job has one seed."""
    size, seeds = study.config.training.seeds_per_job, study.seeds
    if size == 1:
        return {"train": ["{seed}"]}
    groups = [seeds[start : start + size] for start in range(0, len(seeds), size)]
    return {f"train_from_seed{group[0]}": [str(seed) for seed in group] for group in groups}


def recipe_pattern(study: Study) -> str:
    """Return what the wildcard ``recipe`` may be: the recipes of the study and the chosen ones."""
    names = [recipe.name for recipe in study.grid.recipes()] + chosen_recipes()
    return "|".join(map(re.escape, names))


def trained_pattern(study: Study) -> str:
    """Return what the wildcard ``recipe`` may be where taggers are trained: the chosen ones are copies."""
    return "|".join(re.escape(recipe.name) for recipe in study.grid.recipes())


def variant_pattern(study: Study) -> str:
    """Return what the wildcard ``variant`` may be."""
    names = {recipe.variant.name for recipe in study.grid.recipes() if recipe.variant}
    return "|".join(map(re.escape, sorted(names)))


def by_name(study: Study) -> dict[str, Recipe | str]:
    """Return what a value of the wildcard ``recipe`` stands for."""
    named: dict[str, Recipe | str] = {recipe.name: recipe for recipe in study.grid.recipes()}
    return named | {name: name for name in chosen_recipes()}


def stored(study: Study, kind: str, key: str, output: str, files: list[str]) -> Stored:
    """Return where a job's files lie when studies share them (config key ``features``).

    Args:
        study: the study.
        kind: folder of the store.
        key: the job's key: other settings, code or models can never be mistaken for these.
        output: what the command is asked to write.
        files: the files that it writes.
    """
    if study.config.features is None:
        return Stored()
    folder = f"{study.config.features}/{kind}/{key}"
    links = {file: f"{folder}/{Path(file).name}" for file in files}
    return Stored(output, f"{folder}/{Path(output).name}" if Path(output).suffix else folder, links)


def curve_names(study: Study) -> list[str]:
    """Return the recipes whose trainings `all` draws: the baselines and those that see the test set."""
    return [BASELINE_TWICE.name, *map(name_of, study.test_recipes)]
