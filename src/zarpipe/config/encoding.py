"""Section `encoding`: how the frozen MLM is run over the sequences."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from zarpipe.config.values import Integer, Section
from zarpipe.layers import Layers

# The keys that say what stands for a token; they mean nothing to the filling of masks.
TOKEN_KEYS = ("layers", "pooling")
WrittenLayers = Annotated[
    Layers, BeforeValidator(Layers.read, json_schema_input_type=str | int | list[int]), PlainSerializer(str)
]
Pooling = Literal["first", "mean"]


class TokenEncoding(Section):
    """What stands for a token: which of the MLM's layers, and which of its subwords."""

    layers: WrittenLayers
    """As `encoding.layers`."""
    pooling: Pooling
    """As `encoding.pooling`."""

    @property
    def name(self) -> str:
        """Name in the paths of files: ``mix``, ``layer9``, ``layers9+10``, ``mean9-12-meanpool``."""
        return (
            self._noun + str(self.layers).replace(" ", "") + ("-meanpool" if self.pooling == "mean" else "")
        )

    @property
    def spoken(self) -> str:
        """What people call it: ``mix``, ``layers 9+10, mean of subwords``."""
        layers = f"{self._noun} {self.layers}".strip()
        return layers + (", mean of subwords" if self.pooling == "mean" else "")

    @property
    def _noun(self) -> str:
        if self.layers.how != "joined":
            return ""
        return "layers" if len(self.layers.numbers) > 1 else "layer"


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
    layers: Annotated[WrittenLayers, Field(json_schema_extra={"default": "last"})] = Layers("last")
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
