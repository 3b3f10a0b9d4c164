"""Training of a tagger from files to files: what `zarpipe train` runs."""

from __future__ import annotations

import functools
import logging
from pathlib import Path
from typing import Any

import numpy as np

from zarpipe.arrays import Bool, Float32
from zarpipe.config import TaggerConfig
from zarpipe.config.options import command_line
from zarpipe.config.perturbations import NEED_COPIES, unknown_to_live
from zarpipe.config.tagger import HIDDEN_STATES, trains_the_mlm
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.copies import read_kept_copies
from zarpipe.formats.corpus import read_corpus, read_instances
from zarpipe.study.extra import check_apart
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.batches import EncodedInstances, missing_cases
from zarpipe.tagger.devices import prepared_device
from zarpipe.tagger.folder import train_into
from zarpipe.tagger.hidden_states import Source, Splits
from zarpipe.tagger.loop import Training
from zarpipe.tagger.mixture import TrainingInstances, mixed
from zarpipe.tagger.specs import Run, Settings, TrainingFiles
from zarpipe.task.cases import CASE_NAMES, LABELS
from zarpipe.task.documents import Sentence
from zarpipe.task.instances import Instances
from zarpipe.task.subsets import DocumentPart, document_part
from zarpipe.task.thresholds import Search, candidates, gold_of_labels, search_thresholds

_LOG = logging.getLogger(__name__)

_MANY_TOKENS = 1_000_000


def train_tagger(files: TrainingFiles, run: Run, settings: Settings) -> None:
    """Train a tagger and write its folder, whole.

    Raises ZarpipeError: files that do not fit together, nothing to train on, a loss that is not a number.
    """
    _check_files(files, settings.mixture)
    if trains_the_mlm(settings.tagger.architecture):
        mixture = settings.mixture
        for name, found, problem in unknown_to_live(mixture.perturb, mixture.consistency, files.extra):
            raise ZarpipeError(f"--{name}: found {found}; {problem}")
    part = document_part(files.fraction, files.folds, files.without_fold, files.subset_seed)
    device = prepared_device(settings.training.device, run.threads)
    tagger = settings.tagger
    source: type[Source] = HIDDEN_STATES.load(tagger.hidden_states).STATES
    splits = source.read_training(files, settings)
    kept, documents = _documents(files.corpus, splits.instances, part)
    _warn(files, splits.instances.only(kept), splits.dev_instances)
    train, states = _training_instances(files, splits, settings, kept), splits.originals.source
    chosen, warm_up = states.training_settings(settings.training)
    training = Training(
        states.new_model(tagger, run.seed).to(device),
        train,
        splits.dev,
        LABELS,
        lambda probabilities, dev: development_search(probabilities, dev, tagger),
        states.tokens_at_once(tagger),
        chosen,
        run.seed,
        warm_up,
        tagger.model_dump(exclude={"compare"}),
        states.provenance() | {"documents": documents},
    )
    train_into(training, run.output)


def _check_files(files: TrainingFiles, mixture: Mixture) -> None:
    """Refuse files and options that mean nothing together, before anything is read."""
    draws = len(files.variant_features) + len(files.variant) or len(files.keep)
    check_mixture(mixture, draws, len(files.extra))
    if len(files.extra_features) != (0 if mixture.in_place else len(files.extra)):
        raise ZarpipeError(
            f"--extra-features: found {len(files.extra_features)} files; expected one for each of the "
            f"{len(files.extra)} of --extra, or none with --in-place"
        )
    for path in files.extra:
        check_apart(path, [files.dev_corpus])
    if files.keep and mixture.consistency is not None:
        raise ZarpipeError("--consistency: found with --keep; expected a copy of each original")
    if files.keep and len(files.keep) != draws:
        raise ZarpipeError(
            f"--keep: found {len(files.keep)} files; expected one for each of the "
            f"{draws} of --variant-features"
        )


def _training_instances(
    files: TrainingFiles, splits: Splits, settings: Settings, kept: Bool
) -> TrainingInstances:
    """Return what the epochs see of originals and copies; ``kept`` tells which originals are trained on."""
    corpus = file_digest(files.corpus)
    copies = [read_kept_copies(path, len(kept), corpus) for path in files.keep]
    flags = settings.training.predicate_flags
    draws = splits.draws or [splits.originals] * len(copies)
    train = mixed(
        *(splits.originals, draws, settings.mixture, flags, kept, copies),
        functools.partial(_sentences, files.corpus),
        splits.extra,
        sum(len(read_instances(path)) for path in files.extra) if settings.mixture.in_place else 0,
    )
    for path, draw in zip(files.keep, train.draws, strict=False):
        if settings.mixture.stages == "masked_first" and not len(draw):
            raise ZarpipeError(
                f"{path}: keeps no copy, and the first stage (--stages masked_first) sees nothing else; "
                "train without --keep, or without --stages"
            )
    return train


def _sentences(corpus: Path) -> list[Sentence]:
    """Return each instance of a corpus, as a sentence with the target predicate alone."""
    sentences = map(Sentence.of_row, read_corpus(corpus).to_pylist())
    return [one._replace(predicates=[predicate]) for one in sentences for predicate in one.predicates]


def development_search(probabilities: Float32, dev: EncodedInstances, tagger: TaggerConfig) -> Search:
    """Search the thresholds by the development instances' probabilities [N, LABELS]."""
    offsets = np.concatenate([[0], np.cumsum(dev.lengths)])
    gold = gold_of_labels(dev.labels)
    return search_thresholds(candidates(probabilities, offsets), gold, offsets, tagger.accept == "exceeds")


def _warn(files: TrainingFiles, instances: Instances, dev_instances: Instances) -> None:
    """Say what a person would want to know of the data before the training."""
    _warn_of_missing_cases(files.corpus, instances, "the tagger cannot learn it")
    _warn_of_a_sentence_that_takes_all(files.corpus, instances)
    _warn_of_missing_cases(files.dev_corpus, dev_instances, "its threshold stays at the lowest value")


def check_mixture(mixture: Mixture, draws: int, extra: int = 0) -> None:
    """Refuse options that mean nothing without others. Raises ZarpipeError."""
    copied = draws > 0 or mixture.perturb is not None
    augmented = copied or extra > 0
    one_of_them = "found without copies; expected --variant-features, --perturb or --extra"
    if (use := (mixture.perturb or {}).get("use")) in NEED_COPIES and not draws:
        raise ZarpipeError(f"--perturb: found {use!r} without copies; expected --variant-features")
    uneven = (mixture.copies, mixture.variant_copies, mixture.stages) != (1, 1, "together")
    several = extra > 0 or (draws > 1 and not mixture.per_epoch)
    if mixture.consistency is not None and (not copied or uneven or several):
        raise ZarpipeError("--consistency: expected one copy of each original in an epoch, and no --stages")
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
