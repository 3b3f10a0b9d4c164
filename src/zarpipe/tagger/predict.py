"""Predictions of trained taggers on an encoded split: decided arguments and all probabilities.

Beside the decisions ``A.parquet`` (columns: `zarpipe.formats.predictions`) lies ``A.probabilities.h5`` with
what ensembles and significance tests need (layout: `zarpipe.formats.probabilities`).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from zarpipe import __version__
from zarpipe.arrays import Float32, Int64
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.predictions import write_decisions
from zarpipe.formats.probabilities import probabilities_path, write_probabilities
from zarpipe.formats.tagger import WEIGHTS_NAME
from zarpipe.tagger.batches import EncodedInstances
from zarpipe.tagger.devices import chosen_device, explained_lack_of_memory, set_threads
from zarpipe.tagger.inference import predict_probabilities
from zarpipe.tagger.inputs import check_same_mlm, read_split
from zarpipe.tagger.specs import PredictionFiles
from zarpipe.tagger.weights import TaggerFile, read_tagger
from zarpipe.task.instances import Instances
from zarpipe.task.thresholds import Candidates, candidates


def predict_files(files: PredictionFiles) -> None:
    """Apply each tagger to a split and write its decisions and probabilities.

    Raises:
        ZarpipeError: a tagger or feature file that does not belong, or too little memory.
    """
    taggers, outputs = files.tagger, files.output
    if len(taggers) != len(outputs):
        raise ZarpipeError(
            f"--output: found {len(outputs)} files; expected one for each of the {len(taggers)} taggers"
        )
    if len(set(outputs)) != len(outputs):
        raise ZarpipeError("--output: the same file is named twice; expected one for each tagger")
    set_threads(files.threads)
    sent_ids = read_corpus(files.corpus, ["sent_id"])["sent_id"].combine_chunks()
    device, corpus = chosen_device(files.device), file_digest(files.corpus)
    cached = read_split(files.corpus, files.features, "prediction") if files.features else None
    for folder, output in zip(taggers, outputs, strict=True):
        tagger = read_tagger(folder, files.trust_remote_code)
        instances, encoded = _read(files, folder, tagger, cached)
        with explained_lack_of_memory(files.batch_size, tagger.read_split is not None):
            probabilities = predict_probabilities(tagger.model.to(device), encoded, files.batch_size)
        check_finite(probabilities, folder, files.features or files.corpus)
        provenance = {
            "zarpipe": __version__,
            "corpus": corpus,
            "features": None if tagger.read_split else encoded.cached.originals.provenance["digest"],
            "tagger": file_digest(folder / WEIGHTS_NAME),
            "seed": tagger.provenance.get("seed"),
        }
        write_probabilities(probabilities_path(output), probabilities, instances.offsets, provenance)
        decided, found = decide(tagger, probabilities, instances.offsets)
        write_decisions(output, decided, found.probability, instances, sent_ids, provenance)


def _read(
    files: PredictionFiles,
    folder: Path,
    tagger: TaggerFile,
    cached: tuple[Instances, EncodedInstances] | None,
) -> tuple[Instances, EncodedInstances]:
    """Return the split's instances with what the tagger reads of them."""
    if tagger.read_split is not None:
        if cached is not None:
            raise ZarpipeError(
                f"--features: the tagger {folder} has its own masked language model and reads no features; "
                "leave the option out"
            )
        return tagger.read_split(files.corpus)
    if cached is None:
        raise ZarpipeError(
            f"--features: found nothing; the tagger {folder} ({tagger.config.architecture}) reads the "
            "features of the split: give its feature file"
        )
    features = cached[1].cached.originals
    check_same_mlm(features, tagger.provenance, f"the tagger {folder}")
    return cached


def decide(tagger: TaggerFile, probabilities: Float32, offsets: Int64) -> tuple[Int64, Candidates]:
    """Return [n, C] decided tokens (-1 for none) by the tagger's thresholds, and the candidates."""
    found = candidates(probabilities, offsets)
    return found.decide(tagger.thresholds, tagger.config.accept == "exceeds"), found


def check_finite(probabilities: Float32, folder: Path, read: Path) -> None:
    """Raise ZarpipeError unless a tagger's probabilities on a feature file, or on a corpus, are numbers."""
    if not np.isfinite(probabilities).all():
        raise ZarpipeError(
            f"{folder}: its probabilities on {read} are not numbers; check the file (features: with `zarpipe "
            "cache`) and train the tagger again"
        )
