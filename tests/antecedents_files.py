"""Hand-made decisions about original and refilled sentences."""

import numpy as np
from tiny_corpora import row, write_rows

from zarpipe.formats.corpus import read_instances
from zarpipe.formats.variant import Replacements, write_variant

# 男は 本を 訴え 無罪に なっ: predicate なっ (token 7), NOM 男 (ZAR, 4 bunsetsu away), DAT 無罪 (DEP, 1 away).
WORDS = ["男", "は", "本", "を", "訴え", "無罪", "に", "なっ"]
BUNSETSU, HEADS = [0, 0, 1, 1, 2, 3, 3, 4], [2, 2, 4, 4, -1]
MAN, BOOK, SUED, ACQUITTED, BECAME = 0, 2, 4, 5, 7
DOCUMENTS = 8
NONE = -1


def sentence(number):
    predicates = {BECAME: [("NOM", MAN), ("DAT", ACQUITTED)]}
    tags = ["名詞", "助詞", "名詞", "助詞", "動詞", "名詞", "助詞", "動詞"]
    return row(f"s{number}", WORDS, predicates, BUNSETSU, HEADS, f"d{number}", tags)


class Files:
    """Writes a study of eight documents of one sentence: what two seeds decided, and one refilled variant."""

    def __init__(self, made, seeds=(1, 2), **sections):
        self.made = made
        sections["antecedents"] = {"policies": ["noun"], "folds": 2} | sections.get("antecedents", {})
        sections |= {
            "augmentation": {"alphas": [0.5], "pos_sets": ["all"]},
            "training": {"seeds": list(seeds)},
        }
        self.study = made.configure(report={"permutations": 500}, **sections)
        self.corpus = made.path("corpus", "train")
        write_rows(self.corpus, map(sentence, range(DOCUMENTS)))
        self.instances = read_instances(self.corpus)
        self.refilled = self.study.grid.antecedents()["noun"][0]
        self.unchanged = self.study.grid.unchanged()

    def variant(self, words):
        """The same words in every sentence: masked token -> new word."""
        masked = np.tile(sorted(words), DOCUMENTS)
        offsets = np.arange(DOCUMENTS + 1) * len(words)
        texts = [words[token] for token in masked.tolist()]
        new = Replacements(np.arange(len(masked)), texts, np.full(len(masked), 0.5, np.float32))
        path = self.made.path("variant", self.refilled)
        names = [f"s{number}" for number in range(DOCUMENTS)]
        write_variant(path, names, self.instances.predicate, offsets, masked, "", new)

    def decide(self, name, seed, decided):
        """Decisions of each document: [NOM, ACC, DAT] tokens."""
        path = self.made.path("held_out", name, seed)
        names = [f"s{number}" for number in range(DOCUMENTS)]
        self.made._write_decisions(path, np.array(decided), self.instances, names)
