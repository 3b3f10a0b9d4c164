"""Training and prediction where the MLM is trained too: what is read, and the folder that is written."""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pydantic import ValidationError
from torch import Tensor, nn

from zarpipe.config import FinetuningConfig, MlmConfig, TaggerConfig, TrainingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.tagger import WEIGHTS_NAME, write_tensors
from zarpipe.mlm.inputs import CorpusSequences
from zarpipe.mlm.loading import FrozenMlm
from zarpipe.mlm.sequences import joined
from zarpipe.tagger.batches import EncodedInstances, flagged, original_instances
from zarpipe.tagger.checkpoint import TrainingState
from zarpipe.tagger.inputs import check_any
from zarpipe.tagger.live.model import FinetunedTagger, build
from zarpipe.tagger.live.model_folder import load_for_training, read_model_folder, write_model_folder
from zarpipe.tagger.live.states import LiveStates
from zarpipe.tagger.specs import TrainingFiles
from zarpipe.tagger.work import Work
from zarpipe.task.instances import Instances

_LOG = logging.getLogger(__name__)

_ENCODER = "encoder."


def work(
    files: TrainingFiles,
    tagger: TaggerConfig,
    training: TrainingConfig,
    finetuning: FinetuningConfig,
    mlm: MlmConfig,
) -> Work:
    """Read and check the MLM and what it is trained on."""
    if files.mlm is None:
        raise ZarpipeError(
            f"--mlm: found nothing; the architecture {tagger.architecture} trains the masked language model "
            "itself: give its folder or hub name"
        )
    if files.features or files.dev_features or files.variant_features:
        raise ZarpipeError(
            f"--features, --dev-features, --variant-features: the architecture {tagger.architecture} reads "
            "no feature files; leave them out (augmented copies: --variant)"
        )
    before, at_once = load_for_training(mlm), finetuning.batch_tokens
    instances, train, draws = read_training(
        files.corpus, files.variant, before, at_once, training.predicate_flags
    )
    dev_instances, dev = read_split(files.dev_corpus, before, at_once, "the development set")
    settings = finetuning.model_dump()
    provenance = {
        "transformers": version("transformers"),
        "mlm": before.name,
        "mlm_digest": before.digest,
        "corpus": file_digest(files.corpus),
        "dev_corpus": file_digest(files.dev_corpus),
        "variant": list(map(file_digest, files.variant)) or None,
        "finetuning": settings,
    }

    def write(folder: Path, state: TrainingState, metadata: dict[str, Any]) -> None:
        state.model.load_state_dict(state.best)
        digest = write_model_folder(folder, state.model.encoder, mlm)
        rest = {name: tensor for name, tensor in state.best.items() if not name.startswith(_ENCODER)}
        live = {"finetuning": settings, "encoder": digest}
        write_tensors(folder / WEIGHTS_NAME, rest, {**metadata, **live})

    return Work(
        instances,
        train,
        draws,
        dev_instances,
        dev,
        provenance,
        training.model_copy(update={"learning_rate": finetuning.learning_rate}),
        lambda seed: build(tagger, before, seed, getattr(torch, finetuning.compute_dtype)),
        write,
        finetuning.warm_up,
    )


def read(
    folder: Path,
    config: TaggerConfig,
    weights: dict[str, Tensor],
    metadata: dict[str, Any],
    trust_remote_code: bool,
) -> tuple[nn.Module, dict[str, Tensor], Any]:
    """Read a trained MLM beside a tagger's other weights.

    Args:
        folder: the tagger's folder.
        config: its configuration.
        weights: those of flags and output layer.
        metadata: what is said beside them.
        trust_remote_code: run code that came with the MLM.

    Returns:
        The model, all of its weights, and how it reads a split.
    """
    try:
        settings = FinetuningConfig.model_validate(metadata.get("finetuning"))
    except ValidationError as error:
        raise ZarpipeError(
            f"{folder / WEIGHTS_NAME}: its metadata lack how its masked language model was trained; train it "
            "again with `zarpipe train`"
        ) from error
    mlm = read_model_folder(folder, metadata.get("encoder"), trust_remote_code)
    encoder = mlm.model.base_model
    model = FinetunedTagger(config, encoder, 0, getattr(torch, settings.compute_dtype))
    of_encoder = {_ENCODER + name: tensor for name, tensor in encoder.state_dict().items()}
    reader = functools.partial(read_split, mlm=mlm, batch_tokens=settings.batch_tokens, use="prediction")
    return model, weights | of_encoder, reader


def read_split(
    corpus: Path, mlm: FrozenMlm, batch_tokens: int, use: str
) -> tuple[Instances, EncodedInstances]:
    """Read a split's instances as what the MLM reads.

    Args:
        corpus: corpus Parquet.
        mlm: the MLM, for its tokenizer.
        batch_tokens: subwords that go through the MLM at once.
        use: what it is for, for the message when it has no instances.
    """
    read = CorpusSequences.read(corpus, mlm)
    check_any(corpus, read.instances, use)
    states = LiveStates(mlm, read.pieces.subwords(read.sentences), batch_tokens)
    encoded = original_instances(states, read.instances.sentence, read.instances)
    _log_windows(corpus, encoded, states)
    return read.instances, encoded


def read_training(
    corpus: Path, variants: Sequence[Path], mlm: FrozenMlm, batch_tokens: int, predicate_flags: str = "all"
) -> tuple[Instances, EncodedInstances, list[EncodedInstances]]:
    """Read the training split's instances and their augmented copies as what the MLM reads.

    Args:
        corpus: corpus Parquet.
        variants: variant Parquets, one for each draw.
        mlm: the MLM, for its tokenizer.
        batch_tokens: subwords that go through the MLM at once.
        predicate_flags: is-predicate flags of the copies, see `zarpipe.tagger.batches.variant_copies`.

    Returns:
        The instances, what the MLM reads of them, and the copies of each draw.
    """
    read = CorpusSequences.read(corpus, mlm)
    check_any(corpus, read.instances, "training")
    sequences, first = read.sentences, []
    for variant in variants:
        first.append(len(sequences))
        sequences = joined(sequences, read.copies(read.variant(variant)))
    states = LiveStates(mlm, read.pieces.subwords(sequences), batch_tokens)
    originals = original_instances(states, read.instances.sentence, read.instances)
    _log_windows(corpus, originals, states)
    numbers = np.arange(len(originals))
    copies = [replace(originals, sequence=start + numbers) for start in first]
    return read.instances, originals, [flagged(one, predicate_flags) for one in copies]


def _log_windows(corpus: Path, encoded: EncodedInstances, states: LiveStates) -> None:
    """Say when sentences are too long for the model to read at once."""
    subwords, room = states.mlm.subwords, states.mlm.limit
    room -= len(subwords.prefix) + len(subwords.suffix)
    if count := int((states.sequences.lengths[encoded.sequence] > room).sum()):
        _LOG.info(
            "%s: %d of %d instances have more subwords than the model reads at once and are read in "
            "overlapping windows; a window that does not hold the target predicate is not told it",
            corpus,
            count,
            len(encoded),
        )
