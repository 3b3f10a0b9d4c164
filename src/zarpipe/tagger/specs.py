"""What the commands of this stage are given, besides the configuration's sections: files and their use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from zarpipe.config import TrainingConfig
from zarpipe.config.options import Argument
from zarpipe.config.values import Positive, Section

CorpusFile = Annotated[Path, Argument("PARQUET")]
FeatureFile = Annotated[Path, Argument("H5")]
Folder = Annotated[Path, Argument("DIR")]
Threads = Annotated[Positive | None, Argument("N")]


class TrainingFiles(Section):
    """What the taggers of a recipe are trained on, and where they go."""

    corpus: CorpusFile
    """Training split."""
    features: FeatureFile
    """Its feature file."""
    variant_features: Annotated[list[FeatureFile], Field(default_factory=list)]
    """Feature files of the augmented copies, one for each draw, with one copy per training instance."""
    dev_corpus: CorpusFile
    """Development split."""
    dev_features: FeatureFile
    """Its feature file."""
    output: Folder
    """Folder of the recipe; gets seed{n}/."""
    threads: Threads = None
    """CPU threads; without it OMP_NUM_THREADS, else all cores."""


class PredictionFiles(Section):
    """Taggers and the split that they are applied to."""

    tagger: list[Folder]
    """Tagger folders (…/seed1 …)."""
    corpus: CorpusFile
    """The split."""
    features: FeatureFile
    """Its feature file."""
    output: list[CorpusFile]
    """One file per tagger."""
    batch_size: Annotated[Positive, Argument("N")] = TrainingConfig().batch_size
    """Instances per batch."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto: a GPU when there is one."""
    threads: Threads = None
    """CPU threads; without it OMP_NUM_THREADS, else all cores."""
