"""The tokens of all instances of a corpus as flat arrays, which policies weigh."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from zarpipe.arrays import Bool, Int64, expand
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.formats.corpus import flat_numbers
from zarpipe.task.instances import Instances


@dataclass(frozen=True)
class MlmRun:
    """A masked language model, and how it is run."""

    mlm: MlmConfig
    encoding: EncodingConfig
    threads: int


@dataclass(frozen=True)
class InstanceTokens:
    """The N tokens of the n instances of a corpus (each sentence once per predicate), in their order."""

    corpus: pa.Table  # the corpus table, T tokens in all
    instances: Instances
    path: str | Path  # its file, for messages
    pos_sets: Mapping[str, Any]  # POS sets beside those of the paper, as in the configuration
    mlm: MlmRun | None = None  # what policies that need an MLM ask

    @functools.cached_property
    def instance(self) -> Int64:
        """[N] int64, the instance of each token."""
        return np.repeat(np.arange(len(self.instances)), self.instances.lengths)

    @functools.cached_property
    def position(self) -> Int64:
        """[N] int64, index of each token in its sentence."""
        return expand(np.zeros(len(self.instances), np.int64), self.instances.lengths)

    @functools.cached_property
    def target(self) -> Int64:
        """[N] int64, index of the target predicate in the token's sentence."""
        return self.instances.predicate[self.instance]

    @property
    def is_target(self) -> Bool:
        """[N] bool, whether the token is the target predicate."""
        found: Bool = self.position == self.target
        return found

    @functools.cached_property
    def in_corpus(self) -> Int64:
        """[N] int64, index of each token among the T of the corpus."""
        offsets, _ = flat_numbers(self.corpus["bunsetsu"])
        found: Int64 = offsets[self.instances.sentence][self.instance] + self.position
        return found

    @functools.cached_property
    def bunsetsu(self) -> Int64:
        """[N] int64, bunsetsu number of each token in its sentence."""
        _, numbers = flat_numbers(self.corpus["bunsetsu"])
        found: Int64 = numbers[self.in_corpus]
        return found

    @functools.cached_property
    def target_bunsetsu(self) -> Int64:
        """[n] int64, bunsetsu number of each instance's target predicate."""
        found: Int64 = self.bunsetsu[self.instances.offsets[:-1] + self.instances.predicate]
        return found
