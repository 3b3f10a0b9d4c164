"""The command ``zarpipe train-segmenter``."""

from __future__ import annotations

import argparse

from zarpipe.config import SegmentationConfig, TrainingConfig
from zarpipe.config.options import add_command, add_options, read_options
from zarpipe.light_imports import light_imports
from zarpipe.tagger.segmenter.specs import SegmenterFiles

_TRAIN_DESCRIPTION = """\
Train segmenters on the cached hidden states of all sentences of the training split, one per seed: light
taggers that find predicates, and where bunsetsu begin. The threshold of predicates is tuned on the dev
split. Each gets a folder OUTPUT/seed{n} with tagger.safetensors (weights, configuration, provenance),
thresholds.json and history.csv. An interrupted training goes on from its last epoch when the same command is
given again."""

_TRAIN_EPILOG = """\
example:
  zarpipe train-segmenter --corpus results/corpus/train.parquet --features results/features/train.h5 \\
      --sentences results/features/train-sentences.h5 --dev-corpus results/corpus/dev.parquet \\
      --dev-features results/features/dev.h5 --dev-sentences results/features/dev-sentences.h5 \\
      --output results/segmenter"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    train = add_command(
        subparsers,
        "train-segmenter",
        run_train,
        SegmenterFiles,
        SegmentationConfig,
        summary="train what finds predicates and bunsetsu",
        description=_TRAIN_DESCRIPTION,
        example=_TRAIN_EPILOG,
    )
    add_options(train, TrainingConfig, exclude=("seeds", "seeds_per_job", "predicate_flags"))


def run_train(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe train-segmenter``."""
    files = read_options(arguments, SegmenterFiles)
    segmentation = read_options(arguments, SegmentationConfig)
    training = read_options(arguments, TrainingConfig)

    from zarpipe.log import start_logging

    start_logging()
    with light_imports():
        from zarpipe.tagger.segmenter.jobs import train_segmenters

        train_segmenters(files, segmentation, training)
