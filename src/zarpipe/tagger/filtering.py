"""Which augmented copies keep their decisions when refilled: what a filtered recipe is trained on."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np

from zarpipe.arrays import Bool
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.copies import write_kept_copies
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.predictions import Gold, read_decisions
from zarpipe.tagger.specs import FilterFiles
from zarpipe.task.antecedents import compare_decisions

_LOG = logging.getLogger(__name__)


def write_kept(files: FilterFiles) -> None:
    """Write which copies are kept: those that no more than half of the taggers decide differently.

    A copy is decided differently when any argument of its predicate moves, is lost or is gained.

    Raises ZarpipeError: a file is missing or damaged, or does not belong to the corpus.
    """
    if len(files.originals) != len(files.refilled):
        raise ZarpipeError(
            f"--refilled: found {len(files.refilled)} files; expected one for each of the "
            f"{len(files.originals)} of --originals, in their order"
        )
    table = read_corpus(files.corpus, ["sent_id", "tokens", "bunsetsu", "heads", "predicates"])
    gold = Gold.of(table)
    changed = np.stack(
        [
            _changed(original, refilled, gold)
            for original, refilled in zip(files.originals, files.refilled, strict=True)
        ]
    ).sum(axis=0)
    kept = 2 * changed <= len(files.originals)
    _LOG.info("%d of %d copies keep their decisions", int(kept.sum()), len(kept))
    corpus = file_digest(files.corpus)
    write_kept_copies(files.output, kept, changed, gold.instances, gold.sent_ids, corpus)


def _changed(original: Path, refilled: Path, gold: Gold) -> Bool:
    """Tell of each instance whether a tagger decides its copy differently: [n] bool."""
    before, after = (read_decisions(path, gold) for path in (original, refilled))
    return np.asarray(~compare_decisions(before, after, gold.instances).stays)
