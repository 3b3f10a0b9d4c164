"""What the rules ask of the study: what can be refused before any job runs, groups of seeds, shared files."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from zarpipe import sample
from zarpipe.config import SPLITS, MlmConfig
from zarpipe.config.encoding import TOKEN_KEYS, TokenEncoding
from zarpipe.config.files import load_config, refuse_repeated_configfiles
from zarpipe.config.folders import warn_of_strangers
from zarpipe.config.options import command_line
from zarpipe.config.policies import policy_parts
from zarpipe.config.values import Section
from zarpipe.errors import ZarpipeError
from zarpipe.mlm.files import local_model_files, model_folder, model_name, read_settings
from zarpipe.registry import Registry
from zarpipe.study import records
from zarpipe.study.digests import remember_code
from zarpipe.study.jobs import Job
from zarpipe.study.own_policies import check_function
from zarpipe.study.recipe import Mixture, Recipe, Variant, encoded
from zarpipe.study.records import Stored
from zarpipe.study.specs import dumped, name_of, states_of
from zarpipe.study.study import Input, Study
from zarpipe.task.subsets import DocumentFraction

_GRAPH_OPTIONS = frozenset(
    {"--report", "--rulegraph", "--dag", "--filegraph", "--summary", "--detailed-summary", "-S", "-D"}
    | {"--archive", "--lint", "--d3dag", "--touch", "-t"}
)
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")


_BERT_BASE_MEGABYTES = 440
# What a model's config.json calls the number of its layers.
_LAYER_COUNTS = ("num_hidden_layers", "n_layers")

_OF_STUDY = "of this study (see recipes.json)"
# Paths with wildcards in braces, or a function of the wildcards that gives paths.
Files = str | Sequence[str] | Callable[[Any], str | Sequence[str]]


def read_study(files: Sequence[Path], overrides: Mapping[str, Any], prefix: str | None = None) -> Study:
    """Read the study of a workflow, and refuse what no job could read.

    Args:
        files: config.yaml and overlays.
        overrides: what ``--config`` or an importing workflow says.
        prefix: of all paths, if another workflow imports this one with one.
    """
    refuse_repeated_configfiles(sys.argv)
    remember_code(Path(records.FOLDER) / "code.json")
    study = Study(load_config(files, overrides))
    check_inputs(study)
    warn_of_strangers(study.config)
    return Study(study.config, f"{prefix}{study.config.results}") if prefix else study


def job_inputs(
    study: Study,
    wildcards: Any,
    jobs: Sequence[Job],
    outputs: Sequence[str],
    stored: Stored | None,
    files: Mapping[str, Files],
    announce: bool,
    whole_graph: bool,
) -> tuple[dict[str, list[str]], bool]:
    """Return the inputs of one job of Snakemake by name, and whether the job is up to date.

    Args:
        study: the study.
        wildcards: their values.
        jobs: the job, or those of several seeds.
        outputs: the rule's outputs.
        stored: where they lie when studies share them.
        files: what the rule reads, by name.
        announce: write the job file (the process that runs the workflow, not those of its jobs).
        whole_graph: keep the inputs of jobs that are up to date. They need none: nothing above them can make
            them run, and the graph stays small.
    """
    by_record = {study.layout.record(job.name): job for job in jobs}
    path = records.announce(by_record, stored) if announce else str(records.job_file(jobs))
    fresh = records.all_up_to_date(by_record, [output.format(**wildcards) for output in outputs])
    named = {"job": [path]}
    if whole_graph or not fresh:
        for name, value in files.items():
            paths = listed(value(wildcards) if callable(value) else value)
            named[name] = [file.format(**wildcards) for file in paths]
    return named, fresh


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
    if corpus.split == "ids" and corpus.format == "parquet":
        raise ZarpipeError(
            "corpus.split: found 'ids' with `format: parquet`, whose files are split already; leave it out"
        )
    if corpus.split == "ids":
        _check_lists(study)
    if study.config.mlm.path is not None:
        _check_model(study.config.mlm.path)
        local_model_files(study.config.mlm)
    _check_layers(study)
    study.jobs.convert()  # finds the corpus files
    for name in study.config.augmentation.policies:
        _check_policy(study, name)
    _check_fractions(study)


def _check_policy(study: Study, name: str) -> None:
    """Refuse a policy of the user's own whose file or function is not there, or takes other options.

    Where the corpus is there, and is the one that the study would make, the function is tried on its first
    sentences, too. (Without it the policy's first job does so; these jobs run before trainings.)
    """
    definition = study.config.policies.get(name)
    convert, corpora = study.jobs.convert(), study.layout.corpora()
    for part in policy_parts(definition) if definition else ():
        if part.file:
            check_function(part, f"policies.{name}")
            if records.all_up_to_date({study.layout.record(convert.name): convert}, corpora):
                part.load().check_first_sentences(part, study.layout.corpus("train"))


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
    corpus, converted = study.config.corpus, study.layout.corpus("train")
    if corpus.path is None:
        return min(sample.TRAINING_DOCUMENTS, corpus.limit.train or sys.maxsize)
    job = study.jobs.convert()
    if not records.all_up_to_date({study.layout.record(job.name): job}, [converted]):
        return None
    from zarpipe.formats.corpus import read_corpus  # loads pyarrow

    return len(read_corpus(converted, ["doc_id"])["doc_id"].unique())


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
    first = path.split("/")[0]
    looks_like_a_path = not _HUB_NAME.fullmatch(path) or first in (".", "..") or Path(first).is_dir()
    if looks_like_a_path and not Path(path).exists():
        _check_there("mlm.path", path, "the folder of a model, or a hub name")


def _check_layers(study: Study) -> None:
    """Refuse layers that the model does not have, where that is known without loading it."""
    config, mlm = study.config, study.jobs.mlm_config()
    top = _top_layer(mlm)
    named = {"encoding.layers": config.encoding.layers} | {
        f"tagger.compare[{place}].layers": kind.layers
        for place, kind in enumerate(config.tagger.compare)
        if kind.layers
    }
    for key, layers in named.items():
        if top is not None and max(layers.numbers, default=0) > top:
            raise ZarpipeError(
                f"{key}: found {layers}; expected layers of {model_name(mlm)}, which has 0 (the embeddings) "
                f"to {top}"
            )


def _top_layer(mlm: MlmConfig) -> int | None:
    """Return the number of the model's last layer; None for a hub name, and a model that does not say it."""
    if local_model_files(mlm) is None:
        return None
    settings = read_settings(model_folder(mlm) / "config.json")
    known = [settings[name] for name in _LAYER_COUNTS if isinstance(settings.get(name), int)]
    return next(iter(known), None)


def listed(value: str | Sequence[str]) -> list[str]:
    """Return one path or several as a list."""
    return [value] if isinstance(value, str) else list(value)


def options(section: Section, *left_out: str) -> str:
    """Write a section of the configuration as command-line options."""
    return command_line(dumped(section, *left_out))


def gpus(device: str) -> int:
    """Return how many GPUs a job asks the scheduler for."""
    return 1 if device == "cuda" else 0


def paths_of(inputs: Sequence[Input]) -> list[str]:
    """Return the paths of a study's inputs, each once."""
    return list(dict.fromkeys(one.path for one in inputs))


def listed_jobs(jobs: Job | Sequence[Job]) -> list[Job]:
    """Return one job or several as a list."""
    return [jobs] if isinstance(jobs, Job) else list(jobs)


def asks_for_the_graph(arguments: Sequence[str]) -> bool:
    """Tell whether a command line of Snakemake asks for the graph of all jobs, not for what must run."""
    return any(argument.split("=")[0] in _GRAPH_OPTIONS for argument in arguments)


# What wildcards may be. (All names in one pattern would be exact, and slow: there are hundreds.)
VARIANT_PATTERN = "(?:masking|cda)-[^/]+"
RECIPE_PATTERN = "[^/]+"
TRAINED_PATTERN = "(?!chosen-)[^/]+"  # the chosen recipes' taggers are copies


def variants(study: Study) -> Registry[Variant]:
    """Return the variants of the study by name."""
    return Registry(f"variant {_OF_STUDY}", {one.name: one for one in study.grid.variants()})


def decided_by_name(study: Study) -> Registry[Variant | str]:
    """Return what a value of the wildcard ``decided`` stands for: the originals (``train``), or a variant."""
    named: dict[str, Variant | str] = {"train": "train", **variants(study)}
    return Registry(f"variant {_OF_STUDY}", named)


def by_name(study: Study) -> Registry[Recipe | str]:
    """Return what a value of the wildcard ``recipe`` stands for."""
    named: dict[str, Recipe | str] = {recipe.name: recipe for recipe in study.grid.recipes()}
    return Registry(f"recipe {_OF_STUDY}", named | {name: name for name in study.grid.chosen()})


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
    """Return the recipes whose trainings `all` draws: those that see the test set."""
    return list(map(name_of, study.test_recipes))


def stored_features(study: Study, name: str, key: str) -> Stored:
    """Return where the hidden states of a split or variant lie when studies share them."""
    return stored(study, "features", key, study.layout.features(name), study.layout.feature_files(name))


def stored_sentences(study: Study, split: str, key: str) -> Stored:
    """Return where the hidden states of all sentences of a split lie when studies share them."""
    return stored_features(study, f"{split}-sentences", key)


def stored_variant(study: Study, name: str, key: str) -> Stored:
    """Return where a variant lies when studies share it."""
    return stored(study, "variants", key, study.layout.variant(name), [study.layout.variant(name)])


def states_by_folder(study: Study) -> Registry[TokenEncoding | None]:
    """Return what a value of the wildcard ``states`` stands for: a folder below ``features/``, or none."""
    found: dict[str, TokenEncoding | None] = {"": None}
    found |= {f"{states.name}/": states for states in study.grid.states()}
    return Registry(f"encoding {_OF_STUDY}", found)


def states_pattern(study: Study) -> str:
    """Return the pattern of these folders."""
    return "(?:" + "|".join(map(re.escape, states_by_folder(study))) + ")"


def encoding_options(study: Study, states: TokenEncoding | None, *left_out: str) -> str:
    """Return the options that say how the MLM is run, and what stands for a token unless that is left out."""
    return command_line(dumped(study.jobs.encoding(states), "threads", *left_out))


def training_features(study: Study, recipe: Recipe | str) -> list[str]:
    """Return the feature files of a recipe's augmented copies, one for each draw."""
    variants = [] if isinstance(recipe, str) else recipe.variants
    return [study.layout.features(encoded(variant.name, states_of(recipe))) for variant in variants]


def training_variants(study: Study, recipe: Recipe) -> list[str]:
    """Return the Parquets of a recipe's augmented copies, one for each draw."""
    return [study.layout.variant(variant.name) for variant in recipe.variants]


def recipe_options(study: Study, recipe: Recipe) -> str:
    """Return the options of `zarpipe train` that choose what a recipe trains, and on what."""
    mixture = recipe.model_dump(mode="json", include=set(Mixture.model_fields))
    chosen = {"architecture": study.jobs.architecture(recipe), **mixture}
    chosen |= recipe.documents.options() if recipe.documents else {}
    copies = {"variant_features": training_features(study, recipe)}
    if study.jobs.is_live(recipe):
        copies = {"variant": training_variants(study, recipe)}
    files = copies | {"keep": kept_copies(study, recipe)}
    return command_line(chosen | {name: paths for name, paths in files.items() if paths})


def kept_copies(study: Study, recipe: Recipe | str) -> list[str]:
    """Return the lists of the copies that a filtered recipe is trained on, one for each draw."""
    if isinstance(recipe, str) or not recipe.filtered:
        return []
    return [one.path for one in study.kept_copies(recipe)]


def fold_taggers(study: Study) -> list[str]:
    """Return the folders of the taggers that have not seen a fold of the documents, seed after seed."""
    return [
        study.layout.tagger(recipe.name, seed)
        for seed in study.jobs.held_out_seeds()
        for recipe in study.grid.fold_taggers()
    ]


def fold_tagger_files(study: Study) -> list[str]:
    """Return their files."""
    seeds = study.jobs.held_out_seeds()
    return [
        file
        for recipe in study.grid.fold_taggers()
        for file in study.layout.taggers_files(recipe.name, seeds)
    ]


def decided_features(study: Study, name: str) -> list[str]:
    """Return the features of a variant that is decided; none for the originals (``train``)."""
    return [] if name == "train" else [study.layout.features(name)]


def decided_options(study: Study, name: str) -> str:
    """Return the options of `zarpipe predict-held-out` that say what is decided."""
    return command_line({"variant_features": next(iter(decided_features(study, name)), None)})


def held_out_files(study: Study, name: str) -> list[str]:
    """Return the decisions of all seeds about unseen documents; ``name`` may be a wildcard."""
    return [study.layout.held_out(name, seed) for seed in study.jobs.held_out_seeds()]


def mlm_options(study: Study, variant: Variant) -> str:
    """Return the options of `zarpipe augment` that say how the MLM is run; empty where it is not."""
    if not study.jobs.runs_mlm(variant):
        return ""
    mlm = study.config.mlm
    options = {"mlm": study.jobs.model_path()} | dumped(mlm, "path")
    return f"{command_line(options)} {encoding_options(study, None, *TOKEN_KEYS)}"


def chosen_taggers(study: Study) -> list[str]:
    """Return the files of the taggers that are copied for the test set."""
    return [file for name in study.grid.chosen() for file in taggers_of(study, name)]


def taggers_of(study: Study, recipe: Recipe | str) -> list[str]:
    """Return the files of a recipe's taggers."""
    return study.layout.taggers_files(name_of(recipe), study.seeds, study.jobs.is_live(recipe))


def split_features(study: Study, recipe: Recipe | str, split: str) -> list[str]:
    """Return the features of a split, if a recipe's taggers read any."""
    return [] if study.jobs.is_live(recipe) else [study.layout.features(encoded(split, states_of(recipe)))]


def prediction_options(study: Study, recipe: Recipe | str, split: str) -> str:
    """Return the options of `zarpipe predict` that say what a recipe's taggers read."""
    if study.jobs.is_live(recipe):
        return command_line({"trust_remote_code": study.config.mlm.trust_remote_code})
    return command_line({"features": split_features(study, recipe, split)[0]})


def has_live(study: Study) -> bool:
    """Tell whether any recipe's taggers have the MLM as a part."""
    return any(map(study.jobs.is_live, study.grid.recipes()))


def trained_pattern(study: Study, live: bool) -> str:
    """Return the pattern of the names of recipes that are trained, those whose MLM is trained too or others.

    Most recipes of a study have its own architecture; the names of the fewer others stand in the pattern.
    """
    own = study.jobs.is_live(study.grid.table4()["baseline"][0])
    others = [recipe.name for recipe in study.grid.recipes() if study.jobs.is_live(recipe) != own]
    names = "|".join(map(re.escape, others))
    if live != own:
        return f"(?:{names})" if others else "(?!)"
    return f"(?!(?:{names})/){TRAINED_PATTERN}" if others else TRAINED_PATTERN


def finetuning_memory(study: Study) -> int:
    """Return how many megabytes the training of an MLM needs, by the size of its weights.

    Of the weights there are some 16 copies at most: their gradients, two moments and the best ones, and all
    of these once more while a checkpoint is written; besides, what one pass through the model keeps. A model
    of the hub counts as a BERT-base.
    """
    files = local_model_files(study.jobs.mlm_config())
    weights = sum(file.stat().st_size for file in files or []) // 2**20
    return 4000 + 16 * (weights if files else _BERT_BASE_MEGABYTES)
