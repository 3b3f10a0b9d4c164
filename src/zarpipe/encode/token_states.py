"""What stands for a token in the cache: which layers of the MLM, and which of the token's subwords."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from zarpipe.config import EncodingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.layers import Layers
from zarpipe.mlm.batches import Batches
from zarpipe.mlm.loading import FrozenMlm


@dataclass(frozen=True)
class TokenStates:
    """How a batch's hidden states become rows of the cache."""

    model: FrozenMlm
    layers: Layers
    # the layers that are taken, 0 being the embeddings; empty for the final hidden states as they are
    numbers: tuple[int, ...]
    pooling: str

    @classmethod
    def of(cls, model: FrozenMlm, encoding: EncodingConfig) -> TokenStates:
        """Check the configured layers against the model's. Raises ZarpipeError if it lacks one."""
        layers = encoding.layers
        count = 0 if layers.how == "last" else _layer_count(model)
        if layers.numbers and max(layers.numbers) >= count:
            raise ZarpipeError(
                f"encoding.layers: found {layers}; {model.name} has the layers 0 (the embeddings) to "
                f"{count - 1}"
            )
        return cls(model, layers, layers.of(count), encoding.pooling)

    @property
    def size(self) -> int:
        """C, the columns of a row: one hidden state, or several one after the other."""
        return self.model.hidden_size * (len(self.numbers) if self._stands_side_by_side else 1)

    def of_batch(self, batches: Batches, number: int) -> Tensor:
        """Run the MLM over a batch; return [r, C], what stands for its tokens, on the device."""
        run = self._chosen if self.numbers else self.model.hidden
        return batches.token_states(number, run, mean=self.pooling == "mean")

    def provenance(self) -> dict[str, Any]:
        """Return what a reader of the cache must know; nothing where it is as in the paper."""
        told: dict[str, Any] = {} if self.layers.how == "last" else {"layers": str(self.layers)}
        if self.layers.how == "mix":
            told["mixed_layers"] = len(self.numbers)
        return told if self.pooling == "first" else {**told, "pooling": self.pooling}

    @property
    def _stands_side_by_side(self) -> bool:
        return self.layers.how in ("mix", "joined")

    def _chosen(self, ids: Tensor, attention_mask: Tensor | None) -> Tensor:
        """Return [b, t, C] of ids [b, t]."""
        states = self.model.layers(ids, attention_mask)
        chosen = [states[number] for number in self.numbers]
        if self._stands_side_by_side:
            return torch.cat(chosen, dim=-1)
        return torch.stack([layer.float() for layer in chosen]).mean(dim=0)


@torch.inference_mode()
def _layer_count(model: FrozenMlm) -> int:
    """Return how many layers the model gives, the embeddings among them."""
    frame = [*model.subwords.prefix, model.subwords.mask().ids[0], *model.subwords.suffix]
    return len(model.layers(torch.tensor([frame], device=model.device)))
