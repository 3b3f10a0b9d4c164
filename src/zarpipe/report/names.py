"""What recipes are called where people read: ``masking, all but particles, α 0.5``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zarpipe.config.perturbations import perturbation_part
from zarpipe.report.table import CellRow, Row
from zarpipe.study.recipe import Recipe, Variant
from zarpipe.study.study import Study

_PLURALS = {"noun": "nouns", "verb": "verbs", "particle": "particles", "symbol": "symbols"}
_ALL_BUT = "all_but_"
_FILLS = {"multi": "all masks at once", "single": "one mask at a time"}
_PICKS = {"argmax": "most probable word", "sample": "word drawn"}
_METHODS = {"cda": "CDA"}


def spoken_names(study: Study) -> dict[str, str]:
    """Return what each recipe of a study is called, by name; its usual way of CDA goes without saying."""
    usual = {recipe.name for recipe in study.grid.cda()}
    return {recipe.name: spoken(recipe, ways=recipe.name not in usual) for recipe in study.grid.recipes()}


def spoken(recipe: Recipe, *, ways: bool = True) -> str:
    """Return what a recipe is called; what has no words of its own here is named as in file names."""
    variant = recipe.variant
    perturbed = _perturbed(recipe.perturb) if recipe.perturb else []
    if variant is None:
        told = perturbed or (["more text"] if recipe.augmented else [])
        return ", ".join([*told, *_mixture(recipe)]) if told else recipe.name
    parts = [_METHODS.get(variant.method, variant.method), _masked(variant), f"α {variant.alpha}"]
    if ways and variant.fill and variant.pick:
        parts += [_FILLS[variant.fill], _PICKS[variant.pick]]
    return ", ".join([*parts, *perturbed, *_mixture(recipe)])


def spoken_pos_set(name: str) -> str:
    """Return what a POS set is called: ``all but verbs and symbols``."""
    prefix = "all but " if name.startswith(_ALL_BUT) else ""
    parts = name.removeprefix(_ALL_BUT).split("_")
    if not all(part in _PLURALS for part in parts):
        return name.replace("_", " ")
    return prefix + " and ".join(_PLURALS[part] for part in parts)


def with_spoken_names(row: CellRow, names: Mapping[str, str]) -> Row:
    """Return a row of a table with the recipes' names for people."""
    recipes = {key: row[key] for key in ("recipe", "other_recipe") if key in row}
    return {**row, **{key: names.get(str(name), name) for key, name in recipes.items()}}


def _mixture(recipe: Recipe) -> list[str]:
    """Return what else a recipe is called by: how its copies are mixed, its tagger, its documents."""
    said = {
        f"{recipe.draws} draws": recipe.draws > 1,
        "one draw an epoch": recipe.per_epoch,
        f"ratio {recipe.copies}:{recipe.variant_copies}": (recipe.copies, recipe.variant_copies) != (1, 1),
        "masked first": recipe.stages == "masked_first" and recipe.variant is not None,
        "copies first": recipe.stages == "masked_first" and recipe.variant is None,
        ", ".join(recipe.extra): bool(recipe.extra),
        f"consistency {recipe.consistency}": recipe.consistency is not None,
        "filtered": recipe.filtered,
        str(recipe.architecture): recipe.architecture is not None,
        recipe.states.spoken if recipe.states else "": recipe.states is not None,
    }
    documents = [recipe.documents.name] if recipe.documents else []
    return [*(words for words, holds in said.items() if holds), *documents]


def _perturbed(definition: Mapping[str, Any]) -> list[str]:
    """Return what is said of a perturbation: what it is, and its options."""
    part = perturbation_part(definition)
    if part.use == "drop":
        return ["dropped tokens", part.options["probability"]]
    options = {name: value for name, value in part.options.items() if value not in (None, False)}
    return [part.function, *(name if value is True else f"{name} {value}" for name, value in options.items())]


def _masked(variant: Variant) -> str:
    if variant.policy:
        return f"policy {variant.policy}"
    return spoken_pos_set(variant.pos_set)
