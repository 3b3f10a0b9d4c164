"""Kinds of taggers in tables and figures: architecture, and which layers and subwords stand for a token."""

from __future__ import annotations

from zarpipe.config.encoding import TokenEncoding
from zarpipe.layers import Layers
from zarpipe.report.table import CellRow
from zarpipe.study.recipe import Recipe
from zarpipe.study.study import Study

KIND_COLUMNS = {"architecture": "Architecture", "layers": "Layers", "pooling": "Pooling"}


def kind_cells(study: Study, recipe: Recipe) -> dict[str, str]:
    """Return which kind of tagger a recipe has; one with its own MLM has its last layer."""
    states = recipe.states or study.config.encoding.of_tokens
    if study.jobs.is_live(recipe):
        states = TokenEncoding(layers=Layers("last"), pooling="first")
    return {"architecture": study.jobs.architecture(recipe), **states.model_dump()}


def kind_label(row: CellRow) -> str:
    """Return what a figure calls the kind of a row; what is as in the paper goes without saying."""
    states = TokenEncoding.model_validate({"layers": row["layers"], "pooling": row["pooling"]})
    spoken = states.spoken.removeprefix("last").removeprefix(", ")
    return "\n".join(filter(None, (str(row["architecture"]), spoken)))
