"""The commands ``zarpipe train`` and ``zarpipe predict``."""

from __future__ import annotations

import argparse
from pathlib import Path

from zarpipe.config.options import HelpFormatter, add_options, read_options

_TRAIN_DESCRIPTION = """\
Train taggers (BiGRU sequence labellers) on the cached hidden states of the training split, one per seed, and
tune their thresholds on the development split.

The recipe follows from the options: originals alone (baseline), --copies 2 (baseline2x), or
--variant-features (originals and one augmented copy of each, 1:1). Each tagger gets a folder OUTPUT/seed{n}
with tagger.safetensors (weights, configuration, provenance), thresholds.json and history.csv. An interrupted
training goes on from its last epoch when the same command is given again."""

_TRAIN_EPILOG = """\
example:
  zarpipe train --corpus results/corpus/train.parquet --features results/features/train.h5 \\
      --dev-corpus results/corpus/dev.parquet --dev-features results/features/dev.h5 \\
      --seeds 1 2 3 --output results/taggers/baseline --layers 4 --hidden-size 128"""

_PREDICT_DESCRIPTION = """\
Apply trained taggers to an encoded split. For each tagger, write the decided arguments (Parquet, one row
each) and beside them all probabilities (A.probabilities.h5 for A.parquet), which ensembles and significance
tests need."""

_PREDICT_EPILOG = """\
example:
  zarpipe predict --tagger results/taggers/baseline/seed1 --corpus results/corpus/test.parquet \\
      --features results/features/test.h5 --output predictions/test.parquet"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's commands to the parser."""
    _register_train(subparsers)
    _register_predict(subparsers)


def run_train(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe train``."""
    from zarpipe.config import TaggerConfig, TrainingConfig
    from zarpipe.log import start_logging
    from zarpipe.tagger.devices import keep_freed_memory, set_threads
    from zarpipe.tagger.jobs import TrainingFiles, train_taggers

    start_logging()
    tagger = read_options(arguments, TaggerConfig)
    training = read_options(arguments, TrainingConfig)
    set_threads(arguments.threads)
    keep_freed_memory()
    files = TrainingFiles(
        arguments.corpus,
        arguments.features,
        arguments.dev_corpus,
        arguments.dev_features,
        arguments.variant_features,
        arguments.copies,
    )
    train_taggers(files, tagger, training, training.seeds, arguments.output)


def run_predict(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe predict``."""
    from zarpipe.tagger.devices import set_threads
    from zarpipe.tagger.predict import predict_files

    set_threads(arguments.threads)
    predict_files(
        arguments.tagger,
        arguments.corpus,
        arguments.features,
        arguments.output,
        arguments.batch_size,
        arguments.device,
    )


def _register_train(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from zarpipe.config import TaggerConfig, TrainingConfig

    parser = subparsers.add_parser(
        "train",
        help="train taggers on cached hidden states",
        description=_TRAIN_DESCRIPTION,
        epilog=_TRAIN_EPILOG,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--corpus", required=True, type=Path, metavar="PARQUET", help="training split")
    parser.add_argument("--features", required=True, type=Path, metavar="H5", help="its feature file")
    parser.add_argument(
        "--variant-features",
        type=Path,
        metavar="H5",
        help="feature file of the augmented copies, one per training instance",
    )
    parser.add_argument(
        "--copies",
        type=_positive,
        default=1,
        metavar="N",
        help="see every original N times per epoch; 2 for the recipe baseline2x (default: 1)",
    )
    parser.add_argument("--dev-corpus", required=True, type=Path, metavar="PARQUET", help="development split")
    parser.add_argument("--dev-features", required=True, type=Path, metavar="H5", help="its feature file")
    parser.add_argument(
        "--seeds",
        type=int,
        nargs="+",
        default=argparse.SUPPRESS,
        metavar="SEED",
        help="one tagger for each; features are loaded once for all (default: 1 to 10)",
    )
    parser.add_argument(
        "--output", required=True, type=Path, metavar="DIR", help="folder of the recipe; gets seed{n}/"
    )
    _add_threads(parser)
    add_options(parser, TaggerConfig)
    add_options(parser, TrainingConfig, exclude=("seeds", "seeds_per_job"))
    parser.set_defaults(run=run_train)


def _register_predict(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "predict",
        help="decide arguments with trained taggers",
        description=_PREDICT_DESCRIPTION,
        epilog=_PREDICT_EPILOG,
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "--tagger", required=True, nargs="+", type=Path, metavar="DIR", help="tagger folders (…/seed1 …)"
    )
    parser.add_argument("--corpus", required=True, type=Path, metavar="PARQUET", help="the split")
    parser.add_argument("--features", required=True, type=Path, metavar="H5", help="its feature file")
    parser.add_argument(
        "--output", required=True, nargs="+", type=Path, metavar="PARQUET", help="one file per tagger"
    )
    parser.add_argument(
        "--batch-size", type=_positive, default=512, metavar="N", help="instances per batch (default: 512)"
    )
    parser.add_argument(
        "--device", choices=("auto", "cpu", "cuda"), default="auto", help="auto: a GPU when there is one"
    )
    _add_threads(parser)
    parser.set_defaults(run=run_predict)


def _add_threads(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--threads",
        type=_positive,
        metavar="N",
        help="CPU threads (default: OMP_NUM_THREADS, else all cores)",
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"found {text}; expected a whole number from 1")
    return number
