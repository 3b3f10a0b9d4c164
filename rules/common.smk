"""Configuration, names and the functions that the rules share. No rule stands here."""

import importlib.metadata
from pathlib import Path

from snakemake.exceptions import WorkflowError

from zarpipe import study
from zarpipe.config_files import load_config
from zarpipe.corpus.schema import SPLITS
from zarpipe.errors import ZarpipeError
from zarpipe.options import command_line
from zarpipe.provenance import code_digest, content_digest, package_files_digest


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
    return config


CONFIG = read_configuration()
SEEDS = CONFIG.training.seeds
TAGGER_FILES = ("tagger.safetensors", "thresholds.json", "history.csv")
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


def options(section, *left_out):
    """Write a section of the configuration as command-line options."""
    return command_line(section.model_dump(exclude=set(left_out)))


def versions(*distributions):
    """Return the installed versions of libraries that an output depends on."""
    return {name: importlib.metadata.version(name) for name in distributions}


def content_of(path):
    """Return a digest of a configured corpus' or model's files; None when zarpipe makes it, or for a hub name."""
    return content_digest(path, ".snakemake/zarpipe-digests.json") if path else None


def gpus(device):
    """Return the GPUs that a job asks the scheduler for."""
    return 1 if device == "cuda" else 0


def corpus_source():
    """Return the sample's folder as an input; a configured corpus is watched by its folder's state."""
    return [] if CONFIG.corpus.path else results("sample/dat")


def mlm_path():
    """Return the masked language model: the configured one, or the one that the workflow pretrains."""
    return CONFIG.mlm.path or results("mlm/model")


def mlm_folder():
    """Return the pretrained model's folder as an input; a configured model is watched by its manifest alone."""
    return [] if CONFIG.mlm.path else results("mlm/model")


def ids_folder():
    """Return the folder of the id lists, which may be given relative to the corpus."""
    corpus, ids = CONFIG.corpus.path, CONFIG.corpus.ids
    inside = Path(corpus or "") / (ids or "")
    return str(inside) if corpus and ids and inside.is_dir() else ids


def variant_of(recipe):
    """Return the recipe's variant, or None for the baselines."""
    return None if recipe in (study.BASELINE, study.BASELINE_TWICE) else recipe


def feature_files(name):
    """Return a feature file and its manifest; the manifest alone says whether the features have changed."""
    return {"features": ancient(results(f"features/{name}.h5")), "manifest": results(f"features/{name}.json")}


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
    return "--published" if CONFIG.report.published else ""


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


def training_features(wildcards):
    """Return the originals' features, and those of the recipe's variant if it has one."""
    files = {f"train_{key}": path for key, path in feature_files("train").items()}
    variant = variant_of(wildcards.recipe)
    if variant:
        files |= {f"variant_{key}": path for key, path in feature_files(variant).items()}
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
    return command_line({"variant_features": results(f"features/{variant}.h5")} if variant else {})


# What all training jobs have in common, worked out once and not for each of a thousand jobs.
TRAIN_SPEC = dict(
    options=" ".join([options(CONFIG.tagger), options(CONFIG.training, "seeds", "seeds_per_job")]),
    code=code_digest("zarpipe.tagger.jobs"),
    libraries=versions("torch"),
)


def train_spec(seeds):
    """Return the function that tells what a training job depends on besides its input files."""
    return lambda wildcards: dict(
        TRAIN_SPEC,
        training_set=training_set(wildcards.recipe),
        output=results(f"taggers/{wildcards.recipe}"),
        seeds=[str(seed).format(**wildcards) for seed in seeds],
    )
