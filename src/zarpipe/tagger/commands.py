"""The commands of taggers and segmenters: training, prediction, and what augmented copies are kept."""

from __future__ import annotations

from typing import Annotated

from zarpipe.config import FinetuningConfig, MlmConfig, SegmentationConfig, TaggerConfig, TrainingConfig
from zarpipe.config.options import Options
from zarpipe.log import start_logging
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.specs import (
    Computing,
    FilterFiles,
    HeldOutFiles,
    PredictionFiles,
    Run,
    SegmenterFiles,
    SegmenterScoreFiles,
    Settings,
    TrainingFiles,
)


def train(
    files: TrainingFiles,
    run: Run,
    mixture: Mixture,
    tagger: Annotated[TaggerConfig, Options(without=("compare",))],
    training: Annotated[TrainingConfig, Options(without=("seeds",))],
    finetuning: Annotated[FinetuningConfig, Options(prefix="finetuning_")],
    mlm: Annotated[MlmConfig, Options(without=("path",))],
) -> None:
    r"""Train a tagger on cached hidden states.

    It is a sequence labeller, trained on the hidden states of the training split; its thresholds are tuned on
    the development split.

    The recipe follows from the options: originals alone (baseline), --copies 2 (baseline2x),
    --variant-features (originals and, for every file, one augmented copy of each), or --perturb (copies with
    changed hidden states); --copies, --variant-copies, --per-epoch and --stages say how an epoch mixes them.
    With --fraction, or --folds and --without-fold, it is trained on a part of the documents; the features are
    those of all. Its folder gets tagger.safetensors (weights, configuration, provenance), thresholds.json and
    history.csv.

    The architecture finetuned trains the masked language model itself. It takes --mlm in place of --features
    and --dev-features, and --variant in place of --variant-features. The folder of a tagger then has the
    trained model in mlm/, as transformers loads it.

    Examples:
      zarpipe train --corpus results/corpus/train.parquet --features results/features/train.h5 \
          --dev-corpus results/corpus/dev.parquet --dev-features results/features/dev.h5 \
          --seed 1 --output results/taggers/baseline/seed1 --layers 4 --hidden-size 128
      zarpipe train --architecture finetuned --mlm models/bert --corpus results/corpus/train.parquet \
          --variant results/variants/masking-all-0.5.parquet --dev-corpus results/corpus/dev.parquet \
          --seed 1 --output taggers/masking/seed1
    """
    start_logging()
    from zarpipe.tagger.train import train_tagger

    mlm = mlm.model_copy(update={"path": files.mlm})
    train_tagger(files, run, Settings(tagger, training, mixture, finetuning, mlm))


def predict(files: PredictionFiles, computing: Computing) -> None:
    r"""Decide arguments with trained taggers.

    For each tagger, write the decided arguments of a split (Parquet, one row each) and beside them all
    probabilities (A.probabilities.h5 for A.parquet), which ensembles and significance tests need.

    Example:
      zarpipe predict --tagger results/taggers/baseline/seed1 --corpus results/corpus/test.parquet \
          --features results/features/test.h5 --output predictions/test.parquet
    """
    from zarpipe.tagger.predict import predict_files

    predict_files(files, computing)


def predict_held_out(files: HeldOutFiles, computing: Computing) -> None:
    r"""Decide training documents with taggers that have not seen them.

    Each document is decided by those that were trained on all folds but its own (`zarpipe train --folds K
    --without-fold J`). With --variant-features it is the refilled copies that are decided. Writes decided
    arguments (Parquet, one row each) for each seed.

    Example:
      zarpipe predict-held-out --tagger results/taggers/baseline-folds2-*/seed1 \
          --corpus results/corpus/train.parquet --features results/features/train.h5 \
          --variant-features results/features/cda-noun-0.5-multi-argmax.h5 --output refilled.parquet
    """
    from zarpipe.tagger.held_out import decide_held_out

    decide_held_out(files, computing)


def filter_copies(files: FilterFiles) -> None:
    r"""Find the augmented copies whose decisions stay.

    Writes which augmented copies keep their decisions when their masks are refilled, for `zarpipe train
    --keep`. A copy is left out when more than half of the taggers decide another argument, or none, or one
    more.

    Example:
      zarpipe filter-copies --corpus results/corpus/train.parquet --originals original.parquet \
          --refilled refilled.parquet --output kept.parquet
    """
    from zarpipe.tagger.filtering import write_kept

    start_logging()
    write_kept(files)


def train_segmenter(
    files: SegmenterFiles,
    run: Run,
    segmentation: Annotated[SegmentationConfig, Options(without=("seeds", "table"))],
    training: Annotated[TrainingConfig, Options(without=("seeds", "predicate_flags"))],
) -> None:
    r"""Train what finds predicates and bunsetsu.

    It is a light tagger, trained on the cached hidden states of all sentences of the training split. The
    threshold of predicates is tuned on the dev split. Its folder gets tagger.safetensors (weights,
    configuration, provenance), thresholds.json and history.csv.

    Example:
      zarpipe train-segmenter --corpus results/corpus/train.parquet --features results/features/train.h5 \
          --sentences results/features/train-sentences.h5 --dev-corpus results/corpus/dev.parquet \
          --dev-features results/features/dev.h5 --dev-sentences results/features/dev-sentences.h5 \
          --output results/segmenter/seed1
    """
    start_logging()
    from zarpipe.tagger.segmenter.train import train_segmenter

    train_segmenter(files, run, segmentation, training)


def evaluate_segmenter(files: SegmenterScoreFiles, computing: Computing) -> None:
    r"""Score the predicates and bunsetsu that segmenters find.

    They decide all sentences of a split. Writes precision, recall and F1 of predicates, of the boundaries of
    bunsetsu (the first word of a sentence left out), and of whole bunsetsu.

    Example:
      zarpipe evaluate-segmenter --segmenter results/segmenter/seed1 --corpus results/corpus/test.parquet \
          --features results/features/test.h5 --sentences results/features/test-sentences.h5 \
          --output segmentation.json
    """
    from zarpipe.tagger.segmenter.evaluation import evaluate_segmenters

    results = evaluate_segmenters(files, computing)
    for folder, scores in zip(files.segmenter, results, strict=True):
        shown = (f"{part.replace('_', ' ')} F1 {100 * one['f1']:.2f}" for part, one in scores.items())
        print(f"{folder}: {', '.join(shown)}")
