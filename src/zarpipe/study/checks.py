"""What can be refused before any job runs: what no job could read. Raises ZarpipeError that names the key."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from zarpipe import sample
from zarpipe.config import SPLITS
from zarpipe.config.perturbations import perturbation_part
from zarpipe.config.policies import policy_parts
from zarpipe.errors import ZarpipeError
from zarpipe.mlm.files import local_model_files, read_settings
from zarpipe.study.extra import check_extra
from zarpipe.study.own_functions import PERTURBATION, check_function
from zarpipe.study.study import Study
from zarpipe.task.subsets import DocumentFraction

_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
# What a model's config.json calls the number of its layers.
_LAYER_COUNTS = ("num_hidden_layers", "n_layers")


def check_inputs(study: Study) -> None:
    """Refuse what no job could read, before one runs. Raises ZarpipeError that names the key."""
    corpus = study.config.corpus
    if corpus.path is not None:
        _check_there("corpus.path", corpus.path, "the folder of the corpus")
    if corpus.split == "taira" and corpus.format == "knp":
        problem = "only NTC files are named by date. Expected ids (with corpus.ids) or folders"
        raise ZarpipeError(f"corpus.split: found 'taira' with `format: knp`; {problem}")
    if corpus.split == "ids" and corpus.format == "parquet":
        problem = "whose files are split already; leave it out"
        raise ZarpipeError(f"corpus.split: found 'ids' with `format: parquet`, {problem}")
    if corpus.split == "ids":
        _check_lists(study)
    if study.config.mlm.path is not None:
        _check_model(study.config.mlm.path)
        local_model_files(study.config.mlm)
    _check_layers(study)
    study.jobs.convert().key  # noqa: B018 (finds the corpus files)
    for name in study.config.augmentation.policies:
        _check_policy(study, name)
    convert = study.jobs.convert()
    splits = [study.jobs.corpus(split) for split in ("dev", "test")] if convert.is_there else []
    for name, recipe in study.config.recipes.items():
        for place, file in enumerate(recipe.extra):
            check_extra(f"recipes.{name}.extra[{place}]", file, splits)
        if recipe.perturb and (part := perturbation_part(recipe.perturb)).file:
            check_function(part, f"recipes.{name}.perturb", PERTURBATION)
    _check_fractions(study)


def _check_policy(study: Study, name: str) -> None:
    """Refuse a policy of the user's own whose file or function is not there, or takes other options.

    What the function returns is seen by the policy's first job; these jobs run before trainings.
    """
    definition = study.config.policies.get(name)
    for part in policy_parts(definition) if definition else ():
        if part.file:
            check_function(part, f"policies.{name}")


def _check_fractions(study: Study) -> None:
    """Refuse fractions of the learning curve that are the same documents, where their number is known."""
    fractions = study.config.learning_curve.fractions
    documents = _training_documents(study) if fractions else None
    if documents is None:
        return
    by_count: dict[int, str] = {}
    for fraction in fractions:
        count = DocumentFraction(fraction=fraction, seed=1).count(documents)
        if count in by_count:
            raise ZarpipeError(
                f"learning_curve.fractions: found {by_count[count]} and {fraction}, both {count} of the "
                f"{documents} training documents; expected fractions that differ: leave one out"
            )
        by_count[count] = fraction


def _training_documents(study: Study) -> int | None:
    """Return how many documents the training split has; None before the corpus is converted."""
    corpus = study.config.corpus
    if corpus.path is None:
        return min(sample.TRAINING_DOCUMENTS, corpus.limit.train or sys.maxsize)
    if not study.jobs.convert().is_there:
        return None
    from zarpipe.formats.corpus import read_corpus  # loads pyarrow

    return len(read_corpus(study.jobs.corpus("train"), ["doc_id"])["doc_id"].unique())


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
        if not Path(folder, f"{split}.id").is_file():
            found = f"{folder} has no {split}.id"
            raise ZarpipeError(f"corpus.ids: {found}; expected train.id, dev.id and test.id")


def _check_model(path: str) -> None:
    """Refuse a path where nothing is; what could be a hub name is left to the hub."""
    first = path.split("/")[0]
    looks_like_a_path = not _HUB_NAME.fullmatch(path) or first in (".", "..") or Path(first).is_dir()
    if looks_like_a_path and not Path(path).exists():
        _check_there("mlm.path", path, "the folder of a model, or a hub name")


def _check_layers(study: Study) -> None:
    """Refuse layers that the model does not have, where that is known without loading it."""
    config, top = study.config, _top_layer(study)
    named = {"encoding.layers": config.encoding.layers} | {
        f"tagger.compare[{place}].layers": kind.layers
        for place, kind in enumerate(config.tagger.compare)
        if kind.layers
    }
    for key, layers in named.items():
        if top is not None and max(layers.numbers, default=0) > top:
            model = Path(study.jobs.model_path()).name
            raise ZarpipeError(
                f"{key}: found {layers}; expected layers of {model}, which has 0 (the embeddings) to {top}"
            )


def _top_layer(study: Study) -> int | None:
    """Return the number of the model's last layer; None for a hub name, and a model that does not say it."""
    path = Path(study.jobs.model_path())
    if not path.is_dir():
        return None
    settings = read_settings(path / "config.json")
    known = [settings[name] for name in _LAYER_COUNTS if isinstance(settings.get(name), int)]
    return next(iter(known), None)
