"""The commands ``zarpipe train-segmenter`` and ``evaluate-segmenter``."""

from __future__ import annotations

import argparse

from zarpipe.config import SegmentationConfig, TrainingConfig
from zarpipe.config.options import add_command, add_options, read_options
from zarpipe.light_imports import light_imports, without_collection
from zarpipe.tagger.segmenter.specs import SegmenterFiles, SegmenterScoreFiles

_TRAIN_DESCRIPTION = """\
Train a segmenter on the cached hidden states of all sentences of the training split: a light tagger that
finds predicates, and where bunsetsu begin. The threshold of predicates is tuned on the dev split. Its folder
gets tagger.safetensors (weights, configuration, provenance), thresholds.json and history.csv. An interrupted
training goes on from its last epoch when the same command is given again."""

_TRAIN_EPILOG = """\
example:
  zarpipe train-segmenter --corpus results/corpus/train.parquet --features results/features/train.h5 \\
      --sentences results/features/train-sentences.h5 --dev-corpus results/corpus/dev.parquet \\
      --dev-features results/features/dev.h5 --dev-sentences results/features/dev-sentences.h5 \\
      --output results/segmenter/seed1"""

_EVALUATE_DESCRIPTION = """\
Let segmenters decide all sentences of a split, and write precision, recall and F1 of predicates, of the
boundaries of bunsetsu (the first word of a sentence left out), and of whole bunsetsu."""

_EVALUATE_EPILOG = """\
example:
  zarpipe evaluate-segmenter --segmenter results/segmenter/seed1 --corpus results/corpus/test.parquet \\
      --features results/features/test.h5 --sentences results/features/test-sentences.h5 \\
      --output segmentation.json"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the segmenter's commands to the parser."""
    train = add_command(
        subparsers,
        "train-segmenter",
        run_train,
        SegmenterFiles,
        summary="train what finds predicates and bunsetsu",
        description=_TRAIN_DESCRIPTION,
        example=_TRAIN_EPILOG,
    )
    add_options(train, SegmentationConfig, exclude=("seeds", "table"))
    add_options(train, TrainingConfig, exclude=("seeds", "predicate_flags"))
    add_command(
        subparsers,
        "evaluate-segmenter",
        run_evaluate,
        SegmenterScoreFiles,
        summary="score the predicates and bunsetsu that segmenters find",
        description=_EVALUATE_DESCRIPTION,
        example=_EVALUATE_EPILOG,
    )


def run_train(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe train-segmenter``."""
    files = read_options(arguments, SegmenterFiles)
    segmentation = read_options(arguments, SegmentationConfig)
    training = read_options(arguments, TrainingConfig)

    from zarpipe.log import start_logging

    start_logging()
    with light_imports():
        with without_collection():
            from zarpipe.tagger.segmenter.jobs import train_segmenter

        train_segmenter(files, segmentation, training)


def run_evaluate(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe evaluate-segmenter``."""
    files = read_options(arguments, SegmenterScoreFiles)

    with light_imports():
        with without_collection():
            from zarpipe.tagger.segmenter.evaluation import evaluate_segmenters

        results = evaluate_segmenters(files)
    for folder, scores in zip(files.segmenter, results, strict=True):
        shown = (f"{part.replace('_', ' ')} F1 {100 * one['f1']:.2f}" for part, one in scores.items())
        print(f"{folder}: {', '.join(shown)}")
