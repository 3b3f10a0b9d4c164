"""The MLM itself as a tagger, trained end to end.

The flags are embeddings that are added to those of the subwords which represent tokens, before the MLM adds
its own (positions, for example). A linear layer gives the log-probabilities from the final hidden state of
these subwords: the frozen MLM's hidden states and the same two flags are what the other architectures read.
"""

from __future__ import annotations

from typing import Any, cast

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from torch import Tensor, nn

from zarpipe.config import TaggerConfig
from zarpipe.errors import ZarpipeError
from zarpipe.mlm.loading import FrozenMlm
from zarpipe.tagger.batches import FLAGS
from zarpipe.tagger.live.batches import LiveBatch
from zarpipe.tagger.model import initialise
from zarpipe.task.cases import LABELS

ENCODER = "encoder."
"""How the names of the MLM's weights begin."""

# How far hidden states may differ that should be equal, relative to the largest one.
_TOLERANCE = 1e-3


class FinetunedTagger(nn.Module):
    """An MLM's encoder, embeddings of the flags, and a linear layer.

    The encoder is the MLM without its head, trained from here on; weights are float32, matrix products of
    ``dtype``. Weights of flags and linear layer follow from the seed, uniform within 1 / sqrt(size).
    """

    def __init__(self, config: TaggerConfig, encoder: Any, seed: int, dtype: torch.dtype) -> None:
        super().__init__()
        size = int(encoder.config.hidden_size)
        self.encoder = encoder
        self.flags = nn.Linear(FLAGS, encoder.get_input_embeddings().embedding_dim, bias=False)
        self.output = nn.Linear(size, LABELS, bias=config.output_bias)
        initialise(nn.ModuleList([self.flags, self.output]), size, seed)
        self.dtype = dtype

    def forward(self, batch: LiveBatch) -> Tensor:
        """Return [r, LABELS] log-probabilities of a batch's tokens."""
        reduced = self.dtype != torch.float32
        with torch.autocast(batch.ids.device.type, self.dtype if reduced else None, enabled=reduced):
            embedded = self.encoder.get_input_embeddings()(batch.ids) + self.flags(batch.flags)
            read = self.encoder(inputs_embeds=embedded, attention_mask=batch.attention_mask)
            hidden = read.last_hidden_state.flatten(0, 1)[batch.rows]
            scores = self.output(hidden.masked_fill(batch.zeroed[:, None], 0))
        return F.log_softmax(scores.float(), dim=1)


def build(config: TaggerConfig, mlm: FrozenMlm, seed: int, dtype: str) -> FinetunedTagger:
    """Return a new tagger around the MLM, which is trained from here on.

    Raises ZarpipeError: the MLM cannot be given embeddings, to which the flags are added.
    """
    check_takes_embeddings(mlm)
    encoder = cast(nn.Module, mlm.model.base_model).requires_grad_(True)
    return FinetunedTagger(config, encoder, seed, getattr(torch, dtype))


@torch.no_grad()
def check_takes_embeddings(mlm: FrozenMlm) -> None:
    """Raise ZarpipeError unless the MLM gives for a text's embeddings what it gives for its ids."""
    encoder = cast(nn.Module, mlm.model.base_model).eval()
    subwords = mlm.subwords
    ids = torch.tensor([[*subwords.prefix, *subwords.mask().ids, *subwords.suffix]])
    ones = torch.ones_like(ids)
    wanted = mlm.hidden(ids, ones)
    try:
        embedded = mlm.model.get_input_embeddings()(ids)
        found = encoder(inputs_embeds=embedded, attention_mask=ones).last_hidden_state
    except Exception as error:
        # Whatever a model's code does with an input that it was not made for.
        raise _no_embeddings(mlm, f"{type(error).__name__} when it is given embeddings") from error
    if found.shape != wanted.shape or (found - wanted).abs().max() > _TOLERANCE * wanted.abs().max():
        raise _no_embeddings(mlm, "other hidden states for embeddings than for ids")


def _no_embeddings(mlm: FrozenMlm, found: str) -> ZarpipeError:
    return ZarpipeError(
        f"mlm.path: {mlm.name}: found {found}; expected a model that takes `inputs_embeds` as BERT does, "
        "since flags are added there; choose another tagger.architecture, or another model"
    )
