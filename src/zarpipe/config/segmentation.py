"""Section `segmentation`: what finds predicates and bunsetsu."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from zarpipe.config.values import EACH_ONCE, Integer, Section, Seed


class SegmentationConfig(Section):
    """What finds predicates and bunsetsu; the rest is as in `training`."""

    layers: Annotated[Integer, Field(ge=1)] = 2
    """GRU layers, as those of the architecture bigru."""
    hidden_size: Annotated[Integer, Field(ge=1)] = 64
    """Size of each."""
    seeds: Annotated[list[Seed], EACH_ONCE, Field(min_length=1)] = [1]
    """Random seeds: one segmenter each. A bundle holds the first one's."""
    table: bool = False
    """Whether `all` trains the segmenters of all seeds and makes `segmentation.csv`. A bundle has the first
    one anyway."""
