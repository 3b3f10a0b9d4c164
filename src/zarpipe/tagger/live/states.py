"""What an MLM reads that is trained too: the source `live`, whose hidden states each pass makes anew."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import ValidationError
from torch import Tensor, nn

from zarpipe.arrays import Int64
from zarpipe.config import FinetuningConfig, MlmConfig, TaggerConfig, TrainingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.formats.tagger import WEIGHTS_NAME, write_tensors
from zarpipe.mlm.inputs import CorpusSequences
from zarpipe.mlm.loading import FrozenMlm
from zarpipe.mlm.sequences import SubwordSequences, joined
from zarpipe.tagger.batches import EncodedInstances, check_any, flagged, original_instances
from zarpipe.tagger.hidden_states import ReadModel, Splits, TaggerFolder
from zarpipe.tagger.live.batches import LiveBatch, live_batches
from zarpipe.tagger.live.model import ENCODER, build
from zarpipe.tagger.live.model_folder import load_for_training, read_model_folder, write_model_folder
from zarpipe.tagger.specs import Settings, TrainingFiles
from zarpipe.task.instances import Instances

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class LiveStates:
    """Sequences of subwords; those of augmented copies follow the originals'.

    Attributes:
        mlm: the MLM.
        config: where it comes from.
        finetuning: how it is trained.
        sequences: the sequences.
    """

    mlm: FrozenMlm
    config: MlmConfig
    finetuning: FinetuningConfig
    sequences: SubwordSequences
    name: ClassVar[str] = "live"
    lack_of_memory: ClassVar[str] = (
        "not enough memory for the masked language model; lower finetuning.batch_tokens "
        "(--finetuning-batch-tokens), or give the job more memory"
    )
    not_a_number: ClassVar[str] = "Lower finetuning.learning_rate (--finetuning-learning-rate)"

    @classmethod
    def read_training(cls, files: TrainingFiles, settings: Settings) -> Splits:
        """Read and check the MLM and what it is trained on."""
        if files.mlm is None:
            raise ZarpipeError(
                f"--mlm: found nothing; the architecture {settings.tagger.architecture} trains the masked "
                "language model itself: give its folder or hub name"
            )
        if files.features or files.dev_features or files.variant_features:
            raise ZarpipeError(
                f"--features, --dev-features, --variant-features: the architecture "
                f"{settings.tagger.architecture} reads no feature files; leave them out (augmented copies: "
                "--variant)"
            )
        mlm = load_for_training(settings.mlm)
        given = (mlm, settings.mlm, settings.finetuning)
        flags = settings.training.predicate_flags
        train = cls.read_split(files.corpus, *given, "training", files.variant, flags)
        dev_instances, dev, _ = cls.read_split(files.dev_corpus, *given, "the development set")
        return Splits(*train, dev_instances, dev)

    @classmethod
    def read_model(cls, folder: TaggerFolder) -> ReadModel:
        """Read a trained MLM, and put it behind the weights of flags and output layer."""
        path, config, weights, metadata, trust_remote_code = folder
        try:
            finetuning = FinetuningConfig.model_validate(metadata.get("finetuning"))
        except ValidationError as error:
            raise ZarpipeError(
                f"{path / WEIGHTS_NAME}: its metadata lack how its masked language model was trained; "
                "train it again with `zarpipe train`"
            ) from error
        mlm, where = read_model_folder(path, trust_remote_code)
        model = build(config, mlm, 0, finetuning.compute_dtype)
        of_encoder = {ENCODER + name: tensor for name, tensor in model.encoder.state_dict().items()}

        def read_split(
            corpus: Path, features: Callable[[], tuple[Instances, EncodedInstances]] | None
        ) -> tuple[Instances, EncodedInstances]:
            if features is not None:
                raise ZarpipeError(
                    f"--features: the tagger {path} has its own masked language model and reads no "
                    "features; leave the option out"
                )
            return cls.read_split(corpus, mlm, where, finetuning, "prediction")[:2]

        return ReadModel(model, weights | of_encoder, read_split)

    @classmethod
    def read_split(
        cls,
        corpus: Path,
        mlm: FrozenMlm,  # the MLM, for its tokenizer
        config: MlmConfig,  # where it comes from
        finetuning: FinetuningConfig,  # how it is trained
        use: str,  # what the split is for, for the message when it has no instances
        variants: list[Path] | None = None,  # variant Parquets, one for each draw
        # is-predicate flags of the copies, see `zarpipe.tagger.cached.variant_copies`
        predicate_flags: str = "all",
    ) -> tuple[Instances, EncodedInstances, list[EncodedInstances]]:
        """Read a split's instances, and their augmented copies, as what the MLM reads.

        Returns the instances, what the MLM reads of them, and the copies of each draw.
        """
        read = CorpusSequences.read(corpus, mlm)
        check_any(corpus, read.instances, use)
        sequences, first = read.sentences, []
        for variant in variants or []:
            first.append(len(sequences))
            sequences = joined(sequences, read.copies(read.variant(variant)))
        states = cls(mlm, config, finetuning, read.pieces.subwords(sequences))
        originals = original_instances(states, read.instances.sentence, read.instances)
        states._log_windows(corpus, originals)
        numbers = np.arange(len(originals))
        copies = [replace(originals, sequence=start + numbers) for start in first]
        return read.instances, originals, [flagged(one, predicate_flags) for one in copies]

    def reading_lengths(self, sequences: Int64) -> Int64:
        """Return the subwords of sequences."""
        return self.sequences.lengths[sequences]

    def parts(self, encoded: EncodedInstances, instances: Int64) -> Iterator[LiveBatch]:
        """Give these instances in batches that memory can hold."""
        sequences = self.sequences.take(encoded.sequence[instances])
        return live_batches(encoded, instances, sequences, self.mlm, self.finetuning.batch_tokens)

    def new_model(self, config: TaggerConfig, seed: int) -> nn.Module:
        """Return the MLM with the initial weights of a seed around it."""
        return build(config, self.mlm, seed, self.finetuning.compute_dtype)

    def training_settings(self, training: TrainingConfig) -> tuple[TrainingConfig, float]:
        """Return the settings with a learning rate of their own, which rises at first."""
        rate = {"learning_rate": self.finetuning.learning_rate}
        return training.model_copy(update=rate), self.finetuning.warm_up

    def tokens_at_once(self, config: TaggerConfig) -> int | None:
        """Return no limit: a step's instances are read in parts."""
        del config
        return None

    def provenance(self) -> dict[str, Any]:
        """Return what a tagger's file says of what it reads."""
        return {"mlm": self.mlm.name, "mlm_digest": self.mlm.digest}

    def write(
        self, folder: Path, model: nn.Module, weights: dict[str, Tensor], metadata: dict[str, Any]
    ) -> None:
        """Write the trained MLM as transformers loads it, and beside it the other weights and metadata."""
        model.load_state_dict(weights)
        write_model_folder(folder, model.encoder, self.config)
        rest = {name: tensor for name, tensor in weights.items() if not name.startswith(ENCODER)}
        write_tensors(folder / WEIGHTS_NAME, rest, {**metadata, "finetuning": self.finetuning.model_dump()})

    def _log_windows(self, corpus: Path, encoded: EncodedInstances) -> None:
        """Say when sentences are too long for the model to read at once."""
        room = self.mlm.limit - len(self.mlm.subwords.prefix) - len(self.mlm.subwords.suffix)
        if count := int((self.sequences.lengths[encoded.sequence] > room).sum()):
            _LOG.info(
                "%s: %d of %d instances have more subwords than the model reads at once and are read in "
                "overlapping windows; a window that does not hold the target predicate is not told it",
                corpus,
                count,
                len(encoded),
            )


STATES = LiveStates
