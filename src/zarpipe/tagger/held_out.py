"""Decisions of taggers about training documents that they have not seen (cross-fitting).

The documents are cut into folds. Those of each fold are decided by the tagger of the same seed that was
trained on all others, so that each document is decided once by each seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from zarpipe.arrays import Bool, Float64, Int64
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.features import Features
from zarpipe.formats.predictions import write_decisions
from zarpipe.tagger.batches import EncodedInstances, restricted
from zarpipe.tagger.cached import CachedStates, check_same_mlm, read_variant_features, variant_copies
from zarpipe.tagger.devices import prepared_device
from zarpipe.tagger.predict import decide, finite_probabilities
from zarpipe.tagger.specs import Computing, HeldOutFiles
from zarpipe.tagger.weights import TaggerFile, read_tagger
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.instances import Instances
from zarpipe.task.subsets import AllButOneFold


@dataclass(frozen=True)
class _FoldTagger:
    """A tagger that has not seen the documents of one fold."""

    folder: Path
    tagger: TaggerFile
    part: AllButOneFold
    seed: int

    @classmethod
    def read(cls, folder: Path, features: Features) -> _FoldTagger:
        """Read a tagger. Raises ZarpipeError unless it was trained on all folds but one of these features."""
        tagger = read_tagger(folder)
        known, documents = tagger.provenance, tagger.provenance.get("documents") or {}
        if "without" not in documents:
            raise ZarpipeError(
                f"{folder}: this tagger was not trained without a fold of the documents; expected one of "
                "`zarpipe train --folds K --without-fold J`"
            )
        check_same_mlm(features, known, f"the tagger {folder}")
        if known.get("features") != features.provenance["digest"]:
            raise ZarpipeError(
                f"{folder}: trained on other features (digest {str(known.get('features'))[:12]}) than "
                f"{features.path} (digest {features.provenance['digest'][:12]}), so that nothing says which "
                "of their documents it has seen; give those that it was trained on"
            )
        fields = {name: documents[name] for name in AllButOneFold.model_fields}
        return cls(folder, tagger, AllButOneFold(**fields), int(known["seed"]))


def decide_held_out(files: HeldOutFiles, computing: Computing) -> None:
    """Decide all training instances, or their augmented copies, and write one file for each seed.

    Raises ZarpipeError: taggers that have seen what they are to decide or do not decide everything, files
    that do not belong together, or too little memory.
    """
    device = prepared_device(computing.device, computing.threads)
    instances, encoded = CachedStates.read_split(files.corpus, files.features, "prediction")
    originals = encoded.cached.originals
    taggers = _by_seed([_FoldTagger.read(folder, originals) for folder in files.tagger])
    if len(files.output) != len(taggers):
        raise ZarpipeError(
            f"--output: found {len(files.output)} files; expected one for each of the {len(taggers)} seeds "
            f"({', '.join(map(str, taggers))})"
        )
    if files.variant_features is not None:
        encoded = variant_copies(encoded, read_variant_features(files.variant_features, originals))
    table = read_corpus(files.corpus, ["sent_id", "doc_id"])
    documents = table["doc_id"].to_numpy().astype(str)[instances.sentence]
    # As in training: folds are cut of all documents, those without a predicate too.
    all_documents = np.unique(table["doc_id"].to_numpy().astype(str)).tolist()
    for folds, output in zip(taggers.values(), files.output, strict=True):
        decided, probability = _decide(folds, computing, device, encoded, instances, documents, all_documents)
        write_decisions(output, decided, probability, instances, table["sent_id"].combine_chunks())


def _by_seed(taggers: list[_FoldTagger]) -> dict[int, list[_FoldTagger]]:
    """Group taggers by seed, in the given order of the seeds; each group has one for each fold."""
    found: dict[int, list[_FoldTagger]] = {}
    cut = (taggers[0].part.folds, taggers[0].part.seed)
    for one in taggers:
        if (one.part.folds, one.part.seed) != cut:
            raise ZarpipeError(
                f"{one.folder}: {one.part.folds} folds of the order {one.part.seed}, {taggers[0].folder} has "
                f"{cut[0]} of the order {cut[1]}; expected taggers of the same folds"
            )
        found.setdefault(one.seed, []).append(one)
    for seed, folds in found.items():
        without = sorted(one.part.without for one in folds)
        if without != list(range(cut[0])):
            raise ZarpipeError(
                f"--tagger: found taggers of seed {seed} without fold {', '.join(map(str, without))}; "
                f"expected one for each of the folds 0 to {cut[0] - 1}"
            )
    return found


def _decide(
    folds: list[_FoldTagger],
    computing: Computing,
    device: torch.device,
    encoded: EncodedInstances,
    instances: Instances,
    documents: np.ndarray[Any, Any],
    all_documents: list[str],
) -> tuple[Int64, Float64]:
    """Return decided tokens and their probabilities: [n, C] each."""
    shape = (len(instances), len(CASE_NAMES))
    decided, probability = np.full(shape, -1, np.int64), np.zeros(shape)
    for fold in folds:
        seen = dict(zip(all_documents, fold.part.chosen(all_documents).tolist(), strict=True))
        unseen: Bool = ~np.array([seen[document] for document in documents.tolist()], bool)
        if not unseen.any():
            continue
        read = encoded.cached.files[-1].path
        probabilities = finite_probabilities(
            fold.tagger.model, restricted(encoded, unseen), fold.folder, read, computing, device
        )
        tokens, found = decide(fold.tagger, probabilities, instances.only(unseen).offsets)
        decided[unseen], probability[unseen] = tokens, found.probability
    return decided, probability
