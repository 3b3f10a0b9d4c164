"""How many tokens a recipe's variant masks, of all tokens of the training instances."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from zarpipe.errors import ZarpipeError
from zarpipe.study import recipe as recipes
from zarpipe.study.recipe import Recipe
from zarpipe.study.study import Study

if TYPE_CHECKING:
    from zarpipe.formats.variant import Variant


class MaskedTokens:
    """Counts the masked tokens of a study's recipes, of ``tokens``: a sentence's once per predicate."""

    def __init__(self, study: Study) -> None:
        from zarpipe.formats.corpus import read_instances  # loads pyarrow

        instances = read_instances(Path(study.jobs.corpus("train")))
        self.study = study
        self.instances = len(instances)
        self.tokens = int(instances.offsets[-1])

    def of(self, recipe: Recipe) -> int:
        """Count the masked tokens of a recipe's variant; 0 without one."""
        return 0 if recipe.variant is None else len(self._read(recipe.variant).masked)

    def own_alpha(self, recipe: Recipe) -> float | None:
        """Return the alpha that gave a recipe's share of masked tokens; None where its name says it."""
        return None if recipe.variant is None else self._read(recipe.variant).own_alpha

    def _read(self, variant: recipes.Variant) -> Variant:
        from zarpipe.formats.variant import read_variant

        path = self.study.variant(variant).path
        read = read_variant(path)
        if len(read) != self.instances:
            raise ZarpipeError(
                f"{path}: has {len(read)} instances, expected the {self.instances} of "
                f"{self.study.jobs.corpus('train')}; make it again with `zarpipe augment`"
            )
        return read
