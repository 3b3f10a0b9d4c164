"""Sections `mlm` and `pretraining`: the frozen masked language model."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from zarpipe.config.values import Integer, Name, Number, Section


class MlmConfig(Section):
    """The frozen masked language model."""

    path: Name | None = None
    """Hub name or folder of a Hugging Face masked language model. null: a small one is pretrained on the
    sample's unlabelled text (section `pretraining`)."""
    revision: Name | None = None
    """Revision of a hub model; null takes the default branch."""
    trust_remote_code: bool = False
    """Run Python code that comes with the model. Off unless you trust its authors."""
    allow_pickle: bool = False
    """Load weights from pickle files when the model has no safetensors. Off unless you trust its authors."""


class PretrainingConfig(Section):
    """The small masked language model that is pretrained when `mlm.path` is null."""

    layers: Annotated[Integer, Field(ge=1)] = 2
    """Transformer layers."""
    hidden_size: Annotated[Integer, Field(ge=32, multiple_of=32)] = 128
    """Hidden size, a multiple of 32."""
    steps: Annotated[Integer, Field(ge=1)] = 600
    """Optimiser steps."""
    batch_size: Annotated[Integer, Field(ge=1)] = 64
    """Sentences per step."""
    learning_rate: Annotated[Number, Field(gt=0)] = 1e-3
    """Peak learning rate."""
    vocabulary_size: Annotated[Integer, Field(ge=100)] = 2000
    """Upper limit of the WordPiece vocabulary."""
    seed: Integer = 1
    """Seed of weights, batches and masks."""
