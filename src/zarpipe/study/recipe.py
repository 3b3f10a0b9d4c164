"""Recipes: what a tagger is trained on, as typed objects with one name each.

The names stand in file names. They are written here and parsed nowhere: whoever needs to know what a recipe
is has the object, or its definition in ``recipes.json`` of the results folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from zarpipe.config.encoding import TokenEncoding
from zarpipe.config.options import Argument, from_yaml
from zarpipe.config.perturbations import Perturbation, perturbation_name
from zarpipe.config.values import Alpha, Number, Positive, Section
from zarpipe.study.extra import extra_name
from zarpipe.task.subsets import DocumentFraction, DocumentPart

METHODS = ("cda", "masking")
_YAML = BeforeValidator(lambda value: from_yaml(value) if isinstance(value, str) else value)


class Variant(Section):
    """An augmented copy of the training instances"""  # noqa: D415 (a heading of --help too)

    method: Literal["masking", "cda"]
    """masking: tokens are masked. cda: they are replaced by what the masked language model predicts."""
    pos_set: str = "all"
    """Name of the set of parts of speech that may be masked."""
    policy: str | None = None
    """Name of the policy that says how willingly each token is masked; then the POS set means nothing."""
    alpha: Alpha
    """Probability, from 0 to 1, that a token of the set is masked; with a policy, times its weight."""
    match: Literal["share"] | None = None
    """share: not this alpha, but the one at which as many tokens are masked as of the POS set `all` at this
    one. Above 1, tokens with a weight of at least 1 / alpha are always masked."""
    fill: Literal["multi", "single"] | None = None
    """CDA: predict all masks at once, or one at a time with the other tokens original."""
    pick: Literal["argmax", "sample"] | None = None
    """CDA: take the most probable token, or draw one."""
    draw_number: Positive = 1
    """Which of several draws: each number gives masks that are independent of the others'."""

    @property
    def replaces(self) -> bool:
        """Whether its masks are filled by the masked language model."""
        return self.method == "cda"

    @property
    def name(self) -> str:
        """File name of the variant."""
        ways = [way for way in (self.fill, self.pick) if way]
        draw = [] if self.draw_number == 1 else [f"draw{self.draw_number}"]
        match = [self.match] if self.match else []
        return "-".join([self.method, self.masks, self.alpha, *match, *ways, *draw])

    @property
    def masks(self) -> str:
        """Name of the policy or POS set that says what is masked."""
        return self.policy or self.pos_set


class Mixture(Section):
    """What an epoch sees of originals and augmented copies"""  # noqa: D415 (a heading of --help too)

    copies: Positive = 1
    """How often an epoch sees each original (2 for the recipe baseline2x)."""
    variant_copies: Positive = 1
    """How often an epoch sees each augmented copy."""
    per_epoch: bool = False
    """Of k draws, epoch e (from 0) sees the copies of draw e mod k alone; false: of all draws."""
    stages: Literal["together", "masked_first"] = "together"
    """together: originals and copies. masked_first: the copies alone until training stops, then, from the
    best weights, the originals alone (the authors' code)."""
    perturb: Annotated[Perturbation, _YAML, Argument("YAML")] | None = None
    """What is done to the hidden states of the copies in each epoch, as in a recipe of the configuration:
    '{use: drop, probability: 0.1}'. Without augmented copies, to copies of the originals."""
    consistency: Annotated[Number, Field(gt=0), Argument("WEIGHT")] | None = None
    """Weight of the divergence between the label distributions of an original and its copy, which then stand
    in one batch."""
    in_place: bool = False
    """In the place of the instances of --extra, as many originals are seen: the baseline of equal updates."""


class Recipe(Mixture):
    """What one tagger is trained on, and which kind of tagger it is."""

    variant: Variant | None = None
    """Augmented copies that are added to the originals; None for the baselines, and where only
    originals are perturbed."""
    draws: Positive = 1
    """Copies of each original, with independent masks."""
    extra: tuple[str, ...] = ()
    """Files of more training text, which is seen as often as copies are."""
    architecture: str | None = None
    """The tagger's architecture; None: the one that the study is about (`tagger.architecture`)."""
    states: TokenEncoding | None = None
    """What stands for a token; None: as the study is configured (`encoding.layers`, `encoding.pooling`)."""
    documents: DocumentPart | None = None
    """The training documents that it sees; None: all of them."""
    filtered: bool = False
    """Only copies are added whose decisions stay when they are refilled (`antecedents`)."""
    kept_of: Variant | None = None
    """In the place of such copies of this variant, their originals are seen once more: the baseline of a
    filtered recipe."""

    @model_validator(mode="after")
    def _all_documents_are_no_part(self) -> Recipe:
        # One name for one training: the taggers of all documents serve every subset seed.
        if isinstance(self.documents, DocumentFraction) and float(self.documents.fraction) == 1.0:
            object.__setattr__(self, "documents", None)
        return self

    @property
    def name(self) -> str:
        """Canonical name: of its files, and in tables."""
        name = self.variant.name if self.variant else self.method
        others = [part.name if part else None for part in (self.states, self.documents)]
        parts = [name, *self._ways(), self.architecture, *others]
        return "-".join(part for part in parts if part)

    def _ways(self) -> list[str]:
        """Return the parts of the name that tell how originals and copies are mixed."""
        mixes = self.augmented or self.kept_of or self.in_place
        uneven = mixes and (self.copies, self.variant_copies) != (1, 1)
        perturbed = perturbation_name(self.perturb) if self.perturb and self.variant else ""
        ways = {
            perturbed: perturbed,
            "-".join(("as",) * self.in_place + tuple(map(extra_name, self.extra))): self.extra,
            f"draws{self.draws}": self.draws > 1,
            "per_epoch": self.per_epoch,
            f"ratio{self.copies}to{self.variant_copies}": bool(uneven),
            self.stages: self.stages != "together",
            f"consistency{self.consistency}": self.consistency,
            "filtered": self.filtered,
        }
        return [way for way, is_told in ways.items() if is_told]

    @property
    def augmented(self) -> bool:
        """Whether it has anything besides the originals."""
        more_text = bool(self.extra) and not self.in_place
        return self.variant is not None or self.perturb is not None or more_text

    @property
    def variants(self) -> list[Variant]:
        """The augmented copies, one variant for each draw."""
        return self._drawn(self.variant)

    @property
    def filters(self) -> list[Variant]:
        """The variants of which the kept copies are trained on, or their originals, one for each draw."""
        return self._drawn(self.variant if self.filtered else self.kept_of)

    def _drawn(self, variant: Variant | None) -> list[Variant]:
        if variant is None:
            return []
        return [variant.model_copy(update={"draw_number": 1 + draw}) for draw in range(self.draws)]

    @property
    def equal_updates(self) -> Recipe:
        """The baseline with as many optimiser updates in an epoch (two stages: in one of each)."""
        if self.filters:
            others = dict.fromkeys(("variant", "perturb", "consistency")) | {"filtered": False}
            kept_of = {"kept_of": self.variant or self.kept_of, "stages": "together"}
            return self.model_copy(update=others | kept_of)
        copies = self.copies
        if self.variant or self.perturb:
            copies += self.variant_copies * (1 if self.per_epoch else self.draws)
        fields = ("variant", "draws", "filtered", *Mixture.model_fields)
        defaults = {name: type(self).model_fields[name].default for name in fields}
        if self.extra:
            defaults |= {"in_place": True, "variant_copies": self.variant_copies}
        return self.model_copy(update=defaults | {"copies": copies})

    @property
    def method(self) -> str:
        """``masking``, ``cda``, what is done to copies of the originals, or which baseline it is."""
        if self.perturb and not self.variant:
            return perturbation_name(self.perturb)
        if self.variant:
            return self.variant.method
        copies = "" if self.copies == 1 or self.kept_of else f"{self.copies}x"
        kept = f"-kept-{self.kept_of.name}" if self.kept_of else ""
        return f"baseline{copies}{kept}"

    def definition(self) -> dict[str, Any]:
        """Return the recipe as plain values, without what it leaves at its default."""
        return self.model_dump(exclude_defaults=True, exclude_none=True)

    @property
    def alpha(self) -> str:
        """Masking probability as canonical text; empty for the baselines."""
        return self.variant.alpha if self.variant else ""

    @property
    def pos_set(self) -> str:
        """Name of the POS set; empty for the baselines and for policies."""
        return self.variant.pos_set if self.variant and not self.variant.policy else ""

    @property
    def masks(self) -> str:
        """Name of the policy or POS set; empty for the baselines."""
        return self.variant.masks if self.variant else ""


BASELINE = Recipe()
BASELINE_TWICE = Recipe(copies=2)


def masking(pos_set: str, alpha: str) -> Recipe:
    """Return the recipe of the originals and ``[MASK]``-based augmentation."""
    return Recipe(variant=Variant(method="masking", pos_set=pos_set, alpha=alpha))


def cda(pos_set: str, alpha: str, fill: str, pick: str) -> Recipe:
    """Return the recipe of the originals and contextual data augmentation."""
    masked = Variant(method="masking", pos_set=pos_set, alpha=alpha)
    return Recipe(variant=refilled(masked, fill, pick))


def refilled(variant: Variant, fill: str, pick: str) -> Variant:
    """Return the variant in which the MLM fills the same masks; that of CDA is filled already."""
    if variant.replaces:
        return variant
    return Variant.model_validate(dict(variant) | {"method": "cda", "fill": fill, "pick": pick})


def trained_on(recipe: Recipe, documents: DocumentPart) -> Recipe:
    """Return the same recipe for taggers that see only a part of the training documents."""
    return Recipe(**dict(recipe) | {"documents": documents})


def encoded(name: str, states: TokenEncoding | None) -> str:
    """Return the name under which the hidden states of a split or variant lie; None: as configured."""
    return f"{states.name}/{name}" if states else name


def chosen_name(method: str) -> str:
    """Return the name under which the files of a method's chosen recipe lie.

    The workflow knows the names of all files that touch the test set before it knows the choice.
    """
    return f"chosen-{method}"


def recipes_of(definitions: Mapping[str, Mapping[str, Any]]) -> dict[str, Recipe]:
    """Return recipes by name from their definitions (``recipes.json``)."""
    return {name: Recipe.model_validate(definition) for name, definition in definitions.items()}
