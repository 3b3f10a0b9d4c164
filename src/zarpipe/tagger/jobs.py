"""Training from files to files: what `zarpipe train` runs."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from zarpipe import __version__
from zarpipe.arrays import Bool
from zarpipe.config import FinetuningConfig, MlmConfig, TaggerConfig, TrainingConfig
from zarpipe.config.options import command_line
from zarpipe.config.tagger import LIVE, module_of
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.copies import read_kept_copies
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.tagger import WEIGHTS_NAME, write_tensors
from zarpipe.study.digests import code_digest
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.batches import missing_cases
from zarpipe.tagger.checkpoint import TrainingState
from zarpipe.tagger.devices import chosen_device, keep_freed_memory, set_threads
from zarpipe.tagger.inputs import check_same_mlm, read_split, read_variant_features, states_provenance
from zarpipe.tagger.mixture import TrainingInstances, drawn_copies, mixed_draws
from zarpipe.tagger.model import build_model
from zarpipe.tagger.specs import TrainingFiles
from zarpipe.tagger.training import tagger_goal
from zarpipe.tagger.trainings import Trainings, train_and_write
from zarpipe.tagger.work import Work
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.instances import Instances
from zarpipe.task.subsets import DocumentPart, document_part

_LOG = logging.getLogger(__name__)

_MANY_TOKENS = 1_000_000


def train_tagger_files(
    files: TrainingFiles,
    tagger: TaggerConfig,
    training: TrainingConfig,
    mixture: Mixture,
    finetuning: FinetuningConfig,
    mlm: MlmConfig,
) -> None:
    """Train a tagger and write its folder, whole.

    Args:
        files: what it is trained on.
        tagger: its architecture.
        training: optimiser and schedule.
        mixture: what an epoch sees.
        finetuning: what is different where the MLM is trained too.
        mlm: the MLM that is trained.

    Raises:
        ZarpipeError: files that do not fit together, nothing to train on, a loss that is not a number.
    """
    _check_files(files, mixture)
    part = document_part(files.fraction, files.folds, files.without_fold, files.subset_seed)
    set_threads(files.threads)
    keep_freed_memory()
    device = chosen_device(training.device)
    work = _read_work(files, tagger, training, finetuning, mlm)
    kept, documents = _documents(files.corpus, work.instances, part)
    _warn(files, work.instances.only(kept), work.dev_instances)
    train = _training_instances(files, work, mixture, training, kept)
    code = code_digest(__name__, module_of(tagger.architecture))
    shared = Trainings(
        train,
        work.dev,
        tagger_goal(tagger),
        work.training,
        work.new_model,
        work.write,
        config=_tagger_settings(tagger),
        provenance=_provenance(files, work, tagger, mixture) | {"documents": documents},
        warm_up=work.warm_up,
    )
    train_and_write(shared, files.seed, files.output, files.checkpoints, code, device)


def _check_files(files: TrainingFiles, mixture: Mixture) -> None:
    """Refuse files and options that mean nothing together, before anything is read."""
    draws = len(files.variant_features) + len(files.variant)
    check_mixture(mixture, draws)
    if files.keep and len(files.keep) != draws:
        raise ZarpipeError(
            f"--keep: found {len(files.keep)} files; expected one for each of the "
            f"{draws} of --variant-features"
        )


def _training_instances(
    files: TrainingFiles, work: Work, mixture: Mixture, training: TrainingConfig, kept: Bool
) -> TrainingInstances:
    """Return what the epochs see of originals and copies; ``kept`` tells which originals are trained on."""
    corpus = work.provenance["corpus"]
    kept_copies = [read_kept_copies(path, len(kept), corpus) for path in files.keep]
    train = mixed_draws(work.originals, work.draws, mixture, training.predicate_flags, kept, kept_copies)
    _check_draws(train, files)
    return train


def _provenance(files: TrainingFiles, work: Work, tagger: TaggerConfig, mixture: Mixture) -> dict[str, Any]:
    """Return what all of these taggers are made from, and how, except the part of the documents."""
    settings = {"tagger": _tagger_settings(tagger), "training": training_settings(work.training)}
    versions = {"zarpipe": __version__, "torch": torch.__version__}
    keep = {"keep": [file_digest(path) for path in files.keep]} if files.keep else {}
    return versions | work.provenance | mixture.model_dump() | settings | keep


def _read_work(
    files: TrainingFiles,
    tagger: TaggerConfig,
    training: TrainingConfig,
    finetuning: FinetuningConfig,
    mlm: MlmConfig,
) -> Work:
    """Read and check what the taggers of an architecture read."""
    if tagger.architecture not in LIVE:
        return _cached_work(files, tagger, training)
    live = LIVE.load(tagger.architecture)
    work: Work = live.work(files, tagger, training, finetuning, mlm)
    return work


def _cached_work(files: TrainingFiles, tagger: TaggerConfig, training: TrainingConfig) -> Work:
    """Read and check feature files."""
    if files.features is None or files.dev_features is None:
        raise ZarpipeError(
            f"--features, --dev-features: found nothing; the architecture {tagger.architecture} reads "
            "feature files (from `zarpipe encode`): give both"
        )
    if files.mlm is not None or files.variant:
        raise ZarpipeError(
            f"--mlm, --variant: the architecture {tagger.architecture} reads feature files; give "
            "--features and --variant-features instead"
        )
    instances, train = read_split(files.corpus, files.features, "training")
    dev_instances, dev = read_split(files.dev_corpus, files.dev_features, "the development set")
    originals, dev_features = train.cached.originals, dev.cached.originals
    check_same_mlm(dev_features, originals.provenance, str(files.features))
    variants = [read_variant_features(path, originals) for path in files.variant_features]
    digests = [variant.provenance["digest"] for variant in variants]
    provenance = {
        **states_provenance(originals),
        "features": originals.provenance["digest"],
        "dev_corpus": dev_features.provenance["corpus"],
        "dev_features": dev_features.provenance["digest"],
        "variant_features": digests or None,
        "augmentation": [variant.provenance.get("augmentation") for variant in variants] or None,
    }
    size, mixed_layers = train.cached.size, train.cached.mixed_layers

    def write(folder: Path, state: TrainingState, metadata: dict[str, Any]) -> None:
        write_tensors(folder / WEIGHTS_NAME, state.best, {**metadata, "input_size": size})

    def new_model(seed: int) -> nn.Module:
        return build_model(tagger, size, seed, mixed_layers)

    draws = drawn_copies(train, variants, training.predicate_flags)
    return Work(instances, train, draws, dev_instances, dev, provenance, training, new_model, write)


def _warn(files: TrainingFiles, instances: Instances, dev_instances: Instances) -> None:
    """Say what a person would want to know of the data before the training."""
    _warn_of_missing_cases(files.corpus, instances, "the tagger cannot learn it")
    _warn_of_a_sentence_that_takes_all(files.corpus, instances)
    _warn_of_missing_cases(files.dev_corpus, dev_instances, "its threshold stays at the lowest value")


def _check_draws(instances: TrainingInstances, files: TrainingFiles) -> None:
    """Refuse draws of which no copy is kept where an epoch sees nothing else."""
    alone = instances.mixture.stages == "masked_first"
    for path, draw in zip(files.keep, instances.draws, strict=False):
        if alone and not len(draw):
            raise ZarpipeError(
                f"{path}: keeps no copy, and the first stage (--stages masked_first) sees nothing else; "
                "train without --keep, or without --stages"
            )


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


def _tagger_settings(tagger: TaggerConfig) -> dict[str, Any]:
    """Return what one tagger is: which others the study compares it with does not matter to it."""
    return tagger.model_dump(exclude={"compare"})


def training_settings(training: TrainingConfig) -> dict[str, Any]:
    """Return the settings of training that one tagger's weights depend on."""
    return training.model_dump(exclude={"seeds", "device"})


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
