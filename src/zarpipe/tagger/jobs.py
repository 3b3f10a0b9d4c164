"""Training from files to files: what `zarpipe train` runs."""

from __future__ import annotations

import functools
import logging
from pathlib import Path
from typing import Any

import numpy as np
import torch

from zarpipe import __version__
from zarpipe.arrays import Bool
from zarpipe.config import TaggerConfig, TrainingConfig
from zarpipe.config.options import command_line
from zarpipe.errors import ZarpipeError
from zarpipe.files import announce_replacement, hidden_folder, text_digest, write_json
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.features import TOKEN_STATES, Features
from zarpipe.formats.history import write_history
from zarpipe.formats.tagger import HISTORY_NAME, THRESHOLDS_NAME, WEIGHTS_NAME, write_tensors
from zarpipe.progress import Progress
from zarpipe.study.digests import code_digest
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.architectures import ARCHITECTURES
from zarpipe.tagger.batches import EncodedInstances, missing_cases
from zarpipe.tagger.checkpoint import TrainingState, checkpoint_path, remove_checkpoints
from zarpipe.tagger.devices import chosen_device, keep_freed_memory, set_threads
from zarpipe.tagger.epochs import Report, show_epoch
from zarpipe.tagger.inputs import check_same_mlm, read_split
from zarpipe.tagger.mixture import TrainingInstances, mixed
from zarpipe.tagger.seeds import train_each
from zarpipe.tagger.specs import TrainingFiles
from zarpipe.tagger.training import train_tagger
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.instances import Instances
from zarpipe.task.subsets import DocumentPart, document_part

_LOG = logging.getLogger(__name__)

_MANY_TOKENS = 1_000_000


def train_taggers(
    files: TrainingFiles, tagger: TaggerConfig, training: TrainingConfig, mixture: Mixture
) -> None:
    """Train one tagger per seed and write ``seed{n}/`` for each into the output folder, whole.

    The features are opened once; each tagger is the same as if it were trained alone. On a GPU the seeds
    train side by side.

    Raises:
        ZarpipeError: files that do not fit together, nothing to train on, a loss that is not a number.
    """
    set_threads(files.threads)
    keep_freed_memory()
    device, output = chosen_device(training.device), files.output
    check_mixture(mixture, len(files.variant_features))
    train, dev, provenance = _read_training(files, training, mixture)
    settings = {"tagger": _tagger_settings(tagger), "training": _training_settings(training)}
    provenance |= {**mixture.model_dump(), **settings}
    code = code_digest(__name__, ARCHITECTURES[tagger.architecture])
    digest = text_digest(f"{sorted(provenance.items())} {code}")

    def train_one(seed: int, report: Report) -> None:
        checkpoint = checkpoint_path(output, seed, digest)
        if checkpoint.is_file():
            _LOG.info("seed %d: going on from %s", seed, checkpoint)
        state = train_tagger(train, dev, tagger, training, seed, device, report, checkpoint)
        input_size = train.encoded.hidden_states.size
        _write_seed_folder(output / f"seed{seed}", state, tagger, input_size, {**provenance, "seed": seed})

    with Progress("batches", lines=False) as progress:
        report = functools.partial(show_epoch, progress)
        train_each(train_one, training.seeds, device, report, together=device.type == "cuda")
    # Only now: if a later seed is interrupted, the finished ones need not be trained again either.
    for seed in training.seeds:
        remove_checkpoints(output, seed)


def _read_training(
    files: TrainingFiles, training: TrainingConfig, mixture: Mixture
) -> tuple[TrainingInstances, EncodedInstances, dict[str, Any]]:
    """Read and check all inputs; return training and development instances and what they were made from."""
    part = document_part(files.fraction, files.folds, files.without_fold, files.subset_seed)
    instances, train = read_split(files.corpus, files.features, "training")
    kept, documents = _documents(files.corpus, instances, part)
    instances = instances.only(kept)
    dev_instances, dev = read_split(files.dev_corpus, files.dev_features, "the development set")
    _warn_of_missing_cases(files.corpus, instances, "the tagger cannot learn it")
    _warn_of_a_sentence_that_takes_all(files.corpus, instances)
    _warn_of_missing_cases(files.dev_corpus, dev_instances, "its threshold stays at the lowest value")
    originals, dev_features = train.hidden_states.originals, dev.hidden_states.originals
    check_same_mlm(dev_features, originals.provenance, str(files.features))
    provenance = {
        "zarpipe": __version__,
        "torch": torch.__version__,
        "mlm": originals.provenance.get("mlm"),
        "mlm_digest": originals.provenance.get("mlm_digest"),
        **{key: originals.provenance[key] for key in TOKEN_STATES if key in originals.provenance},
        "corpus": originals.provenance["corpus"],
        "features": originals.provenance["digest"],
        "dev_corpus": dev_features.provenance["corpus"],
        "dev_features": dev_features.provenance["digest"],
        "variant_features": None,
        "documents": documents,
    }
    variants = [_read_variant(path, originals) for path in files.variant_features]
    if variants:
        provenance["variant_features"] = [variant.provenance["digest"] for variant in variants]
    return mixed(train, variants, mixture, training.predicate_flags, kept), dev, provenance


def check_mixture(mixture: Mixture, draws: int) -> None:
    """Refuse options that mean nothing without others. Raises ZarpipeError."""
    augmented = draws > 0 or mixture.drop is not None
    one_of_them = "found without copies; expected --variant-features or --drop"
    if draws and mixture.drop:
        raise ZarpipeError("--drop: found with --variant-features; expected one of the two")
    if mixture.per_epoch and draws <= 1:
        raise ZarpipeError("--per-epoch: expected several --variant-features, one for each draw")
    if mixture.stages == "masked_first" and not augmented:
        raise ZarpipeError(f"--stages: {one_of_them}")
    if mixture.variant_copies > 1 and not augmented:
        raise ZarpipeError(f"--variant-copies: {one_of_them}")


def _documents(
    corpus: Path, instances: Instances, part: DocumentPart | None
) -> tuple[Bool, dict[str, Any] | None]:
    """Tell of each instance whether it is trained on, and what part of the documents that is."""
    if part is None:
        return np.ones(len(instances), bool), None
    of_sentence = read_corpus(corpus, ["doc_id"])["doc_id"].to_numpy().astype(str)
    doc_ids, numbers = np.unique(of_sentence, return_inverse=True)
    try:
        chosen = part.chosen(doc_ids.tolist())
    except ZarpipeError as error:
        raise ZarpipeError(f"{corpus}: {error}") from error
    kept = chosen[numbers[instances.sentence]]
    counts = {"chosen": int(chosen.sum()), "of": len(chosen)}
    if not kept.any():
        options = command_line(part.options())
        raise ZarpipeError(
            f"{corpus}: {counts['chosen']} of {counts['of']} documents ({options}) have no target predicate; "
            "training needs at least one: take more documents, or another --subset-seed"
        )
    _LOG.info("training on %d of %d documents", *counts.values())
    return kept, part.model_dump() | counts


def _read_variant(path: Path, originals: Features) -> Features:
    """Open the features of augmented copies, checked against those of the originals."""
    variant = Features.open(path)
    variant.check_corpus(originals.provenance["corpus"])
    variant.check_whole()
    check_same_mlm(variant, originals.provenance, str(originals.path))
    return variant


def _tagger_settings(tagger: TaggerConfig) -> dict[str, Any]:
    """Return what one tagger is: which others the study compares it with does not matter to it."""
    return tagger.model_dump(exclude={"compare"})


def _training_settings(training: TrainingConfig) -> dict[str, Any]:
    """Return the settings of training that one tagger's weights depend on."""
    return training.model_dump(exclude={"seeds", "seeds_per_job", "device"})


def _warn_of_missing_cases(corpus: Path, instances: Instances, consequence: str) -> None:
    for label in missing_cases(instances.labels):
        _LOG.warning("%s: no argument of the case %s; %s", corpus, CASE_NAMES[label], consequence)


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
    folder: Path,
    state: TrainingState,
    tagger: TaggerConfig,
    input_size: int,
    provenance: dict[str, Any],
) -> None:
    """Write a tagger's three files beside the folder, then move them in; the folder appears whole."""
    result = {"best_epoch": state.best_epoch, "dev_f1": state.schedule.best_f1}
    metadata = {
        "config": _tagger_settings(tagger),
        "input_size": input_size,
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
    announce_replacement()
    try:
        hidden.rename(folder)
    except OSError:
        folder.mkdir(exist_ok=True)
        for name in (HISTORY_NAME, THRESHOLDS_NAME, WEIGHTS_NAME):
            (hidden / name).replace(folder / name)
