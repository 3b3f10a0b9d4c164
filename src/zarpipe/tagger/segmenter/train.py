"""Training of a segmenter from files to files: what `zarpipe train-segmenter` runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from zarpipe.arrays import Float32
from zarpipe.config import SegmentationConfig, TrainingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.batches import EncodedInstances, tokens_at_once
from zarpipe.tagger.cached import check_same_mlm
from zarpipe.tagger.devices import prepared_device
from zarpipe.tagger.folder import train_into
from zarpipe.tagger.loop import Training
from zarpipe.tagger.mixture import mixed
from zarpipe.tagger.segmenter.model import build_segmenter
from zarpipe.tagger.segmenter.sentences import read_sentences
from zarpipe.tagger.segmenter.weights import configuration
from zarpipe.tagger.specs import Run, SegmenterFiles
from zarpipe.task.segmentation import LABELS, search_threshold
from zarpipe.task.thresholds import Search


def train_segmenter(
    files: SegmenterFiles, run: Run, segmentation: SegmentationConfig, settings: TrainingConfig
) -> None:
    """Train a segmenter and write its folder, whole.

    Raises ZarpipeError: files that do not fit together, no predicate, a loss that is not a number.
    """
    device = prepared_device(settings.device, run.threads)
    train = _read(files.corpus, files.features, files.sentences)
    dev = _read(files.dev_corpus, files.dev_features, files.dev_sentences)
    states, dev_states = train.cached, dev.cached
    check_same_mlm(dev_states.originals, states.originals.provenance, str(files.features))
    layers, size = segmentation.layers, segmentation.hidden_size
    training = Training(
        build_segmenter(layers, size, states.size, run.seed, states.mixed_layers).to(device),
        mixed(train, [], Mixture()),
        dev,
        LABELS,
        _search,
        tokens_at_once(layers, size),
        settings,
        run.seed,
        config=configuration(segmentation),
        provenance=states.provenance(),
    )
    train_into(training, run.output)


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
