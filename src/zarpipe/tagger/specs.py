"""What the commands of this stage are given, besides the configuration's sections: files and their use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from zarpipe.config import FinetuningConfig, MlmConfig, TaggerConfig, TrainingConfig
from zarpipe.config.options import Argument
from zarpipe.config.values import Integer, Positive, Section, Seed, Share
from zarpipe.study.recipe import Mixture

CorpusFile = Annotated[Path, Argument("PARQUET")]
FeatureFile = Annotated[Path, Argument("H5")]
Folder = Annotated[Path, Argument("DIR")]
Threads = Annotated[Positive | None, Argument("N")]


class Run(Section):
    """One training, and where its result goes."""

    seed: Annotated[Seed, Argument("SEED")] = 1
    """Seed of the initial weights, of the order of batches and of dropout."""
    output: Folder
    """Folder of the result."""
    threads: Threads = None
    """CPU threads; without it OMP_NUM_THREADS, else all cores."""


class Computing(Section):
    """Where, and how many at once."""

    batch_size: Annotated[Positive, Argument("N")] = TrainingConfig().batch_size
    """Instances, or sentences, per batch."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto: a GPU when there is one."""
    threads: Threads = None
    """CPU threads; without it OMP_NUM_THREADS, else all cores."""


class Settings(NamedTuple):
    """The sections of the configuration that the training of a tagger follows."""

    tagger: TaggerConfig
    training: TrainingConfig
    mixture: Mixture
    finetuning: FinetuningConfig
    mlm: MlmConfig


class TrainingFiles(Section):
    """What a tagger is trained on."""

    corpus: CorpusFile
    """Training split."""
    features: FeatureFile | None = None
    """Its feature file. The architecture finetuned has none."""
    variant_features: Annotated[list[FeatureFile], Field(default_factory=list)]
    """Feature files of the augmented copies, one for each draw, with one copy per training instance."""
    keep: Annotated[list[CorpusFile], Field(default_factory=list)]
    """Which of these copies are trained on: lists of `zarpipe filter-copies`, one for each draw; without it
    all of them. Without copies, the originals of those in the lists are seen once more."""
    variant: Annotated[list[CorpusFile], Field(default_factory=list)]
    """Finetuned: the augmented copies as `zarpipe augment` writes them, one file for each draw."""
    extra: Annotated[list[CorpusFile], Field(default_factory=list)]
    """More training text, labelled, which an epoch sees as often as copies."""
    extra_features: Annotated[list[FeatureFile], Field(default_factory=list)]
    """Its feature files, one for each, in the same order; none with --in-place."""
    mlm: Annotated[str | None, Argument("PATH")] = None
    """Finetuned: hub name or folder of the masked language model that is trained."""
    fraction: Share | None = None
    """Train on this share of the training documents, above 0 up to 1. A smaller share is part of a larger
    one of the same --subset-seed."""
    folds: Annotated[Integer | None, Field(ge=2), Argument("N")] = None
    """Cut the training documents into N folds, and train on all but one (--without-fold)."""
    without_fold: Annotated[Integer | None, Field(ge=0), Argument("FOLD")] = None
    """The fold whose documents are left out, from 0."""
    subset_seed: Annotated[Seed, Argument("SEED")] = 1
    """Seed of the order of documents in which --fraction and --folds take them."""
    dev_corpus: CorpusFile
    """Development split."""
    dev_features: FeatureFile | None = None
    """Its feature file. The architecture finetuned has none."""


class PredictionFiles(Section):
    """Taggers and the split that they are applied to."""

    tagger: list[Folder]
    """Tagger folders (…/seed1 …)."""
    corpus: CorpusFile
    """The split."""
    features: FeatureFile | None = None
    """Its feature file. Taggers of the architecture finetuned need none."""
    output: list[CorpusFile]
    """One file per tagger."""
    trust_remote_code: bool = False
    """Finetuned: run Python code that came with the MLM. Off unless you trust its authors."""


class HeldOutFiles(Section):
    """Taggers of all folds, and the training split that they decide: each what it has not seen."""

    tagger: list[Folder]
    """Tagger folders, trained with --folds and --without-fold: one of each fold for each seed."""
    corpus: CorpusFile
    """Training split."""
    features: FeatureFile
    """Its feature file."""
    variant_features: FeatureFile | None = None
    """Feature file of augmented copies that are decided instead of the originals."""
    output: list[CorpusFile]
    """One file per seed, in the order in which --tagger first names them."""


class FilterFiles(Section):
    """Decisions about training instances and about their refilled copies."""

    corpus: CorpusFile
    """Training split."""
    originals: list[CorpusFile]
    """Decisions about the originals, one file of `zarpipe predict-held-out` per seed."""
    refilled: list[CorpusFile]
    """Decisions about the refilled copies, in the same order."""
    output: CorpusFile
    """List of copies, for `zarpipe train --keep`."""


class SegmenterFiles(Section):
    """What a segmenter is trained on."""

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
