"""A split's instances and features, checked against each other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.corpus import read_instances
from zarpipe.formats.features import ALL_SENTENCES, TOKEN_STATES, Features, token_states
from zarpipe.tagger.batches import EncodedInstances, encoded_instances
from zarpipe.task.instances import Instances


def read_split(corpus: Path, features: Path, use: str) -> tuple[Instances, EncodedInstances]:
    """Read a split's instances and features, checked against each other.

    Args:
        corpus: corpus Parquet.
        features: its feature file.
        use: what it is for, for the message when it has no instances.
    """
    instances = read_instances(corpus)
    opened = Features.open(features)
    opened.check_corpus(file_digest(corpus))
    opened.check_whole()
    if opened.provenance.get("variant") is not None:
        raise ZarpipeError(
            f"{features}: holds augmented copies; expected the features of the original sentences of {corpus}"
        )
    if opened.provenance.get(ALL_SENTENCES):
        raise ZarpipeError(
            f"{features}: holds all sentences, for a segmenter; expected the features of the sentences of "
            f"{corpus} that have a predicate"
        )
    check_any(corpus, instances, use)
    return instances, encoded_instances(instances, opened)


def states_provenance(features: Features) -> dict[str, Any]:
    """Return what a model that reads these features writes down of them and of their corpus."""
    made_from = features.provenance
    return {
        "mlm": made_from.get("mlm"),
        "mlm_digest": made_from.get("mlm_digest"),
        **{key: made_from[key] for key in TOKEN_STATES if key in made_from},
        "corpus": made_from["corpus"],
    }


def check_any(corpus: Path, instances: Instances, use: str) -> None:
    """Raise ZarpipeError for a split without instances; ``use`` is what it is for."""
    if not len(instances):
        raise ZarpipeError(
            f"{corpus}: no instances: no sentence has a target predicate; {use} needs at least one"
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

    Args:
        features: features.
        made_from: the provenance of other features, or of a tagger.
        other: what those are, for the message.
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
