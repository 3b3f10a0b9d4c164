"""Predictions of trained taggers on an encoded split: decided arguments and all probabilities.

Beside the decisions ``A.parquet`` (columns: `zarpipe.formats.predictions`) lies ``A.probabilities.h5`` with
what ensembles and significance tests need (layout: `zarpipe.formats.probabilities`).
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import torch
from torch import nn

from zarpipe.arrays import Float32, Int64
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.predictions import write_decisions
from zarpipe.formats.probabilities import probabilities_path, write_probabilities
from zarpipe.tagger.batches import EncodedInstances
from zarpipe.tagger.cached import CachedStates
from zarpipe.tagger.devices import explained_lack_of_memory, prepared_device
from zarpipe.tagger.inference import predict_probabilities
from zarpipe.tagger.specs import Computing, PredictionFiles
from zarpipe.tagger.weights import TaggerFile, read_tagger
from zarpipe.task.cases import LABELS
from zarpipe.task.thresholds import Candidates, candidates


def predict_files(files: PredictionFiles, computing: Computing) -> None:
    """Apply each tagger to a split and write its decisions and probabilities.

    Raises ZarpipeError: a tagger or feature file that does not belong, or too little memory.
    """
    taggers, outputs = files.tagger, files.output
    if len(taggers) != len(outputs):
        raise ZarpipeError(
            f"--output: found {len(outputs)} files; expected one for each of the {len(taggers)} taggers"
        )
    if len(set(outputs)) != len(outputs):
        raise ZarpipeError("--output: the same file is named twice; expected one for each tagger")
    device = prepared_device(computing.device, computing.threads)
    sent_ids = read_corpus(files.corpus, ["sent_id"])["sent_id"].combine_chunks()
    given = files.features
    # Opened and checked once for all taggers.
    read_once = functools.cache(CachedStates.read_split)
    features = functools.partial(read_once, files.corpus, given, "prediction") if given else None
    for folder, output in zip(taggers, outputs, strict=True):
        tagger = read_tagger(folder, files.trust_remote_code)
        instances, encoded = tagger.read_split(files.corpus, features)
        read = given or files.corpus
        probabilities = finite_probabilities(tagger.model, encoded, folder, read, computing, device)
        write_probabilities(probabilities_path(output), probabilities, instances.offsets)
        decided, found = decide(tagger, probabilities, instances.offsets)
        write_decisions(output, decided, found.probability, instances, sent_ids)


def finite_probabilities(
    model: nn.Module,
    encoded: EncodedInstances,  # what it reads
    folder: Path,
    read: Path,  # the file that holds what it reads
    computing: Computing,
    device: torch.device,
    labels: int = LABELS,  # how many labels there are
) -> Float32:
    """Return the probabilities [N, labels] of a trained model.

    Raises ZarpipeError: too little memory, or probabilities that are no numbers.
    """
    with explained_lack_of_memory(encoded.hidden_states, computing.batch_size):
        probabilities = predict_probabilities(model.to(device), encoded, computing.batch_size, labels)
    if not np.isfinite(probabilities).all():
        raise ZarpipeError(
            f"{folder}: its probabilities on {read} are not numbers; check the file (features: with `zarpipe "
            "cache`) and train the tagger again"
        )
    return probabilities


def decide(tagger: TaggerFile, probabilities: Float32, offsets: Int64) -> tuple[Int64, Candidates]:
    """Return [n, C] decided tokens (-1 for none) by the tagger's thresholds, and the candidates."""
    found = candidates(probabilities, offsets)
    return found.decide(tagger.thresholds, tagger.config.accept == "exceeds"), found
