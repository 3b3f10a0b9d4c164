"""What became of decided arguments when words were replaced: counts by relation and distance.

The taggers have not seen the documents (`zarpipe.tagger.held_out`); what counts as changed is said in
`zarpipe.task.antecedents`.
"""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from zarpipe.arrays import Bool, Int64, expand
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import flat_numbers, read_corpus
from zarpipe.formats.parquet import read_parquet
from zarpipe.formats.predictions import Gold, read_decisions
from zarpipe.formats.variant import read_variant
from zarpipe.report.significance import counts_by_document
from zarpipe.report.systems import documents_of
from zarpipe.study.recipe import Variant
from zarpipe.study.study import Study
from zarpipe.task.antecedents import compare_decisions, distances, rows_of
from zarpipe.task.relations import ARGUMENT_RELATIONS
from zarpipe.task.scores import ALL

SPLIT = "train"
ANY = "all"
# Bunsetsu from the predicate, both bounds included.
DISTANCES = {"1": (1, 1), "2": (2, 2), "3 or 4": (3, 4), "5 or more": (5, np.inf)}
COUNTS = ("decided", "moved", "lost", "gained", "right", "right_changed")


@dataclass(frozen=True)
class Cell:
    """Which arguments are counted together.

    Relation: ``ALL`` (those in the predicate's own bunsetsu too), ``DEP`` or ``ZAR``. Antecedent:
    ``replaced`` if the argument itself got another word, ``kept`` if not.
    """

    relation: str = ALL
    distance: str = ANY
    antecedent: str = ANY


RELATIONS = (ALL, *(relation.name for relation in ARGUMENT_RELATIONS))
CELLS = [
    *(Cell(relation, distance) for relation in RELATIONS for distance in (ANY, *DISTANCES)),
    *(Cell(relation, ANY, word) for relation in RELATIONS for word in ("kept", "replaced")),
]


class HeldOutDecisions:
    """Reads what taggers that have not seen the documents decided of the training sentences.

    Attributes:
        table: the training corpus.
        gold: its instances.
        documents: [n] int64, number of each instance's document, from 0.
        bunsetsu: [N] int64, bunsetsu number of each token of the instances.
        originals: [S, n, C] int64, what each of S seeds decided of the sentences as they are.
    """

    def __init__(self, study: Study) -> None:
        corpus = Path(study.jobs.corpus(SPLIT))
        self.study = study
        self.table: pa.Table = read_corpus(corpus)
        self.gold = Gold.of(self.table)
        self.documents = documents_of(corpus, self.gold)
        offsets, bunsetsu = flat_numbers(self.table["bunsetsu"])
        instances = self.gold.instances
        self.bunsetsu: Int64 = bunsetsu[expand(offsets[instances.sentence], instances.lengths)]
        self.originals = self._decisions(SPLIT)

    def refilled(self, variant: Variant) -> Int64:
        """Return what each seed decided of a refilled variant: [S, n, C] int64."""
        return self._decisions(variant.name)

    def new_words(self, variant: Variant) -> Words:
        """Read which tokens a refilled variant masks, and what stands in their place."""
        return Words(Path(self.study.variant(variant).path), self.table, self.gold)

    def cells(self, tokens: Int64, replaced: Bool) -> Bool:
        """Tell to which of CELLS arguments belong: [n, C] tokens, [N] replaced -> [cells, n, C] bool."""
        instances = self.gold.instances
        rows = rows_of(tokens, instances)
        relation = instances.position_category[rows]
        distance = distances(tokens, self.bunsetsu, instances)
        new = replaced[rows]
        flags = {ANY: np.ones(tokens.shape, bool), ALL: np.ones(tokens.shape, bool)}
        flags |= {one.name: relation == one for one in ARGUMENT_RELATIONS}
        flags |= {name: (distance >= low) & (distance <= high) for name, (low, high) in DISTANCES.items()}
        flags |= {"kept": ~new, "replaced": new}
        return np.stack(
            [flags[cell.relation] & flags[cell.distance] & flags[cell.antecedent] for cell in CELLS]
        )

    def count(self, refilled: Int64, replaced: Bool | None = None) -> Int64:
        """Count arguments and changes, summed over seeds and cases: [D documents, cells, COUNTS] int64.

        ``refilled``: [S, n, C] int64, decisions about the refilled sentences. ``replaced``: [N] bool,
        tokens that got another word; None: no token.
        """
        if replaced is None:
            replaced = np.zeros(int(self.gold.instances.offsets[-1]), bool)
        of_seeds = (
            counts_by_document(self._counted(before, after, replaced), self.documents)
            for before, after in zip(self.originals, refilled, strict=True)
        )
        return functools.reduce(operator.add, of_seeds)

    def count_between_seeds(self) -> Int64 | None:
        """Count in the same way what differs between the taggers of one seed and the next, on equal words.

        None for one seed.
        """
        if len(self.originals) < 2:
            return None
        return self.count(np.roll(self.originals, -1, axis=0))

    def _counted(self, before: Int64, after: Int64, replaced: Bool) -> Int64:
        """Count of one seed: [n, cells, COUNTS]."""
        found = compare_decisions(before, after, self.gold.instances)
        cells = self.cells(before, replaced)
        of_new = self.cells(after, replaced)
        flags = [
            cells & found.decided,
            cells & found.moved,
            cells & found.lost,
            of_new & found.gained,
            cells & found.right,
            cells & found.right & found.changed,
        ]
        return np.stack([flag.sum(axis=-1).T for flag in flags], axis=-1)

    def _decisions(self, decided: Variant | str) -> Int64:
        paths = self.study.jobs.held_out(decided)
        return np.stack([read_decisions(path, self.gold) for path in paths])


class Words:
    """The new words of a refilled variant.

    Attributes:
        masked: tokens that were masked.
        replaced: [N] bool, tokens of the instances that got another word (the MLM may give back the old one).
        texts: the new words, by instance: masked token -> word.
    """

    def __init__(self, path: Path, table: pa.Table, gold: Gold) -> None:
        instances = gold.instances
        variant = read_variant(path)
        texts = read_parquet(path, ["replacements"])["replacements"].combine_chunks().flatten().to_pylist()
        if len(variant) != len(instances):
            raise ZarpipeError(
                f"{path}: has {len(variant)} instances, expected the {len(instances)} of the corpus; make it "
                "again with `zarpipe augment`"
            )
        owner = np.repeat(np.arange(len(variant)), np.diff(variant.offsets))
        old = table["tokens"].combine_chunks()
        starts = old.offsets.to_numpy()[instances.sentence[owner]] - old.offsets.to_numpy()[0]
        words = old.flatten().take(pa.array(starts + variant.masked)).to_pylist()
        new = np.array([text != word for text, word in zip(texts, words, strict=True)], bool)
        self.masked = len(variant.masked)
        self.replaced = np.zeros(int(instances.offsets[-1]), bool)
        self.replaced[(instances.offsets[:-1][owner] + variant.masked)[new]] = True
        self._variant, self._texts = variant, texts

    def of(self, instance: int) -> dict[int, str]:
        """Return the words in the place of an instance's masks, by token."""
        here = range(*self._variant.offsets[instance : instance + 2].tolist())
        return {int(self._variant.masked[place]): self._texts[place] for place in here}


def changed(counts: Int64) -> Int64:
    """Return how many arguments changed: [D, cells, COUNTS] -> [D, cells]."""
    return np.asarray(counts[..., COUNTS.index("moved")] + counts[..., COUNTS.index("lost")])


def decided(counts: Int64) -> Int64:
    """Return of how many: [D, cells, COUNTS] -> [D, cells]."""
    return np.asarray(counts[..., COUNTS.index("decided")])


def named_counts(counts: Int64, cell: int) -> dict[str, int]:
    """Return the counts of a cell over all documents, by their names."""
    return dict(zip(COUNTS, counts[:, cell].sum(axis=0).tolist(), strict=True))
