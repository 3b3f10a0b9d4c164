"""Where the files of a results folder lie (the layout that the workflow's rules write)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ResultsFolder:
    """A results folder; the paths need not exist.

    Attributes:
        path: the folder.
        corpus_folder: where the corpus Parquets are, if studies share them; None: ``corpus`` below ``path``.
        variants_folder: where the variants are; None: ``variants`` below ``path``.
        mlm_folder: where the MLM's manifest is; None: ``mlm`` below ``path``.
    """

    path: Path
    corpus_folder: Path | None = None
    variants_folder: Path | None = None
    mlm_folder: Path | None = None

    def corpus(self, split: str) -> Path:
        """Return the corpus Parquet of a split."""
        return (self.corpus_folder or self.path / "corpus") / f"{split}.parquet"

    def variant(self, name: str) -> Path:
        """Return the Parquet of a variant."""
        return (self.variants_folder or self.path / "variants") / f"{name}.parquet"

    def mlm_manifest(self) -> Path:
        """Return what `zarpipe describe-mlm` wrote."""
        return (self.mlm_folder or self.path / "mlm") / "manifest.json"

    def tagger(self, recipe: str, seed: int) -> Path:
        """Return the folder of a tagger."""
        return self.path / "taggers" / recipe / f"seed{seed}"

    def decisions(self, recipe: str, seed: int, split: str) -> Path:
        """Return the Parquet of decided arguments."""
        return self.path / "predictions" / recipe / f"seed{seed}" / f"{split}.parquet"

    def probabilities(self, recipe: str, seed: int, split: str) -> Path:
        """Return the HDF5 of argument probabilities."""
        return self.path / "predictions" / recipe / f"seed{seed}" / f"{split}.probabilities.h5"

    def scores(self, recipe: str, seed: int, split: str) -> Path:
        """Return the JSON of scores."""
        return self.path / "scores" / recipe / f"seed{seed}" / f"{split}.json"
