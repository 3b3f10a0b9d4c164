"""Section `tagger`: the sequence labeller."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from zarpipe.config.values import Integer, OneOf, Section

_TABLES = "zarpipe.tagger.architectures"
Architecture = Annotated[str, OneOf(_TABLES, "ARCHITECTURES", "LIVE")]


class TaggerConfig(Section):
    """The sequence labeller (paper, Section 3.2)."""

    architecture: Architecture = "bigru"
    """bigru: the paper's. linear: a linear layer on each token's hidden state and flags, the cheapest
    baseline. finetuned: the MLM itself, trained end to end, with the flags as added embeddings; it reads no
    features (section `finetuning`). `layers` and `hidden_size` mean nothing to the latter two."""
    layers: Annotated[Integer, Field(ge=1)] = 10
    """Unidirectional GRU layers, direction alternating (k in the paper)."""
    hidden_size: Annotated[Integer, Field(ge=1)] = 256
    """Size of each GRU layer (M in the paper)."""
    output_bias: bool = False
    """Whether the output layer has a bias. The paper's formula has none, the authors' code has one."""
    accept: Literal["reaches", "exceeds"] = "reaches"
    """When a candidate is the argument: its probability reaches the threshold (the authors' code), or exceeds
    it (the paper's word). Only a probability equal to the threshold makes a difference."""
    compare: list[Architecture] = []
    """Further architectures: the methods of Table 4 are trained with each of them too, for
    `architectures.csv` and `models.csv`."""

    @property
    def trains_the_mlm(self) -> bool:
        """Whether the masked language model is part of the tagger."""
        return self.architecture in OneOf(_TABLES, "LIVE").names()

    @model_validator(mode="after")
    def _compares_others(self) -> TaggerConfig:
        if self.architecture in self.compare:
            raise ValueError(
                f"found {self.architecture!r} in `compare`, which is `architecture` itself; expected others"
            )
        object.__setattr__(self, "compare", list(dict.fromkeys(self.compare)))
        return self
