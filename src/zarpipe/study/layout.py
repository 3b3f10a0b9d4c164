"""Where the files of a results folder lie: every path once, for rules and commands alike.

Names may be wildcards in braces (``{recipe}``), which gives the pattern of a rule's output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from zarpipe.config import SPLITS
from zarpipe.formats.tagger import LIVE_TAGGER_FILES, TAGGER_FILES


@dataclass(frozen=True)
class Layout:
    """The paths below a results folder; they need not exist.

    Attributes:
        results: the folder.
    """

    results: str

    def at(self, name: str) -> str:
        """Return the path of a name below the folder."""
        return f"{self.results}/{name}"

    # --- what is made from what

    def study(self) -> str:
        """Return the configuration of the study, as JSON."""
        return self.at("study.json")

    def recipes(self) -> str:
        """Return the definitions of the recipes by name, as JSON."""
        return self.at("recipes.json")

    def record(self, job: str) -> str:
        """Return what a job's files were made from."""
        return self.at(f"records/{job}.json")

    # --- corpus and masked language model

    def corpus_folder(self) -> str:
        """Return the folder of the converted corpus."""
        return self.at("corpus")

    def corpus(self, split: str) -> str:
        """Return the corpus Parquet of a split."""
        return self.at(f"corpus/{split}.parquet")

    def corpora(self) -> list[str]:
        """Return the corpus Parquets of all splits."""
        return [self.corpus(split) for split in SPLITS]

    def mlm_manifest(self) -> str:
        """Return what `zarpipe describe-mlm` wrote."""
        return self.at("mlm/manifest.json")

    # --- variants and hidden states

    def variant(self, name: str) -> str:
        """Return the Parquet of a variant."""
        return self.at(f"variants/{name}.parquet")

    def features(self, name: str) -> str:
        """Return the hidden states of a split or variant."""
        return self.at(f"features/{name}.h5")

    def features_manifest(self, name: str) -> str:
        """Return the manifest beside a feature file."""
        return self.at(f"features/{name}.json")

    def feature_files(self, name: str) -> list[str]:
        """Return the hidden states of a split or variant, and their manifest."""
        return [self.features(name), self.features_manifest(name)]

    def sentences(self, split: str) -> str:
        """Return the hidden states of all sentences of a split: of those that `features` lacks."""
        return self.features(f"{split}-sentences")

    # --- taggers, decisions, scores

    def recipe_folder(self, recipe: str) -> str:
        """Return the folder of a recipe's taggers."""
        return self.at(f"taggers/{recipe}")

    def tagger(self, recipe: str, seed: int | str) -> str:
        """Return the folder of a tagger."""
        return f"{self.recipe_folder(recipe)}/seed{seed}"

    def tagger_files(self, recipe: str, seed: int | str, live: bool = False) -> list[str]:
        """Return the files of a tagger; of its own MLM, if it has one (``live``), those with fixed names."""
        names = LIVE_TAGGER_FILES if live else TAGGER_FILES
        return [f"{self.tagger(recipe, seed)}/{name}" for name in names]

    def taggers_files(self, recipe: str, seeds: Iterable[int | str], live: bool = False) -> list[str]:
        """Return the files of a recipe's taggers."""
        return [file for seed in seeds for file in self.tagger_files(recipe, seed, live)]

    def history(self, recipe: str, seed: int | str) -> str:
        """Return the training history of a tagger."""
        return self.tagger_files(recipe, seed)[-1]

    def segmenter_folder(self) -> str:
        """Return the folder of the segmenters."""
        return self.at("segmenter")

    def segmenter(self, seed: int | str) -> str:
        """Return the folder of a segmenter."""
        return f"{self.segmenter_folder()}/seed{seed}"

    def segmenter_files(self, seed: int | str) -> list[str]:
        """Return the files of a segmenter."""
        return [f"{self.segmenter(seed)}/{name}" for name in TAGGER_FILES]

    def segmentation_scores(self, seed: int | str, split: str) -> str:
        """Return the JSON of a segmenter's scores."""
        return f"{self.segmenter_folder()}/scores/seed{seed}/{split}.json"

    def decisions(self, recipe: str, seed: int | str, split: str) -> str:
        """Return the Parquet of decided arguments."""
        return self.at(f"predictions/{recipe}/seed{seed}/{split}.parquet")

    def probabilities(self, recipe: str, seed: int | str, split: str) -> str:
        """Return the HDF5 of argument probabilities."""
        return self.at(f"predictions/{recipe}/seed{seed}/{split}.probabilities.h5")

    def scores(self, recipe: str, seed: int | str, split: str) -> str:
        """Return the JSON of scores."""
        return self.at(f"scores/{recipe}/seed{seed}/{split}.json")

    def held_out(self, name: str, seed: int | str) -> str:
        """Return the Parquet of arguments that taggers decide without having seen the document.

        Args:
            name: ``train``, or a variant.
            seed: of the taggers.
        """
        return self.at(f"antecedents/seed{seed}/{name}.parquet")

    def kept_copies(self, variant: str) -> str:
        """Return the list of the copies of a variant whose decisions stay."""
        return self.at(f"antecedents/copies/{variant}.parquet")

    def of_seeds(
        self, path: Callable[[str, int | str, str], str], recipe: str, seeds: Iterable[int | str], split: str
    ) -> list[str]:
        """Return one file for each seed; ``path`` is `decisions`, `probabilities` or `scores`."""
        return [path(recipe, seed, split) for seed in seeds]

    # --- report

    def chosen(self) -> str:
        """Return which recipes were chosen for the test set."""
        return self.at("chosen.json")

    def table(self, name: str, ending: str = ".csv") -> str:
        """Return a table or figure in one of its formats."""
        return self.at(f"{name}{ending}")

    def learning_curves(self, recipe: str, ending: str = ".svg") -> str:
        """Return the figure of a recipe's trainings."""
        return self.at(f"learning_curves/{recipe}{ending}")

    def examples(self) -> str:
        """Return the page of examples."""
        return self.at("examples.html")

    def antecedents_sheet(self, ending: str = ".html") -> str:
        """Return the sheet of items that a person judges; ``-key.csv`` is what it does not say."""
        return self.at(f"antecedents-sheet{ending}")

    def index(self) -> str:
        """Return the page with everything."""
        return self.at("index.html")

    def bundle(self, recipe: str | None = None) -> str:
        """Return the folder of the workflow's bundle of a recipe; None: of the chosen masking recipe."""
        return self.at("bundle" if recipe is None else f"bundles/{recipe}")

    def bundle_manifest(self, recipe: str | None = None) -> str:
        """Return what a bundle holds; it appears with the whole bundle."""
        return f"{self.bundle(recipe)}/bundle.json"

    # --- beside the results

    def log(self, job: str) -> str:
        """Return what a job says."""
        return self.at(f"logs/{job}.log")

    def benchmark(self, job: str) -> str:
        """Return a job's run time and memory."""
        return self.at(f"benchmarks/{job}.tsv")
