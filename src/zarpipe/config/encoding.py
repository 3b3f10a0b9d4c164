"""Section `encoding`: how the frozen MLM is run over the sequences."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from zarpipe.config.values import Integer, Section

# The keys that say what stands for a token; they mean nothing to the filling of masks.
TOKEN_KEYS = ("layers", "pooling")
_LAYERS = "expected last, mix, a number from 0 (the embeddings), several such as [9, 10], or mean 9-12"


def canonical_layers(value: Any) -> str:
    """Return which layers stand for a token as one text: last, mix, 9, 9+10+11 or mean 9-12.

    Raises ValueError for anything else.
    """
    if isinstance(value, list) and value and all(type(number) is int for number in value):
        value = "+".join(map(str, value))
    elif type(value) is int:
        value = str(value)
    if not isinstance(value, str):
        raise ValueError(_LAYERS)
    text = re.sub(r"\s*([-+])\s*", r"\1", " ".join(value.split()))
    if not re.fullmatch(r"last|mix|\d{1,4}(\+\d{1,4})*|mean \d{1,4}-\d{1,4}", text, re.ASCII):
        raise ValueError(_LAYERS)
    numbers = layer_numbers(text)
    if text.startswith("mean") and not numbers:
        raise ValueError("expected a range from a lower to a higher layer, such as mean 9-12")
    if len(set(numbers)) < len(numbers):
        raise ValueError("expected each layer once")
    return re.sub(r"\d+", lambda number: str(int(number[0])), text)


def layer_numbers(text: str) -> list[int]:
    """Return the layers that a text of `canonical_layers` names; last and mix name none."""
    if text.startswith("mean"):
        low, high = text.removeprefix("mean ").split("-")
        return list(range(int(low), int(high) + 1))
    return [int(number) for number in text.split("+")] if text[0].isdigit() else []


Layers = Annotated[
    str,
    BeforeValidator(canonical_layers, json_schema_input_type=str | int | list[int]),
]
Pooling = Literal["first", "mean"]


class TokenEncoding(Section):
    """What stands for a token: which of the MLM's layers, and which of its subwords."""

    layers: Layers
    """As `encoding.layers`."""
    pooling: Pooling
    """As `encoding.pooling`."""

    @property
    def name(self) -> str:
        """Name in the paths of files: ``mix``, ``layer9``, ``layers9+10``, ``mean9-12-meanpool``."""
        numbers = "layers" if "+" in self.layers else "layer"
        layers = numbers + self.layers if self.layers[0].isdigit() else self.layers.replace(" ", "")
        return layers + ("-meanpool" if self.pooling == "mean" else "")

    @property
    def spoken(self) -> str:
        """What people call it: ``mix``, ``layers 9+10, mean of subwords``."""
        numbers = "layers " if "+" in self.layers else "layer "
        layers = numbers + self.layers if self.layers[0].isdigit() else self.layers
        return layers + (", mean of subwords" if self.pooling == "mean" else "")


class EncodingConfig(Section):
    """How the frozen MLM is run over the sequences."""

    batch_tokens: Annotated[Integer, Field(ge=64)] = 2048
    """Upper limit of subwords in one batch of similar-length sequences; a GPU takes several times as many."""
    compute_dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    """Number format of the MLM's computation; the cache is always float16. bfloat16: faster where the GPU or
    CPU has instructions for it (AMX, AVX512_BF16), and less exact."""
    threads: Annotated[Integer, Field(ge=1)] = 4
    """CPU threads of one job that runs the MLM; several such jobs run side by side when there are cores."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto: a GPU when there is one."""
    layers: Layers = "last"
    """Which of the MLM's layers stand for a token. last: the final one (the paper). A number: that one, 0
    being the embeddings. Several, `[9, 10]` or `9+10`: one after the other, as one long vector. `mean 9-12`:
    their mean. mix: all of them are cached, and each tagger learns their weights and a scale (Peters et al.
    2018). Several layers cost as many times the disk, and reading them as many times the time: mix of a model
    of 12 layers 13 times."""
    pooling: Pooling = "first"
    """What stands for a token of several subwords. first: the first one that carries text (the paper). mean:
    the mean of that one and all behind it; costs no disk."""

    @property
    def of_tokens(self) -> TokenEncoding:
        """What stands for a token."""
        return TokenEncoding(layers=self.layers, pooling=self.pooling)
