"""The grid of the study: which recipes a configuration asks for, and for which comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from zarpipe.config import Config, RecipeDefinition, TaggerKind, canonical_alpha
from zarpipe.config.encoding import TokenEncoding
from zarpipe.config.pos_sets import PAPER_SETS
from zarpipe.study.recipe import (
    BASELINE,
    BASELINE_TWICE,
    Recipe,
    Variant,
    cda,
    chosen_name,
    masking,
    refilled,
    trained_on,
)
from zarpipe.task.subsets import AllButOneFold, DocumentFraction

# Rows of a comparison: a label, and the recipes of which the best on dev stands in the row.
Rows = dict[str, list[Recipe]]

# The POS set of Table 7, and those of Figure 3 (paper, Appendix A and Section 5.3).
TABLE7_POS_SET = "all_but_verb_symbol"
FIGURE3_POS_SETS = ("all", "all_but_noun", "all_but_verb", "all_but_particle", "all_but_symbol")
# What Figure 4 compares (paper, Section 6).
FIGURE4_POS_SETS = ("verb", "all_but_verb")


@dataclass(frozen=True)
class Grid:
    """The recipes of a configuration."""

    config: Config

    @property
    def alphas(self) -> list[str]:
        """Masking probabilities, ascending."""
        return sorted(self.config.augmentation.alphas, key=float)

    @property
    def pos_sets(self) -> list[str]:
        """Names of the POS sets that are compared, as configured."""
        return list(self.config.augmentation.pos_sets)

    def table4(self) -> Rows:
        """Return the methods of Table 4."""
        return {
            "baseline": [BASELINE],
            "baseline2x": [BASELINE_TWICE],
            "cda": self.cda(),
            "masking": self.masking("all"),
        }

    def table5(self) -> Rows:
        """Return the baseline and masking of each POS set."""
        return {"baseline": [BASELINE]} | {pos_set: self.masking(pos_set) for pos_set in self.pos_sets}

    def table7(self) -> Rows:
        """Return the four ways in which CDA fills masks."""
        return {
            f"{fill}-{pick}": [cda(TABLE7_POS_SET, alpha, fill, pick) for alpha in self.alphas]
            for fill in ("single", "multi")
            for pick in ("argmax", "sample")
        }

    def figure3(self) -> Rows:
        """Return the baseline and the lines of Figure 3: its POS sets and own ones; without any, all sets."""
        lines = [pos_set for pos_set in FIGURE3_POS_SETS if pos_set in self.pos_sets]
        lines += [pos_set for pos_set in self.pos_sets if pos_set not in PAPER_SETS]
        return {"baseline": [BASELINE]} | {
            pos_set: self.masking(pos_set) for pos_set in lines or self.pos_sets
        }

    def figure4_pos_sets(self) -> list[str]:
        """Return the POS sets that the examples show: the two that they compare, then the configured ones."""
        return list(dict.fromkeys((*FIGURE4_POS_SETS, *self.pos_sets)))

    def figure4(self) -> Rows:
        """Return the recipes whose taggers' answers the examples show."""
        return {pos_set: self.masking(pos_set) for pos_set in self.figure4_pos_sets()}

    def candidates(self) -> Rows:
        """Return, for each method and name, the recipes of which one is chosen for the test set."""
        methods = {
            "cda": self.cda(),
            "masking": [recipe for pos_set in self.pos_sets for recipe in self.masking(pos_set)],
        }
        return methods | self.named()

    def chosen(self) -> list[str]:
        """Return the names under which the files of chosen recipes lie."""
        return list(map(chosen_name, self.candidates()))

    def tested(self) -> dict[str, Recipe | str]:
        """Return what is run on the test set: recipes, and the names under which those of chosen ones lie.

        Named recipes bring the baselines with as many updates, against which they are compared.
        """
        equal = [recipe.equal_updates for recipe in recipes_in(self.named())]
        baselines = {one.name: one for one in distinct([BASELINE, BASELINE_TWICE, *equal])}
        return {**baselines, **{method: chosen_name(method) for method in self.candidates()}}

    def models(self) -> dict[str, Rows]:
        """Return the methods of Table 4 with each kind of tagger by its name, the study's own first."""
        own = self.config.compared[0]
        return {
            kind.architecture
            if kind.states == own.states
            else f"{kind.architecture}, {kind.states.spoken}": {
                method: [self._of_kind(recipe, kind) for recipe in recipes]
                for method, recipes in self.table4().items()
            }
            for kind in self.config.compared
        }

    def _of_kind(self, recipe: Recipe, kind: TaggerKind) -> Recipe:
        """Return the same recipe for a kind of tagger; what is as in the study's own stays unsaid."""
        own = self.config.compared[0]
        architecture = None if kind.architecture == own.architecture else kind.architecture
        states = None if kind.states == own.states else kind.states
        return recipe.model_copy(update={"architecture": architecture, "states": states})

    def states(self) -> list[TokenEncoding]:
        """Return what stands for a token in features besides the study's own."""
        return list({one.name: one for recipe in self.recipes() if (one := recipe.states)}.values())

    def architectures(self) -> Rows:
        """Return the methods of Table 4 with every further kind of tagger of the configuration."""
        return {
            f"{kind}, {method}": recipes
            for kind, rows in list(self.models().items())[1:]
            for method, recipes in rows.items()
        }

    def policies(self) -> Rows:
        """Return the baselines, masking of all tokens, and masking by each policy."""
        named = {name: self.policy(name) for name in self.config.augmentation.policies}
        return {"baseline": [BASELINE], "baseline2x": [BASELINE_TWICE], "all": self.masking("all")} | named

    def policy(self, name: str) -> list[Recipe]:
        """Return masking by a policy, or of a POS set, at every alpha, or at the shares that `all` masks."""
        masks: dict[str, str | None] = {"policy" if name in self.config.policies else "pos_set": name}
        match = None if name == "all" else self.config.augmentation.match
        given = [masks | {"method": "masking", "alpha": alpha, "match": match} for alpha in self.alphas]
        return [Recipe(variant=Variant.model_validate(variant)) for variant in given]

    def antecedents(self) -> dict[str, list[Variant]]:
        """Return the refilled variants of each policy whose change of antecedents is measured."""
        chosen = self.config.antecedents
        alphas = sorted(chosen.alphas, key=float) or self.alphas
        return {
            name: [
                self.refilled(one.variant) for one in self.policy(name) if one.variant and one.alpha in alphas
            ]
            for name in chosen.policies
        }

    def refilled(self, variant: Variant) -> Variant:
        """Return the variant in which the masks of another are filled, in the way of the configured CDA."""
        way = self.config.augmentation.cda
        return refilled(variant, way.fill, way.pick)

    def unchanged(self) -> Variant:
        """Return the control: a refilled variant that replaces nothing."""
        return self.refilled(Variant(method="masking", alpha=canonical_alpha(0)))

    def fold_taggers(self) -> list[Recipe]:
        """Return the baselines that have not seen one fold each of the training documents."""
        chosen = self.config.antecedents
        return [
            trained_on(BASELINE, AllButOneFold(folds=chosen.folds, without=fold, seed=chosen.fold_seed))
            for fold in range(chosen.folds)
        ]

    def filtered(self) -> Rows:
        """Return the baselines, and masking with all copies and with those whose decisions stay."""
        if not self.config.antecedents.filtered:
            return {}
        rows: Rows = {"baseline": [BASELINE], "baseline2x": [BASELINE_TWICE]}
        for name, variants in self.antecedents().items():
            alphas = {variant.alpha for variant in variants}
            rows[name] = [recipe for recipe in self.policy(name) if recipe.alpha in alphas]
            rows[f"{name}, filtered"] = [one.model_copy(update={"filtered": True}) for one in rows[name]]
        return rows

    def named(self) -> Rows:
        """Return the recipes that the configuration names."""
        return {name: self._named(definition) for name, definition in self.config.recipes.items()}

    def named_and_baselines(self) -> Rows:
        """Return the named recipes after the baselines with equally many updates, each of these once."""
        named = self.named()
        equal = distinct(recipe.equal_updates for recipe in recipes_in(named))
        return {recipe.name: [recipe] for recipe in distinct([BASELINE, *equal])} | named

    def _named(self, definition: RecipeDefinition) -> list[Recipe]:
        copies, variant_copies = definition.ratio
        same = definition.model_dump(include=set(Recipe.model_fields))
        mixture = Recipe(copies=copies, variant_copies=variant_copies, **same)
        if definition.use is None:
            return [mixture]
        masks = definition.policy or "all"
        variant: dict[str, str] = {
            "method": definition.use,
            "policy" if masks in self.config.policies else "pos_set": masks,
        }
        if definition.use == "cda":
            variant |= {"fill": self.config.augmentation.cda.fill, "pick": self.config.augmentation.cda.pick}
        alphas = self.alphas if definition.alpha is None else [definition.alpha]
        return [
            mixture.model_copy(update={"variant": Variant.model_validate(variant | {"alpha": alpha})})
            for alpha in alphas
        ]

    def learning_curve(self) -> dict[str, dict[str, list[Recipe]]]:
        """Return, for each method and fraction, the recipes of each subset seed (of all documents: one)."""
        curve, way = self.config.learning_curve, self.config.augmentation.cda
        methods = {
            "baseline": BASELINE,
            "baseline2x": BASELINE_TWICE,
            "cda": cda(way.pos_set, curve.cda_alpha or self._middle_alpha(), way.fill, way.pick),
            "masking": masking("all", curve.masking_alpha or self._middle_alpha()),
        }
        return {
            method: {
                fraction: distinct(
                    trained_on(recipe, DocumentFraction(fraction=fraction, seed=seed))
                    for seed in curve.subset_seeds
                )
                for fraction in curve.fractions
            }
            for method, recipe in methods.items()
        }

    def _middle_alpha(self) -> str:
        """Return the alpha that is next to 0.5; of two, the lower one."""
        return min(self.alphas, key=lambda alpha: abs(Decimal(alpha) - Decimal("0.5")))

    def masking(self, pos_set: str) -> list[Recipe]:
        """Return masking of a POS set at every alpha."""
        return [masking(pos_set, alpha) for alpha in self.alphas]

    def cda(self) -> list[Recipe]:
        """Return the configured CDA at every alpha."""
        way = self.config.augmentation.cda
        return [cda(way.pos_set, alpha, way.fill, way.pick) for alpha in self.alphas]

    def recipes(self) -> list[Recipe]:
        """Return every recipe of the study once."""
        comparisons = (
            self.table4(),
            self.table5(),
            self.table7(),
            self.figure3(),
            self.figure4(),
            self.candidates(),
            self.architectures(),
            self.policies(),
            self.filtered(),
            self.named_and_baselines() if self.config.recipes else {},
            *self.learning_curve().values(),
        )
        found = [recipe for rows in comparisons for recipe in recipes_in(rows)]
        measured = self.config.antecedents.policies or any(recipe.filtered for recipe in found)
        return distinct([*found, *(self.fold_taggers() if measured else [])])

    def variants(self) -> list[Variant]:
        """Return every variant of the study once, those too that no tagger is trained on."""
        recipes = self.recipes()
        trained = [variant for recipe in recipes for variant in recipe.variants]
        trained += [self.refilled(variant) for one in recipes for variant in one.filters]
        asked = [variant for variants in self.antecedents().values() for variant in variants]
        control = [self.unchanged()] if asked else []
        return list({variant.name: variant for variant in [*trained, *asked, *control]}.values())


def recipes_in(rows: Mapping[str, Sequence[Recipe]]) -> list[Recipe]:
    """Return the recipes of a comparison once."""
    return distinct(recipe for recipes in rows.values() for recipe in recipes)


def distinct(recipes: Iterable[Recipe]) -> list[Recipe]:
    """Return each recipe once, in order."""
    return list({recipe.name: recipe for recipe in recipes}.values())
