"""The commands ``zarpipe train``, ``predict``, ``predict-held-out`` and ``filter-copies``.

Their options: `specs` and the configuration.
"""

from __future__ import annotations

import argparse

from zarpipe.config import FinetuningConfig, MlmConfig, TaggerConfig, TrainingConfig
from zarpipe.config.options import add_command, add_options, read_options
from zarpipe.light_imports import light_imports, without_collection
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.specs import FilterFiles, HeldOutFiles, PredictionFiles, TrainingFiles

_TRAIN_DESCRIPTION = """\
Train a tagger (a sequence labeller) on the cached hidden states of the training split, and tune its
thresholds on the development split.

The recipe follows from the options: originals alone (baseline), --copies 2 (baseline2x),
--variant-features (originals and, for every file, one augmented copy of each), or --drop (copies with dropped
tokens); --copies, --variant-copies, --per-epoch and --stages say how an epoch mixes them. With --fraction, or
--folds and --without-fold, it is trained on a part of the documents; the features are those of all. Its
folder gets tagger.safetensors (weights, configuration, provenance), thresholds.json and history.csv. An
interrupted training goes on from its last epoch when the same command is given again.

The architecture finetuned trains the masked language model itself. It takes --mlm in place of --features and
--dev-features, and --variant in place of --variant-features. The folder of a tagger then has the trained
model in mlm/, as transformers loads it."""

_TRAIN_EPILOG = """\
example:
  zarpipe train --corpus results/corpus/train.parquet --features results/features/train.h5 \\
      --dev-corpus results/corpus/dev.parquet --dev-features results/features/dev.h5 \\
      --seed 1 --output results/taggers/baseline/seed1 --layers 4 --hidden-size 128
  zarpipe train --architecture finetuned --mlm models/bert --corpus results/corpus/train.parquet \\
      --variant results/variants/masking-all-0.5.parquet --dev-corpus results/corpus/dev.parquet \\
      --seed 1 --output taggers/masking/seed1"""

_PREDICT_DESCRIPTION = """\
Apply trained taggers to an encoded split. For each tagger, write the decided arguments (Parquet, one row
each) and beside them all probabilities (A.probabilities.h5 for A.parquet), which ensembles and significance
tests need."""

_PREDICT_EPILOG = """\
example:
  zarpipe predict --tagger results/taggers/baseline/seed1 --corpus results/corpus/test.parquet \\
      --features results/features/test.h5 --output predictions/test.parquet"""

_FINETUNING = "finetuning_"
_HELD_OUT_DESCRIPTION = """\
Let taggers decide training documents that they have not seen: each document by those that were trained on
all folds but its own (`zarpipe train --folds K --without-fold J`). With --variant-features it is the
refilled copies that are decided. Writes decided arguments (Parquet, one row each) for each seed."""

_HELD_OUT_EPILOG = """\
example:
  zarpipe predict-held-out --tagger results/taggers/baseline-folds2-*/seed1 \\
      --corpus results/corpus/train.parquet --features results/features/train.h5 \\
      --variant-features results/features/cda-noun-0.5-multi-argmax.h5 --output refilled.parquet"""

_FILTER_DESCRIPTION = """\
Write which augmented copies keep their decisions when their masks are refilled, for `zarpipe train --keep`. A
copy is left out when more than half of the taggers decide another argument, or none, or one more."""

_FILTER_EPILOG = """\
example:
  zarpipe filter-copies --corpus results/corpus/train.parquet --originals original.parquet \\
      --refilled refilled.parquet --output kept.parquet"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's commands to the parser."""
    train = add_command(
        subparsers,
        "train",
        run_train,
        TrainingFiles,
        Mixture,
        summary="train a tagger on cached hidden states",
        description=_TRAIN_DESCRIPTION,
        example=_TRAIN_EPILOG,
    )
    add_options(train, TaggerConfig, exclude=("compare",))
    add_options(train, TrainingConfig, exclude=("seeds",))
    add_options(train, FinetuningConfig, prefix=_FINETUNING)
    add_options(train, MlmConfig, exclude=("path",))
    add_command(
        subparsers,
        "predict",
        run_predict,
        PredictionFiles,
        summary="decide arguments with trained taggers",
        description=_PREDICT_DESCRIPTION,
        example=_PREDICT_EPILOG,
    )
    add_command(
        subparsers,
        "predict-held-out",
        run_predict_held_out,
        HeldOutFiles,
        summary="decide training documents with taggers that have not seen them",
        description=_HELD_OUT_DESCRIPTION,
        example=_HELD_OUT_EPILOG,
    )
    add_command(
        subparsers,
        "filter-copies",
        run_filter_copies,
        FilterFiles,
        summary="find the augmented copies whose decisions stay",
        description=_FILTER_DESCRIPTION,
        example=_FILTER_EPILOG,
    )


def run_train(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe train``."""
    files = read_options(arguments, TrainingFiles)
    tagger = read_options(arguments, TaggerConfig)
    training = read_options(arguments, TrainingConfig)
    mixture = read_options(arguments, Mixture)
    finetuning = read_options(arguments, FinetuningConfig, _FINETUNING)
    mlm = read_options(arguments, MlmConfig).model_copy(update={"path": files.mlm})

    from zarpipe.log import start_logging

    start_logging()
    with light_imports():
        with without_collection():
            from zarpipe.tagger.jobs import train_tagger_files

        train_tagger_files(files, tagger, training, mixture, finetuning, mlm)


def run_predict(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe predict``."""
    files = read_options(arguments, PredictionFiles)

    with light_imports():
        with without_collection():
            from zarpipe.tagger.predict import predict_files

        predict_files(files)


def run_predict_held_out(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe predict-held-out``."""
    files = read_options(arguments, HeldOutFiles)

    with light_imports():
        with without_collection():
            from zarpipe.tagger.held_out import decide_held_out

        decide_held_out(files)


def run_filter_copies(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe filter-copies``."""
    files = read_options(arguments, FilterFiles)

    from zarpipe.log import start_logging
    from zarpipe.tagger.filtering import filter_copies

    start_logging()
    filter_copies(files)
