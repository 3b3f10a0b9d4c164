"""What recipes are called where people read: ``masking, all but particles, α 0.5``."""

from __future__ import annotations

from collections.abc import Mapping

from zarpipe.report.table import CellRow, Row
from zarpipe.study.recipe import Recipe, Variant
from zarpipe.study.study import Study

_PLURALS = {"noun": "nouns", "verb": "verbs", "particle": "particles", "symbol": "symbols"}
_ALL_BUT = "all_but_"
_FILLS = {"multi": "all masks at once", "single": "one mask at a time"}
_PICKS = {"argmax": "most probable word", "sample": "word drawn"}
_METHODS = {"cda": "CDA"}


def spoken_names(study: Study) -> dict[str, str]:
    """Return what each recipe of a study is called, by name."""
    return {recipe.name: spoken(recipe) for recipe in study.grid.recipes()}


def spoken(recipe: Recipe) -> str:
    """Return what a recipe is called; what has no words of its own here is named as in file names."""
    if recipe.variant is None:
        return recipe.name
    variant = recipe.variant
    parts = [_METHODS.get(variant.method, variant.method), _masked(variant), f"α {variant.alpha}"]
    parts += [words for words in (_FILLS.get(variant.fill or ""), _PICKS.get(variant.pick or "")) if words]
    rest = recipe.name.removeprefix(variant.name).lstrip("-")
    return ", ".join([*parts, rest] if rest else parts)


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


def _masked(variant: Variant) -> str:
    if variant.policy:
        return f"policy {variant.policy}"
    return spoken_pos_set(variant.pos_set)
