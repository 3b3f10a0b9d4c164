"""Configuration, names and the functions that the rules share. No rule stands here."""

import functools
import importlib.metadata
import shlex
from pathlib import Path

from snakemake.exceptions import WorkflowError

from zarpipe.study import grid as study
from zarpipe.config.files import load_config
from zarpipe.config import SPLITS
from zarpipe.errors import ZarpipeError
from zarpipe.config.options import command_line
from zarpipe.study.digests import code_digest, content_digest, package_files_digest, spec_digest


def read_configuration():
    """Read config.yaml, the overlays of --configfile and --config again, strictly."""
    settings = workflow.config_settings
    base = Path(workflow.basedir) / "config.yaml"
    try:
        config = load_config([base, *settings.configfiles], settings.config)
    except ZarpipeError as error:
        raise WorkflowError(str(error))
    if config.corpus.path and not Path(config.corpus.path).exists():
        raise WorkflowError(
            f"corpus.path: found {config.corpus.path!r}, where nothing is; expected the folder of the corpus"
        )
    if config.corpus.split == "ids" and not config.corpus.ids:
        raise WorkflowError(
            "corpus.ids: found nothing (null); `split: ids` needs the folder of train.id, dev.id and test.id"
        )
    model = Path(config.mlm.path or "")
    if (model.is_absolute() or model.parts[:1] == ("..",)) and not model.exists():
        raise WorkflowError(
            f"mlm.path: found {config.mlm.path!r}, where nothing is; expected the folder of a model, or a hub name"
        )
    return config


CONFIG = read_configuration()
version = functools.cache(importlib.metadata.version)
SEEDS = CONFIG.training.seeds
TAGGER_FILES = ("tagger.safetensors", "thresholds.json", "history.csv")
PUBLISHED = CONFIG.report.published
ALPHAS = CONFIG.augmentation.alphas
POS_SETS = CONFIG.augmentation.pos_sets
TRAINED = "|".join((study.BASELINE, study.BASELINE_TWICE, study.MASKING_PATTERN, study.CDA_PATTERN))


wildcard_constraints:
    split="|".join(SPLITS),
    variant=f"{study.MASKING_PATTERN}|{study.CDA_PATTERN}",
    recipe=f"{TRAINED}|{study.CHOSEN_PATTERN}",
    alpha=r"[01]\.\d+",
    pos_set="[a-z_]+",
    fill="multi|single",
    pick="argmax|sample",
    seed=r"-?\d+",


def results(path):
    """Return the path of an output below the configured results folder."""
    return f"{CONFIG.results}/{path}"


def place(kind, key):
    """Return the folder of a kind of files that no tagger changes; studies may share it (config key features).

    In the shared folder its name carries `key`, a digest of all that decides the files: other settings, other
    code or another model can never be mistaken for these.
    """
    return f"{CONFIG.features}/{kind}-{key}" if CONFIG.features else results(kind)


def shared(path):
    """Mark an output that another workflow may be making too: Snakemake must not remove what it has finished."""
    return update(path) if CONFIG.features else path


def unless_made(wildcards, output):
    """Return the start of a shell command that leaves alone what another workflow has finished meanwhile.

    Shared files appear only when whole. (A param that names `output` is no reason for Snakemake to rerun.)
    """
    there = " -a ".join(f"-s {shlex.quote(path)}" for path in output)
    return f"test {there} || " if CONFIG.features else ""


def options(section, *left_out):
    """Write a section of the configuration as command-line options."""
    return command_line(section.model_dump(exclude=set(left_out)))


def versions(*distributions):
    """Return the installed versions of libraries that an output depends on."""
    return {name: version(name) for name in distributions}


def content_of(path):
    """Return a digest of a configured corpus' or model's files; None when zarpipe makes it, or for a hub name."""
    return content_digest(path, ".snakemake/zarpipe-digests.json") if path else None


def growing(amount):
    """Return a resource of which a job has twice as much on its second attempt, three times on its third."""
    return lambda wildcards, attempt: amount * attempt


def gpus(device):
    """Return the GPUs that a job asks the scheduler for."""
    return 1 if device == "cuda" else 0


def ids_folder():
    """Return the folder of the id lists, which may be given relative to the corpus."""
    corpus, ids = CONFIG.corpus.path, CONFIG.corpus.ids
    inside = Path(corpus or "") / (ids or "")
    return str(inside) if corpus and ids and inside.is_dir() else ids


def untracked(value):
    """Return a param that is no reason for Snakemake to rerun, because it names `output`.

    For paths, whose files the spec has by their digest: the same bytes may lie in another place.
    """
    return lambda wildcards, output: value


# The configured model, or the one that the workflow pretrains.
MLM_PATH = CONFIG.mlm.path or results("mlm/model")


def mlm_folder():
    """Return the pretrained model's folder as an input; a configured model is watched by its digest alone."""
    return [] if CONFIG.mlm.path else results("mlm/model")


def variant_of(recipe):
    """Return the recipe's variant, or None for the baselines."""
    return None if recipe in (study.BASELINE, study.BASELINE_TWICE) else recipe


def recipes_of(methods):
    """Return every recipe of a table's methods once."""
    return list(dict.fromkeys(recipe for recipes in methods.values() for recipe in recipes))


def dev_scores(recipes):
    """Return the dev scores of all seeds of these recipes."""
    return expand(results("scores/{recipe}/seed{seed}/dev.json"), recipe=recipes, seed=SEEDS)


def tagger_files(recipes):
    """Return the files of all seeds' taggers of these recipes."""
    return expand(
        results("taggers/{recipe}/seed{seed}/{name}"), recipe=recipes, seed=SEEDS, name=TAGGER_FILES
    )


def beside(name, *endings):
    """Return the files beside a table or figure: the same in other formats, and what belongs to it."""
    return [results(f"{name}{ending}") for ending in endings]


def published():
    """Return the option that puts the paper's numbers beside ours."""
    return "--published" if PUBLISHED else ""


# The paper's numbers, where they are shown.
PRINTED = package_files_digest("report/published") if PUBLISHED else None


def shown(name, caption, category, **labels):
    """Mark an output for `snakemake --report`; captions stand in workflow/report/."""
    return report(
        results(name), caption=f"../workflow/report/{caption}.rst", category=category, labels=labels
    )


def shown_table(number, what):
    """Mark the CSV of a table for the report."""
    return shown(f"table{number}.csv", f"table{number}", "Tables", table=number, shows=what)


def final_targets():
    """Return what `all` builds."""
    tables = [f"table{number}.csv" for number in range(1, 8)]
    curves = [f"learning_curves/{recipe}.svg" for recipe in (study.BASELINE_TWICE, *TEST_RECIPES)]
    return [results(name) for name in (*tables, "significance.csv", "figure3.csv", *curves, *PAGES)]


def variant_file(variant):
    """Return the Parquet of a variant."""
    return f"{VARIANTS_FOLDER}/{variant}.parquet"


def feature_file(name):
    """Return the feature file of a split or variant, whose time does not count: its manifest tells of changes."""
    return ancient(f"{VARIANT_FEATURES if '-' in name else FEATURES}/{name}.h5")


def feature_manifest(name):
    """Return the manifest of a feature file: equal bytes for equal features, however often they are made."""
    return f"{VARIANT_FEATURES if '-' in name else FEATURES}/{name}.json"


def features_key(recipe):
    """Return a digest of all that decides the features which a recipe is trained on."""
    method = recipe.split("-")[0]
    return VARIANT_KEYS[method] if variant_of(recipe) else FEATURES_KEY


def all_features():
    """Return all feature files of the study."""
    variants = filter(variant_of, recipes_of(CANDIDATES) + DEV_TABLE_RECIPES + FIGURE4_RECIPES)
    return [feature_file(name) for name in (*SPLITS, *dict.fromkeys(variants))]


def refuse_needless_training():
    """Stop where finished taggers would be trained again for no other reason than features that were deleted.

    Snakemake takes a deleted file that one new job needs for a changed input of all that have used it.
    """
    reason = workflow.dag.reason
    running = list(workflow.dag.needrun_jobs())
    encoded_before = [
        job
        for job in running
        if job.rule.name in ("encode", "encode_variant") and Path(job.output.manifest).exists()
    ]
    if not all(reason(job).missing_output and follows_from_features(reason(job)) for job in encoded_before):
        return
    needless = [
        job
        for job in running
        if job.rule.name.startswith("train")
        and reason(job).updated_input_run
        and follows_from_features(reason(job))
        and all(Path(file).exists() for file in job.output)
    ]
    if needless:
        files = [str(job.output.features) for job in encoded_before]
        targets = " ".join(files) if len(files) <= 5 else "`features`"
        raise WorkflowError(
            f"{len(needless)} finished trainings would run again, only because features were deleted that another job "
            f"needs now. First let them be made again, with the same options and the target {targets}; then give this "
            "command again, and the finished taggers stay."
        )


def follows_from_features(reason):
    """Tell whether features that are made again are the only changed input of a job, and nothing else has changed."""
    made_again = all(
        str(file).startswith((f"{FEATURES}/", f"{VARIANT_FEATURES}/")) for file in reason.updated_input_run
    )
    return made_again and not (reason.forced or reason.updated_input or reason.is_provenance_triggered())


def training_features(wildcards):
    """Return the originals' features, and those of the recipe's variant if it has one, with their manifests."""
    files = {"train_features": feature_file("train"), "train_manifest": feature_manifest("train")}
    variant = variant_of(wildcards.recipe)
    if variant:
        files |= {"variant_features": feature_file(variant), "variant_manifest": feature_manifest(variant)}
    return files


def seed_groups():
    """Return the seeds of each training job, by the name of its rule; one wildcard when a job has one seed."""
    size = CONFIG.training.seeds_per_job
    if size == 1:
        return {"train": ["{seed}"]}
    groups = [SEEDS[start : start + size] for start in range(0, len(SEEDS), size)]
    return {f"train_from_seed{group[0]}": group for group in groups}


def training_set(recipe):
    """Return the options that choose what a recipe trains on."""
    if recipe == study.BASELINE_TWICE:
        return command_line({"copies": 2})
    variant = variant_of(recipe)
    return command_line({"variant_features": feature_file(variant)} if variant else {})


# What all training jobs have in common, worked out once and not for each of a thousand jobs.
TRAIN_SPEC = dict(
    options=" ".join([options(CONFIG.tagger), options(CONFIG.training, "seeds", "seeds_per_job")]),
    code=code_digest("zarpipe.tagger.jobs"),
    libraries=versions("torch"),
)


def train_spec(wildcards):
    """Return what a training job depends on besides its input files."""
    return dict(
        TRAIN_SPEC,
        training_set=training_set(wildcards.recipe),
        output=results(f"taggers/{wildcards.recipe}"),
        features=features_key(wildcards.recipe),
    )


def job_seeds(seeds):
    """Return the function that gives a job's seeds.

    It names `output`, so that how seeds are put together in jobs is no reason for Snakemake to train again.
    """
    return lambda wildcards, output: [str(seed).format(**wildcards) for seed in seeds]
