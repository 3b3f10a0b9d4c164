"""Training and prediction from files to files: what `zarpipe train` and `zarpipe predict` run."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from zarpipe import __version__
from zarpipe.config import TaggerConfig, TrainingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.files import hidden_folder, text_digest, write_json
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.features import Features
from zarpipe.formats.history import write_history
from zarpipe.formats.tagger import HISTORY_NAME, THRESHOLDS_NAME, WEIGHTS_NAME, write_tensors
from zarpipe.study.digests import code_digest
from zarpipe.tagger.batches import (
    EncodedInstances,
    missing_cases,
    repeated,
    with_variant,
)
from zarpipe.tagger.checkpoint import TrainingState, checkpoint_path, remove_checkpoints
from zarpipe.tagger.devices import chosen_device
from zarpipe.tagger.inputs import check_same_mlm, read_split
from zarpipe.tagger.progress import ProgressDisplay
from zarpipe.tagger.seeds import Report, train_each
from zarpipe.tagger.training import train_tagger
from zarpipe.task.cases import CASES
from zarpipe.task.instances import Instances

_LOG = logging.getLogger(__name__)

_MANY_TOKENS = 1_000_000


@dataclass(frozen=True)
class TrainingFiles:
    """What a tagger is trained on.

    Attributes:
        corpus: training split (Parquet).
        features: its feature file.
        dev_corpus: development split.
        dev_features: its feature file.
        variant_features: feature file of the augmented copies, or None.
        copies: how often the originals are seen per epoch (2 for the recipe baseline2x).
    """

    corpus: Path
    features: Path
    dev_corpus: Path
    dev_features: Path
    variant_features: Path | None = None
    copies: int = 1


def train_taggers(
    files: TrainingFiles, tagger: TaggerConfig, training: TrainingConfig, seeds: Sequence[int], output: Path
) -> None:
    """Train one tagger per seed and write ``output/seed{n}/`` for each, whole.

    The features are opened once; each tagger is the same as if it were trained alone. On a GPU the seeds
    train side by side.

    Raises:
        ZarpipeError: files that do not fit together, nothing to train on, a loss that is not a number.
    """
    device = chosen_device(training.device)
    train, dev, provenance = _read_training(files, training)
    provenance |= {"copies": files.copies, "tagger": tagger.model_dump(), "training": _settings(training)}
    digest = text_digest(f"{sorted(provenance.items())} {code_digest(__name__)}")

    def train_one(seed: int, report: Report) -> None:
        checkpoint = checkpoint_path(output, seed, digest)
        if checkpoint.is_file():
            _LOG.info("seed %d: going on from %s", seed, checkpoint)
        state = train_tagger(train, dev, tagger, training, seed, device, checkpoint, report)
        _write_seed_folder(output / f"seed{seed}", state, tagger, {**provenance, "seed": seed})

    with ProgressDisplay() as display:
        train_each(train_one, seeds, device, display.show, together=device.type == "cuda")
    # Only now: if a later seed is interrupted, the finished ones need not be trained again either.
    for seed in seeds:
        remove_checkpoints(output, seed)


def _read_training(
    files: TrainingFiles, training: TrainingConfig
) -> tuple[EncodedInstances, EncodedInstances, dict[str, Any]]:
    """Read and check all inputs; return training and development instances and what they were made from."""
    if files.variant_features is not None and files.copies != 1:
        raise ZarpipeError("--copies: found with --variant-features; expected one of the two recipes")
    instances, train = read_split(files.corpus, files.features, "training")
    dev_instances, dev = read_split(files.dev_corpus, files.dev_features, "the development set")
    _warn_of_missing_cases(files.corpus, instances, "the tagger cannot learn it")
    _warn_of_a_sentence_that_takes_all(files.corpus, instances)
    _warn_of_missing_cases(files.dev_corpus, dev_instances, "its threshold stays at the lowest value")
    originals, dev_features = train.sources[0], dev.sources[0]
    mlm = originals.provenance.get("mlm_digest")
    check_same_mlm(dev_features, mlm, str(files.features))
    provenance = {
        "zarpipe": __version__,
        "torch": torch.__version__,
        "mlm": originals.provenance.get("mlm"),
        "mlm_digest": mlm,
        "corpus": originals.provenance["corpus"],
        "features": originals.provenance["digest"],
        "dev_corpus": dev_features.provenance["corpus"],
        "dev_features": dev_features.provenance["digest"],
        "variant_features": None,
    }
    if files.variant_features is not None:
        variant = Features.open(files.variant_features)
        variant.check_corpus(originals.provenance["corpus"])
        variant.check_whole()
        check_same_mlm(variant, mlm, str(files.features))
        train = with_variant(train, variant, training.predicate_flags)
        provenance["variant_features"] = variant.provenance["digest"]
    return repeated(train, files.copies), dev, provenance


def _settings(training: TrainingConfig) -> dict[str, Any]:
    """Return the settings that one tagger's weights depend on."""
    return training.model_dump(exclude={"seeds", "seeds_per_job", "device"})


def _warn_of_missing_cases(corpus: Path, instances: Instances, consequence: str) -> None:
    for label in missing_cases(instances.labels):
        _LOG.warning("%s: no argument of the case %s; %s", corpus, CASES[label], consequence)


def _warn_of_a_sentence_that_takes_all(corpus: Path, instances: Instances) -> None:
    """Say when an epoch is long because of one sentence, which is read once for each of its predicates."""
    tokens = np.bincount(instances.sentence, weights=instances.lengths)
    if not len(tokens) or tokens.max() <= max(_MANY_TOKENS, tokens.sum() / 10):
        return
    row = int(tokens.argmax())
    _LOG.warning(
        "%s: the sentence %r has %s predicates and so makes up %s of the %s tokens of an epoch; if it is no "
        "sentence, leave it out",
        corpus,
        read_corpus(corpus, ["sent_id"])["sent_id"][row].as_py(),
        f"{int((instances.sentence == row).sum()):,}",
        f"{int(tokens[row]):,}",
        f"{int(tokens.sum()):,}",
    )


def _write_seed_folder(
    folder: Path, state: TrainingState, tagger: TaggerConfig, provenance: dict[str, Any]
) -> None:
    """Write a tagger's three files beside the folder, then move them in; the folder appears whole."""
    result = {"best_epoch": state.schedule.best_epoch, "dev_f1": state.schedule.best_f1}
    metadata = {
        "config": tagger.model_dump(),
        "thresholds": state.thresholds,
        "provenance": {**provenance, **result},
    }
    with hidden_folder(folder) as hidden:
        write_tensors(hidden / WEIGHTS_NAME, state.best, metadata)
        write_json(hidden / THRESHOLDS_NAME, state.thresholds)
        write_history(hidden / HISTORY_NAME, state.history)
        _move_in(hidden, folder)


def _move_in(hidden: Path, folder: Path) -> None:
    """Rename the folder into place, or, where one is there already, replace its files (the weights last)."""
    try:
        hidden.rename(folder)
    except OSError:
        folder.mkdir(exist_ok=True)
        for name in (HISTORY_NAME, THRESHOLDS_NAME, WEIGHTS_NAME):
            (hidden / name).replace(folder / name)
