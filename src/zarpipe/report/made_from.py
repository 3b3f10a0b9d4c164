"""What a study's decisions, probabilities and scores must have been made from, as far as that is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe import seals

if TYPE_CHECKING:
    from zarpipe.study.recipe import Variant
    from zarpipe.study.study import Study


def of_decisions(study: Study, recipe: str, seed: int) -> dict[str, Any]:
    """Return the seed, and the SHA-256 of the tagger's weights."""
    return {"seed": seed, "tagger": _digest(study.layout.tagger_files(recipe, seed)[0])}


def of_probabilities(study: Study, recipe: str, seed: int, split: str) -> dict[str, Any]:
    """Return the same, and the SHA-256 of the corpus."""
    return {**of_decisions(study, recipe, seed), "corpus": _digest(study.layout.corpus(split))}


def of_scores(study: Study, recipe: str, seed: int, split: str) -> dict[str, Any]:
    """Return the SHA-256 of the corpus and of the decisions."""
    return {
        "corpus": _digest(study.layout.corpus(split)),
        "predictions": _digest(study.layout.decisions(recipe, seed, split)),
    }


def of_segmentation(study: Study, seed: int, split: str) -> dict[str, Any]:
    """Return the SHA-256 of the corpus and of the segmenter's weights."""
    return {
        "corpus": _digest(study.layout.corpus(split)),
        "segmenter": _digest(study.layout.segmenter_files(seed)[0]),
    }


def of_variant(study: Study, variant: Variant) -> dict[str, Any]:
    """Return the settings of a variant, and the SHA-256 of the corpus (but not what a policy is)."""
    augmentation = study.config.augmentation
    without = {"policy", "pos_set"} if variant.policy else {"policy"}
    settings = variant.model_dump(exclude_none=True, exclude=without) | {"alpha": float(variant.alpha)}
    corpus = _digest(study.layout.corpus("train"))
    return {**settings, "seed": augmentation.seed, "draw": augmentation.draw, "corpus": corpus}


def _digest(path: str) -> str | None:
    """Return the SHA-256 of a file; None when it has been deleted."""
    return seals.digest(path) if Path(path).is_file() else None
