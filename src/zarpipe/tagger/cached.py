"""Hidden states of the frozen MLM, kept in feature files: the source `cached`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor, nn

from zarpipe.arrays import Int64
from zarpipe.config import TaggerConfig, TrainingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.corpus import read_corpus, read_instances
from zarpipe.formats.features import ALL_SENTENCES, TOKEN_STATES, Features, token_states
from zarpipe.formats.tagger import WEIGHTS_NAME, write_tensors
from zarpipe.tagger.batches import (
    EncodedInstances,
    StoredStates,
    check_any,
    flagged,
    original_instances,
    tokens_at_once,
)
from zarpipe.tagger.hidden_states import ReadModel, Splits, TaggerFolder
from zarpipe.tagger.model import build_model
from zarpipe.tagger.specs import Settings, TrainingFiles
from zarpipe.task.instances import Instances


@dataclass(frozen=True)
class CachedStates(StoredStates):
    """Hidden states that are read by memory map.

    Sequences are numbered over all files: those of the second follow those of the first.
    """

    files: tuple[Features, ...]  # feature files; the first is that of the original sentences
    name: ClassVar[str] = "cached"

    @classmethod
    def read_training(cls, files: TrainingFiles, settings: Settings) -> Splits:
        """Read and check feature files."""
        if files.features is None or files.dev_features is None:
            raise ZarpipeError(
                f"--features, --dev-features: found nothing; the architecture {settings.tagger.architecture} "
                "reads feature files (from `zarpipe encode`): give both"
            )
        if files.mlm is not None or files.variant:
            raise ZarpipeError(
                f"--mlm, --variant: the architecture {settings.tagger.architecture} reads feature files and "
                "no masked language model; leave them out (augmented copies: --variant-features)"
            )
        instances, train = cls.read_split(files.corpus, files.features, "training")
        dev_instances, dev = cls.read_split(files.dev_corpus, files.dev_features, "the development set")
        originals = train.cached.originals
        check_same_mlm(dev.cached.originals, originals.provenance, str(files.features))
        variants = [read_variant_features(path, originals) for path in files.variant_features]
        draws = drawn_copies(train, variants, settings.training.predicate_flags)
        extra = [draws[-1] if draws else train]
        features = [] if settings.mixture.in_place else files.extra_features
        for corpus, path in zip(files.extra, features, strict=False):
            _, other = cls.read_split(corpus, path, "more training text")
            check_same_mlm(other.cached.originals, originals.provenance, str(files.features))
            extra.append(_behind(extra[-1], other, _equal_sentences(files.corpus, train, corpus, len(other))))
        return Splits(instances, train, draws, dev_instances, dev, extra[1:])

    @classmethod
    def read_model(cls, folder: TaggerFolder) -> ReadModel:
        """Build the model of a trained tagger; which split it reads is said by a feature file."""
        path, config, weights, metadata, _ = folder
        if "input_size" not in metadata:
            raise ZarpipeError(
                f"{path / WEIGHTS_NAME}: not a tagger of zarpipe: its metadata lack input_size"
            )
        made_from = metadata["provenance"]
        mixed_layers = token_states(made_from)["mixed_layers"]
        model = build_model(config, int(metadata["input_size"]), mixed_layers=mixed_layers)

        def read_split(
            corpus: Path, features: Callable[[], tuple[Instances, EncodedInstances]] | None
        ) -> tuple[Instances, EncodedInstances]:
            del corpus
            if features is None:
                raise ZarpipeError(
                    f"--features: found nothing; the tagger {path} ({config.architecture}) reads the "
                    "features of the split: give its feature file"
                )
            instances, encoded = features()
            check_same_mlm(encoded.cached.originals, made_from, f"the tagger {path}")
            return instances, replace(encoded, hidden_states=cls(encoded.cached.files))

        return ReadModel(model, weights, read_split)

    @classmethod
    def read_split(cls, corpus: Path, features: Path, use: str) -> tuple[Instances, EncodedInstances]:
        """Read a split's instances and features, checked against each other.

        ``use`` is what it is for, for the message when it has no instances.
        """
        instances = read_instances(corpus)
        opened = Features.open(features)
        opened.check_corpus(file_digest(corpus))
        opened.check_whole()
        if opened.provenance.get("variant") is not None:
            raise ZarpipeError(
                f"{features}: holds augmented copies; expected the features of the original sentences of "
                f"{corpus}"
            )
        if opened.provenance.get(ALL_SENTENCES):
            raise ZarpipeError(
                f"{features}: holds all sentences, for a segmenter; expected the features of the sentences "
                f"of {corpus} that have a predicate"
            )
        check_any(corpus, instances, use)
        return instances, encoded_instances(instances, cls((opened,)))

    def with_file(self, file: Features) -> tuple[Self, Int64]:
        """Put a file behind those that its negative sequence numbers point to.

        Returns the hidden states of all files, and the sequence there of each of the file's instances.
        """
        file.check_originals(self.originals)
        number = file.instance_sequence
        sequence = np.where(number < 0, -1 - number, len(self.lengths) + number)
        return replace(self, files=(*self.files, file)), sequence

    @property
    def originals(self) -> Features:
        """The feature file of the original sentences."""
        return self.files[0]

    @property
    def size(self) -> int:
        """D, the size of a hidden state, or of several side by side."""
        return self.originals.hidden_size

    @property
    def mixed_layers(self) -> int | None:
        """How many of the MLM's layers stand side by side in a row for the tagger to mix, or None."""
        return token_states(self.originals.provenance)["mixed_layers"]  # type: ignore[no-any-return]

    @property
    def lengths(self) -> Int64:
        """[S] int64, tokens of each sequence."""
        return np.concatenate([file.lengths for file in self.files])

    def gather(self, sequences: Int64) -> Tensor:
        """Return the hidden states of sequences, ascending, one after the other: [M, D] float32."""
        rows, first = [], 0
        for file in self.files:
            end = first + len(file.lengths)
            of_file = sequences[(sequences >= first) & (sequences < end)] - first
            rows.append(torch.from_numpy(file.gather(of_file)))
            first = end
        return (rows[0] if len(rows) == 1 else torch.cat(rows)).float()

    def new_model(self, config: TaggerConfig, seed: int) -> nn.Module:
        """Return a model with the initial weights of a seed."""
        return build_model(config, self.size, seed, self.mixed_layers)

    def training_settings(self, training: TrainingConfig) -> tuple[TrainingConfig, float]:
        """Return the settings as they are: the learning rate does not rise."""
        return training, 0.0

    def tokens_at_once(self, config: TaggerConfig) -> int | None:
        """Return how many tokens' states a step may keep."""
        return tokens_at_once(config.layers, config.hidden_size)

    def provenance(self) -> dict[str, Any]:
        """Return what a tagger's file says of what it reads."""
        made_from = self.originals.provenance
        known = ("mlm", "mlm_digest", "corpus", *TOKEN_STATES)
        return {**{key: made_from[key] for key in known if key in made_from}, "features": made_from["digest"]}

    def write(
        self, folder: Path, model: nn.Module, weights: dict[str, Tensor], metadata: dict[str, Any]
    ) -> None:
        """Write a trained model's weights and metadata into its folder."""
        del model
        write_tensors(folder / WEIGHTS_NAME, weights, {**metadata, "input_size": self.size})


STATES = CachedStates


def encoded_instances(instances: Instances, states: CachedStates) -> EncodedInstances:
    """Join the instances of a split with its feature file. Raises ZarpipeError when they do not fit."""
    encoded = original_instances(states, states.originals.instance_sequence, instances)
    _check_lengths(encoded, states.originals)
    return encoded


def variant_copies(
    originals: EncodedInstances, variant: Features, predicate_flags: str = "all"
) -> EncodedInstances:
    """Return one augmented copy of every instance.

    Their hidden states are put behind those of the originals, to which negative sequence numbers of the
    variant point. ``predicate_flags``: with `all` (the paper) copies flag every predicate of the
    sentence, as originals do; with `target` (the authors' code) the target predicate alone.
    """
    hidden_states, sequence = originals.cached.with_file(variant)
    copies = replace(originals, hidden_states=hidden_states, sequence=sequence)
    _check_lengths(copies, variant)
    return flagged(copies, predicate_flags)


def drawn_copies(
    originals: EncodedInstances, variants: Sequence[Features], predicate_flags: str = "all"
) -> list[EncodedInstances]:
    """Return the copies of each draw, whose hidden states begin with those of the one before."""
    draws: list[EncodedInstances] = []
    for variant in variants:
        before = draws[-1] if draws else originals
        copies = replace(originals, hidden_states=before.hidden_states)
        draws.append(variant_copies(copies, variant, predicate_flags))
    return draws


def _equal_sentences(corpus: Path, encoded: EncodedInstances, extra: Path, count: int) -> Int64:
    """Return for each instance of other text the sequence of an equal training sentence, or -1: [count]."""
    instances = read_instances(corpus), read_instances(extra)
    tokens = [read_corpus(one, ["tokens"])["tokens"].to_pylist() for one in (corpus, extra)]
    of_sentence, of_extra = (one.sentence.tolist() for one in instances)
    known = dict(zip((tuple(tokens[0][row]) for row in of_sentence), encoded.sequence.tolist(), strict=True))
    return np.fromiter((known.get(tuple(tokens[1][row]), -1) for row in of_extra), np.int64, count)


def _behind(before: EncodedInstances, other: EncodedInstances, equal: Int64) -> EncodedInstances:
    """Put instances of other text behind all hidden states and flat arrays that there are.

    Those of ``equal`` read the sequence that it names.
    """
    hidden_states, sequence = before.cached.with_file(other.cached.originals)
    return replace(
        other,
        hidden_states=hidden_states,
        sequence=np.where(equal < 0, sequence, equal),
        first=other.first + len(before.labels),
        labels=np.concatenate([before.labels, other.labels]),
        is_predicate=np.concatenate([before.is_predicate, other.is_predicate]),
    )


def read_variant_features(path: Path, originals: Features) -> Features:
    """Open the features of augmented copies, checked against those of the originals."""
    variant = Features.open(path)
    variant.check_corpus(originals.provenance["corpus"])
    variant.check_whole()
    check_same_mlm(variant, originals.provenance, str(originals.path))
    return variant


def check_same_mlm(features: Features, made_from: Mapping[str, Any], other: str) -> None:
    """Raise ZarpipeError unless the features come from the same MLM, and stand for tokens in the same way.

    ``made_from`` is the provenance of other features, or of a tagger; ``other`` says for the message what
    these are.
    """
    found, wanted = features.provenance.get("mlm_digest"), made_from.get("mlm_digest")
    if found != wanted:
        raise ZarpipeError(
            f"{features.path}: made by another masked language model ({features.provenance.get('mlm')}, "
            f"digest {str(found)[:12]}) than {other} (digest {str(wanted)[:12]}); "
            "encode both with the same one"
        )
    ours, theirs = token_states(features.provenance), token_states(made_from)
    for key in ours:
        if ours[key] != theirs[key]:
            raise ZarpipeError(
                f"{features.path}: made with encoding.{key} {ours[key]}, {other} with {theirs[key]}; encode "
                "both in the same way"
            )


def _check_lengths(encoded: EncodedInstances, features: Features) -> None:
    if len(encoded.sequence) != len(encoded.lengths):
        raise ZarpipeError(
            f"{features.path}: has {len(encoded.sequence)} instances, the corpus has {len(encoded.lengths)}; "
            "give the corpus that it was encoded from"
        )
    if len(encoded) and int(encoded.sequence.min()) < 0:
        raise ZarpipeError(
            f"{features.path}: features of a variant, which refer to the originals' file; "
            "give the file of the split itself, and the variant's by --variant-features"
        )
    lengths = encoded.cached.lengths[encoded.sequence]
    if (wrong := lengths != encoded.lengths).any():
        instance = int(np.argmax(wrong))
        raise ZarpipeError(
            f"{features.path}: instance {instance} has {lengths[instance]} encoded tokens, "
            f"in the corpus {encoded.lengths[instance]}; encode the corpus again with `zarpipe encode`"
        )
