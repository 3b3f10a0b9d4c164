"""The grid of the study: which variants and recipes a configuration asks for, and their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from zarpipe.config import CdaConfig

BASELINE = "baseline"
BASELINE_TWICE = "baseline2x"
# The methods that go on to the test set with the recipe that is best on dev. `chosen-masking` stands for that
# recipe's taggers, so that the workflow knows every file's name before it knows the choice.
CHOSEN_METHODS = ("cda", "masking")
CHOSEN_PATTERN = r"chosen-(?:cda|masking)"
# The POS set of Table 7, and those of Figure 3 (paper, Appendix A and Section 5.3).
TABLE7_POS_SET = "all_but_verb_symbol"
FIGURE3_POS_SETS = ("all", "all_but_noun", "all_but_verb", "all_but_particle", "all_but_symbol")
# What Figure 4 compares (paper, Section 6).
FIGURE4_POS_SETS = ("verb", "all_but_verb")


@dataclass(frozen=True)
class Masking:
    """A variant of ``[MASK]``-based augmentation.

    Attributes:
        pos_set: name of the POS set.
        alpha: masking probability as canonical text, for example ``0.5``.
    """

    pos_set: str
    alpha: str

    @property
    def name(self) -> str:
        """File name of the variant, and of the recipe that adds it to the originals."""
        return f"masking-{self.pos_set}-{self.alpha}"


@dataclass(frozen=True)
class Cda:
    """A variant of contextual data augmentation.

    Attributes:
        pos_set: name of the POS set.
        alpha: masking probability as canonical text.
        fill: ``multi`` or ``single``.
        pick: ``argmax`` or ``sample``.
    """

    pos_set: str
    alpha: str
    fill: str
    pick: str

    @property
    def name(self) -> str:
        """File name of the variant, and of the recipe that adds it to the originals."""
        return f"cda-{self.pos_set}-{self.alpha}-{self.fill}-{self.pick}"


Variant = Masking | Cda

_MASKING = re.compile(r"masking-(?P<pos_set>[a-z_]+)-(?P<alpha>[01]\.\d+)")
_CDA = re.compile(
    r"cda-(?P<pos_set>[a-z_]+)-(?P<alpha>[01]\.\d+)-(?P<fill>multi|single)-(?P<pick>argmax|sample)"
)
# For the workflow's wildcard constraints.
MASKING_PATTERN = r"masking-[a-z_]+-[01]\.\d+"
CDA_PATTERN = r"cda-[a-z_]+-[01]\.\d+-(multi|single)-(argmax|sample)"


def parse_variant(name: str) -> Variant:
    """Return the variant of a name. Raises ValueError when it is none."""
    if match := _MASKING.fullmatch(name):
        return Masking(**match.groupdict())
    if match := _CDA.fullmatch(name):
        return Cda(**match.groupdict())
    raise ValueError(f"{name!r} is not the name of a variant")


def table4_methods(alphas: Sequence[str], cda: CdaConfig) -> dict[str, list[str]]:
    """Return the recipes of each method of Table 4: one for the baselines, one per alpha for the others."""
    return {
        "baseline": [BASELINE],
        "baseline2x": [BASELINE_TWICE],
        "cda": _cda(alphas, cda.pos_set, cda.fill, cda.pick),
        "masking": _masking(alphas, "all"),
    }


def table5_methods(alphas: Sequence[str], pos_sets: Sequence[str]) -> dict[str, list[str]]:
    """Return the recipes of each row of Table 5: the baseline, then masking of each POS set."""
    return {"baseline": [BASELINE]} | {pos_set: _masking(alphas, pos_set) for pos_set in pos_sets}


def table7_methods(alphas: Sequence[str]) -> dict[str, list[str]]:
    """Return the recipes of each row of Table 7: the four ways in which CDA fills masks."""
    ways = [(fill, pick) for fill in ("single", "multi") for pick in ("argmax", "sample")]
    return {f"{fill}-{pick}": _cda(alphas, TABLE7_POS_SET, fill, pick) for fill, pick in ways}


def figure3_methods(alphas: Sequence[str], pos_sets: Sequence[str]) -> dict[str, list[str]]:
    """Return the recipes of each line of Figure 3, as far as the configuration has its POS set."""
    lines = {pos_set: _masking(alphas, pos_set) for pos_set in FIGURE3_POS_SETS if pos_set in pos_sets}
    return {"baseline": [BASELINE]} | lines


def figure4_pos_sets(pos_sets: Sequence[str]) -> list[str]:
    """Return the POS sets that the examples show: the two that they compare, then the configured ones."""
    return list(dict.fromkeys((*FIGURE4_POS_SETS, *pos_sets)))


def candidate_recipes(alphas: Sequence[str], pos_sets: Sequence[str], cda: CdaConfig) -> dict[str, list[str]]:
    """Return, for each of CHOSEN_METHODS, the recipes from which the one for the test set is chosen."""
    masking = [recipe for pos_set in pos_sets for recipe in _masking(alphas, pos_set)]
    return {"cda": _cda(alphas, cda.pos_set, cda.fill, cda.pick), "masking": masking}


def chosen_recipe(method: str) -> str:
    """Return the name under which the chosen recipe of a method goes on to the test set."""
    return f"chosen-{method}"


def _masking(alphas: Sequence[str], pos_set: str) -> list[str]:
    return [Masking(pos_set, alpha).name for alpha in sorted(alphas, key=float)]


def _cda(alphas: Sequence[str], pos_set: str, fill: str, pick: str) -> list[str]:
    return [Cda(pos_set, alpha, fill, pick).name for alpha in sorted(alphas, key=float)]
