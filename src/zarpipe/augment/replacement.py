"""How CDA fills masks: the settings that the command gives, and the MLM's part of one variant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from zarpipe.augment.cda import predict_replacements
from zarpipe.augment.masking import Masks
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.formats.variant import Replacements


@dataclass(frozen=True)
class ReplacementSettings:
    """CDA's settings.

    Attributes:
        mlm: which masked language model.
        encoding: how it is run.
        fill: all masks at once, or one at a time.
        pick: the most probable token, or a drawn one.
        threads: CPU threads.
    """

    mlm: MlmConfig
    encoding: EncodingConfig
    fill: Literal["multi", "single"]
    pick: Literal["argmax", "sample"]
    threads: int

    def fill_masks(self, corpus_path: Path, masks: Masks, seed: int) -> Replacements:
        """Let the MLM pick a token for every mask."""
        return predict_replacements(
            corpus_path,
            masks.offsets,
            masks.tokens,
            mlm=self.mlm,
            encoding=self.encoding,
            fill=self.fill,
            pick=self.pick,
            seed=seed,
            threads=self.threads,
        )
