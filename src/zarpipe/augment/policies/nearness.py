"""Weights that fall with a distance: exp(-d / scale)."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from zarpipe.arrays import Float64
from zarpipe.config.values import Number, Section

Prefer = Literal["near", "far"]


class NearnessOptions(Section):
    """How weights depend on a distance d."""

    scale: Annotated[Number, Field(gt=0)] = 3.0
    """The distance at which the weight of `near` has fallen to 1/e."""
    prefer: Prefer = "near"
    """near: exp(-d / scale). far: 1 - exp(-d / scale)."""


def nearness(distance: Float64, options: NearnessOptions) -> Float64:
    """Return the weights of distances; infinite ones have 0 for `near` and 1 for `far`."""
    near: Float64 = np.exp(-distance / options.scale)
    return near if options.prefer == "near" else 1 - near
