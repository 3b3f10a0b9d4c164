"""Where a tagger takes its hidden states from: the one class to replace for another source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import torch
from torch import Tensor

from zarpipe.arrays import Int64
from zarpipe.formats.features import Features, token_states


@dataclass(frozen=True)
class HiddenStates:
    """Final hidden states of the frozen MLM, kept in feature files and read by memory map.

    Sequences are numbered over all files: those of the second follow those of the first.

    Attributes:
        files: feature files; the first is that of the original sentences.
    """

    files: tuple[Features, ...]

    def with_file(self, file: Features) -> Self:
        """Return the hidden states of one more file, whose sequences are numbered on."""
        return replace(self, files=(*self.files, file))

    @property
    def originals(self) -> Features:
        """The feature file of the original sentences."""
        return self.files[0]

    @property
    def size(self) -> int:
        """D, the size of a hidden state, or of several side by side."""
        return self.originals.hidden_size

    @property
    def mixed_layers(self) -> int | None:
        """How many of the MLM's layers stand side by side in a row for the tagger to mix, or None."""
        return token_states(self.originals.provenance)["mixed_layers"]  # type: ignore[no-any-return]

    @property
    def lengths(self) -> Int64:
        """[S] int64, tokens of each sequence."""
        return np.concatenate([file.lengths for file in self.files])

    def gather(self, sequences: Int64) -> Tensor:
        """Return the hidden states of sequences, one sequence after the other.

        Args:
            sequences: [k] int64, ascending.

        Returns:
            [M, D] float32, M being the sum of their lengths.
        """
        rows, first = [], 0
        for file in self.files:
            end = first + len(file.lengths)
            of_file = sequences[(sequences >= first) & (sequences < end)] - first
            rows.append(torch.from_numpy(file.gather(of_file)))
            first = end
        return (rows[0] if len(rows) == 1 else torch.cat(rows)).float()
