"""What the segmenter's commands are given, besides the configuration's sections."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from zarpipe.config import TrainingConfig
from zarpipe.config.options import Argument
from zarpipe.config.values import Positive, Section
from zarpipe.tagger.specs import Checkpoints, CorpusFile, FeatureFile, Folder, Threads, TrainingSeed


class SegmenterFiles(Section):
    """What a segmenter is trained on, and where it goes."""

    corpus: CorpusFile
    """Training split."""
    features: FeatureFile
    """Its feature file."""
    sentences: FeatureFile
    """Feature file of all its sentences (`zarpipe encode --all-sentences`)."""
    dev_corpus: CorpusFile
    """Development split."""
    dev_features: FeatureFile
    """Its feature file."""
    dev_sentences: FeatureFile
    """Feature file of all its sentences."""
    seed: TrainingSeed = 1
    """Seed of the initial weights and of the order of batches."""
    output: Folder
    """The segmenter's folder."""
    checkpoints: Checkpoints = None
    """Folder of the state after each epoch of the training; without it a hidden one beside the output."""
    threads: Threads = None
    """CPU threads; without it OMP_NUM_THREADS, else all cores."""


class SegmenterScoreFiles(Section):
    """Segmenters and the split that they are scored on."""

    segmenter: list[Folder]
    """Segmenter folders (…/seed1 …)."""
    corpus: CorpusFile
    """The split."""
    features: FeatureFile
    """Its feature file."""
    sentences: FeatureFile
    """Feature file of all its sentences (`zarpipe encode --all-sentences`)."""
    output: Annotated[list[Path], Argument("JSON")]
    """One file per segmenter."""
    batch_size: Annotated[Positive, Argument("N")] = TrainingConfig().batch_size
    """Sentences per batch."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto: a GPU when there is one."""
    threads: Threads = None
    """CPU threads; without it OMP_NUM_THREADS, else all cores."""
