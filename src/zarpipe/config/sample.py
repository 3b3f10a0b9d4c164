"""Section `sample`: the corpus that zarpipe makes itself."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from zarpipe.config.values import Integer, Section


class SampleConfig(Section):
    """The corpus that zarpipe makes itself when `corpus.path` is null."""

    seed: Integer = 1
    """Seed of the maker."""
    train_documents: Annotated[Integer, Field(ge=1, le=200_000)] = 160
    """Documents in the training split."""
    dev_documents: Annotated[Integer, Field(ge=1, le=200_000)] = 40
    """Documents in the development split."""
    test_documents: Annotated[Integer, Field(ge=1, le=200_000)] = 40
    """Documents in the test split."""
    unlabelled_sentences: Annotated[Integer, Field(ge=100)] = 20000
    """Sentences of unlabelled text, for the small masked language model."""
