"""Configuration, names and the functions that the rules share. No rule stands here."""

import importlib.metadata
from pathlib import Path

from snakemake.exceptions import WorkflowError

from zarpipe import study
from zarpipe.config_files import load_config
from zarpipe.corpus.schema import SPLITS
from zarpipe.errors import ZarpipeError
from zarpipe.options import command_line
from zarpipe.provenance import code_digest, folder_state


def read_configuration():
    """Read config.yaml, the overlays of --configfile and --config again, strictly."""
    settings = workflow.config_settings
    base = Path(workflow.basedir) / "config.yaml"
    try:
        return load_config([base, *settings.configfiles], settings.config)
    except ZarpipeError as error:
        raise WorkflowError(str(error))


CONFIG = read_configuration()
SEEDS = CONFIG.training.seeds
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


def gpus(device):
    """Return the GPUs that a job asks the scheduler for."""
    return 1 if device == "cuda" else 0


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


def final_targets():
    """Return what `all` builds."""
    return [results("table4.csv")]
