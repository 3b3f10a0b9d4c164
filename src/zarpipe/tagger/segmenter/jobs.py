"""Training of segmenters from files to files: what `zarpipe train-segmenter` runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from zarpipe import __version__
from zarpipe.arrays import Float32
from zarpipe.config import SegmentationConfig, TrainingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.formats.tagger import WEIGHTS_NAME, write_tensors
from zarpipe.study.digests import code_digest
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.batches import EncodedInstances, tokens_at_once
from zarpipe.tagger.checkpoint import TrainingState
from zarpipe.tagger.devices import chosen_device, keep_freed_memory, set_threads
from zarpipe.tagger.inputs import check_same_mlm, states_provenance
from zarpipe.tagger.jobs import training_settings
from zarpipe.tagger.mixture import mixed
from zarpipe.tagger.segmenter.inputs import read_sentences
from zarpipe.tagger.segmenter.model import build_segmenter
from zarpipe.tagger.segmenter.specs import SegmenterFiles
from zarpipe.tagger.segmenter.weights import configuration
from zarpipe.tagger.training import Goal
from zarpipe.tagger.trainings import Trainings, train_and_write
from zarpipe.task.segmentation import LABELS, search_threshold
from zarpipe.task.thresholds import Search


def train_segmenter(
    files: SegmenterFiles, segmentation: SegmentationConfig, training: TrainingConfig
) -> None:
    """Train a segmenter and write its folder, whole.

    Args:
        files: what it is trained on.
        segmentation: its layers.
        training: optimiser and schedule.

    Raises:
        ZarpipeError: files that do not fit together, no predicate, a loss that is not a number.
    """
    set_threads(files.threads)
    keep_freed_memory()
    device = chosen_device(training.device)
    train = _read(files.corpus, files.features, files.sentences)
    dev = _read(files.dev_corpus, files.dev_features, files.dev_sentences)
    originals = train.cached.originals
    check_same_mlm(dev.cached.originals, originals.provenance, str(files.features))
    layers, size = segmentation.layers, segmentation.hidden_size
    columns, mixed_layers = train.cached.size, train.cached.mixed_layers

    def new_model(seed: int) -> nn.Module:
        return build_segmenter(layers, size, columns, seed, mixed_layers)

    def write(folder: Path, state: TrainingState, metadata: dict[str, Any]) -> None:
        write_tensors(folder / WEIGHTS_NAME, state.best, {**metadata, "input_size": columns})

    shared = Trainings(
        mixed(train, [], Mixture()),
        dev,
        Goal(LABELS, _search, tokens_at_once(layers, size)),
        training,
        new_model,
        write,
        config=configuration(segmentation),
        provenance=_provenance(train, dev, segmentation, training),
    )
    train_and_write(shared, files.seed, files.output, files.checkpoints, code_digest(__name__), device)


def _read(corpus: Path, features: Path, sentences: Path) -> EncodedInstances:
    """Read a split, and refuse one in which there is nothing to find."""
    read = read_sentences(corpus, features, sentences)
    if not (read.labels >= 2).any():
        raise ZarpipeError(
            f"{corpus}: no sentence has a target predicate; a segmenter needs at least one in the training "
            "and in the development set"
        )
    return read


def _search(probabilities: Float32, dev: EncodedInstances) -> Search:
    offsets = np.concatenate([[0], np.cumsum(dev.lengths)])
    return search_threshold(probabilities, dev.labels, offsets)


def _provenance(
    train: EncodedInstances,
    dev: EncodedInstances,
    segmentation: SegmentationConfig,
    training: TrainingConfig,
) -> dict[str, Any]:
    """Return what all of these segmenters are made from, and how."""
    digests = {
        f"{prefix}{name}": file.provenance["digest"]
        for prefix, split in (("", train), ("dev_", dev))
        for name, file in zip(("features", "sentences"), split.cached.files, strict=True)
    }
    return {
        "zarpipe": __version__,
        "torch": torch.__version__,
        **states_provenance(train.cached.originals),
        "dev_corpus": dev.cached.originals.provenance["corpus"],
        **digests,
        "segmentation": configuration(segmentation),
        "training": training_settings(training),
    }
