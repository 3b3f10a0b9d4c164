"""Section `report`: tables and figures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from zarpipe.config.values import Integer, Section


class ReportConfig(Section):
    """Tables and figures."""

    published: bool = True
    """Put the paper's printed numbers beside ours: for NAIST Text Corpus 1.5 only, with the paper's split."""
    permutations: Annotated[Integer, Field(ge=1)] = 10000
    """Random draws of the significance tests: permutations for p-values, resamples for confidence
    intervals."""
    seed: Integer = 1
    """Seed of the significance tests."""
    examples: Annotated[Integer, Field(ge=1)] = 6
    """Sentences on the page of examples, at most, for each alpha."""
    example_words: Annotated[Integer, Field(ge=1, le=50)] = 5
    """Words that the page of examples lists for each mask."""
