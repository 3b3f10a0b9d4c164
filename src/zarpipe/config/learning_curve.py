"""Section `learning_curve`: trainings on parts of the training documents."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from zarpipe.config.values import EACH_ONCE, Alpha, Section, Seed, Share

_ASCENDING = AfterValidator(lambda shares: sorted(shares, key=float))


class LearningCurveConfig(Section):
    """F1 against the number of training documents, for the methods of Table 4 (docs/learning-curve.md)."""

    fractions: Annotated[
        list[Share], EACH_ONCE, AfterValidator(lambda shares: sorted(shares, key=float))
    ] = []
    """Shares of the training documents on which both baselines, CDA and masking are trained, such as
    [0.1, 0.25, 0.5, 1.0]; rounded up to whole documents. Nothing is encoded for them. Empty: there is no
    `learning_curve.csv`."""
    subset_seeds: Annotated[list[Seed], EACH_ONCE, Field(min_length=1)] = [1, 2, 3]
    """Seeds of the order in which documents are taken: with each, a smaller share is part of the larger ones,
    and every share below 1 is trained on once more. At least three, if intervals are to say how subsets
    differ."""
    masking_alpha: Alpha | None = None
    """Alpha of masking at every share, one of `augmentation.alphas`. null: the one next to 0.5 (of two, the
    lower one)."""
    cda_alpha: Alpha | None = None
    """The same for CDA."""
