"""Run a masked language model of any architecture, and find out by trying what it can do.

Architectures differ in what their encoder gives back, in whether padding leaves the other positions alone,
and in what their head needs. Nothing of this can be read from a configuration. So a model is run over a few
subwords when it is loaded, and what does not hold is refused, or done without.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

# How much two computations of the same values may differ, relative to the largest. Without padding, or with
# the head alone, sums are added up in another order.
_TOLERANCE = {torch.float32: 1e-3, torch.bfloat16: 0.1, torch.float16: 0.02}
# Subwords of the shorter one of two tried sequences, besides special tokens.
_TRIED_SUBWORDS = 6


@dataclass(frozen=True)
class Abilities:
    """What a model was found to do."""

    hidden_size: int  # D, size of its final hidden states
    takes_padding: bool  # whether padding behind a sequence leaves its hidden states as they are
    head_stands_alone: bool  # whether its head gives the model's own scores from final hidden states alone
    is_causal: bool  # whether a hidden state does not depend on the subwords behind its own


class UnusableError(Exception):
    """A model cannot be used; the text completes the sentence "the model ..."."""


def hidden_states(model: Any, ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
    """Return the final hidden states [b, t, D] of ids [b, t]; no mask where nothing is padding."""
    return _encoded(model, ids, attention_mask).last_hidden_state  # type: ignore[no-any-return]


def layer_states(model: Any, ids: Tensor, attention_mask: Tensor | None = None) -> list[Tensor]:
    """Return the hidden states [b, t, D] of every layer, the embeddings first and the final ones last.

    Raises UnusableError: the model does not give them, or not for each subword.
    """
    output = _encoded(model, ids, attention_mask, output_hidden_states=True)
    # Of an encoder and a decoder, the final hidden states are the decoder's.
    states = getattr(output, "hidden_states", None) or getattr(output, "decoder_hidden_states", None)
    last = output.last_hidden_state
    if not states or any(layer.shape != last.shape for layer in states):
        raise UnusableError("gives no hidden states of its inner layers for each subword")
    return [*states[:-1], last]


def _encoded(model: Any, ids: Tensor, attention_mask: Tensor | None, **options: bool) -> Any:
    """Run the encoder."""
    encoder = model.base_model
    if hasattr(encoder, "set_attention_type"):
        # BigBird turns to full attention at the first short sequence, and stays there.
        encoder.set_attention_type(model.config.attention_type)
    # Some architectures have no attention, and so no mask.
    masks = {} if attention_mask is None else {"attention_mask": attention_mask}
    return encoder(input_ids=ids, **masks, **options)


def head_scores(model: Any, hidden: Tensor) -> Tensor:
    """Return the vocabulary scores [k, V] of final hidden states [k, D], through the model's own head.

    The model's forward is its encoder and then its head; with an encoder that gives back what it is given,
    the head of any architecture can be run for the masked positions alone.
    """
    prefix = model.base_model_prefix
    encoder = model._modules[prefix]
    model._modules[prefix] = _Given(hidden[None], encoder)
    try:
        logits: Tensor = model(inputs_embeds=hidden[None]).logits[0]
    finally:
        model._modules[prefix] = encoder
    return logits


@torch.inference_mode()
def try_out(model: Any, subwords: list[int], prefix: list[int], suffix: list[int], padding: int) -> Abilities:
    """Run a model over a few subwords, and say what it can do.

    The subwords are some entries of its vocabulary, the mask among them.

    Raises UnusableError: it gives no hidden state for each subword, or other ones each time.
    """
    if getattr(model.config, "hash_seed", 0) is None:
        # Reformer; shows in sequences of more than a chunk only.
        raise UnusableError("gives other hidden states each time (hash_seed is null in its config.json)")
    long = [*prefix, *subwords, *suffix]
    short = [*prefix, *subwords[:_TRIED_SUBWORDS], *suffix]
    ids = torch.tensor([long], device=model.device)
    states = _tried(lambda: hidden_states(model, ids), "gives no hidden states")
    if not isinstance(states, Tensor) or states.shape[:-1] != ids.shape:
        raise UnusableError("gives no final hidden state for each subword")
    if not _agree(states, hidden_states(model, ids)):
        raise UnusableError("gives other hidden states each time")
    return Abilities(
        hidden_size=states.shape[-1],
        takes_padding=_holds(lambda: _padding_changes_nothing(model, long, short, padding)),
        head_stands_alone=_holds(
            lambda: _agree(head_scores(model, states[0]), model(input_ids=ids).logits[0])
        ),
        is_causal=_holds(lambda: _last_but_one_ignores_last(model, [*prefix, *subwords])),
    )


def embeddings(model: Any) -> int:
    """Return how many subwords the model has an embedding of. Raises UnusableError if there is no table."""
    table = getattr(model.get_input_embeddings(), "weight", None)
    if table is None:
        raise UnusableError("has no table of subword embeddings")
    return int(table.shape[0])


def longest_input(model: Any) -> int | None:
    """Return how many positions the model has for a sequence, special tokens included; None if any number.

    Position tables with a padding row are counted from behind it (RoBERTa and its relatives: two are lost).
    """
    tables = [
        module
        for name, module in model.base_model.named_modules()
        if name.endswith("embeddings.position_embeddings")
        and getattr(module, "padding_idx", None) is not None
    ]
    if tables:
        return min(int(table.weight.shape[0]) - int(table.padding_idx) - 1 for table in tables)
    return getattr(model.config.get_text_config(), "max_position_embeddings", None)


def _padding_changes_nothing(model: Any, long: list[int], short: list[int], padding: int) -> bool:
    """Compare a sequence by itself with the same one in a batch with a longer one."""
    padded = torch.tensor([long, [*short, *[padding] * (len(long) - len(short))]], device=model.device)
    mask = torch.ones_like(padded)
    mask[1, len(short) :] = 0
    together = hidden_states(model, padded, mask)[1, : len(short)]
    return _agree(together, hidden_states(model, padded[1:, : len(short)])[0])


def _last_but_one_ignores_last(model: Any, long: list[int]) -> bool:
    """Tell whether the hidden state before the last one is the same where the last subword is another one."""
    pair = torch.tensor([long, [*long[:-1], long[-2]]], device=model.device)
    one, other = (hidden_states(model, ids[None])[0, -2] for ids in pair)
    return torch.equal(one, other)


def _agree(one: Tensor, other: Tensor) -> bool:
    """Compare the same values, computed in two ways; what is no number is named where it matters."""
    scale = float(one[one.isfinite()].abs().max()) if one.isfinite().any() else 0.0
    tolerance = _TOLERANCE[one.dtype] * scale
    return one.shape == other.shape and torch.allclose(one, other, rtol=0.0, atol=tolerance, equal_nan=True)


def _tried(run: Callable[[], Tensor], otherwise: str) -> Tensor:
    try:
        return run()
    except (MemoryError, torch.OutOfMemoryError):
        raise
    except Exception as error:
        # Whatever an architecture asks for beside ids, it may ask for it in any way.
        raise UnusableError(f"{otherwise} ({type(error).__name__}: {error})") from error


def _holds(try_it: Callable[[], bool]) -> bool:
    """Try something that an architecture may not be made for."""
    try:
        return try_it()
    except (MemoryError, torch.OutOfMemoryError):
        raise
    except Exception:
        return False


class _Given(nn.Module):
    """Stands in for the encoder: gives back hidden states that are already there."""

    def __init__(self, hidden: Tensor, encoder: Any) -> None:
        super().__init__()
        self._hidden = hidden
        # Kept out of the submodules.
        self.__dict__["_encoder"] = encoder

    def __getattr__(self, name: str) -> Any:
        """Some heads read the embeddings, or settings, through the encoder."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.__dict__["_encoder"], name)

    def forward(self, *_: Any, **__: Any) -> Any:
        return _output(self._hidden)


def _output(hidden: Tensor) -> Any:
    from transformers.modeling_outputs import BaseModelOutput

    class Output(BaseModelOutput):  # type: ignore[misc]
        """What any encoder gives back: beside the last hidden states, its further outputs are None."""

        def __getattr__(self, name: str) -> None:
            if name.startswith("__"):
                raise AttributeError(name)

    return Output(last_hidden_state=hidden)
