"""The grid of the study: which variants and recipes a configuration asks for, and their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from zarpipe.config import CdaConfig

BASELINE = "baseline"
BASELINE_TWICE = "baseline2x"


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
    ordered = sorted(alphas, key=float)
    return {
        "baseline": [BASELINE],
        "baseline2x": [BASELINE_TWICE],
        "cda": [Cda(cda.pos_set, alpha, cda.fill, cda.pick).name for alpha in ordered],
        "masking": [Masking("all", alpha).name for alpha in ordered],
    }
